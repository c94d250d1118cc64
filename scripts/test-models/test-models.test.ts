import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeTestModel, TEST_MODEL_NAMES } from './catalogue.js';
import { ensureTestModels } from './test-models.js';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const TSX = path.join(
  fileURLToPath(new URL('../../', import.meta.url)),
  'node_modules/tsx/dist/cli.mjs',
);

// Writes some 20 MB a test and starts processes, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let root: string;
let dir: string;

beforeEach(async () => {
  root = await fs.mkdtemp(path.join(os.tmpdir(), 'test-models-'));
  dir = path.join(root, 'a folder with ä');
});

afterEach(async () => {
  await fs.rm(root, { recursive: true, force: true });
});

async function expectWhole(): Promise<void> {
  for (const name of TEST_MODEL_NAMES) {
    const bytes = await fs.readFile(path.join(dir, `${name}.gguf`));
    expect(bytes.equals(makeTestModel(name))).toBe(true);
  }
  const others = (await fs.readdir(dir)).filter((file) => !file.endsWith('.gguf'));
  expect(others).toEqual(['.test-models.json']);
}

describe('ensureTestModels', () => {
  it('writes every model and resolves to their paths', async () => {
    const paths = await ensureTestModels(dir);
    expect(Object.keys(paths)).toEqual(TEST_MODEL_NAMES);
    expect(Object.values(paths).every((file) => path.isAbsolute(file) && existsSync(file))).toBe(
      true,
    );
    await expectWhole();
  });

  it('leaves a complete folder alone', async () => {
    const paths = await ensureTestModels(dir);
    const before = await fs.stat(paths.random, { bigint: true });
    await ensureTestModels(dir);
    const after = await fs.stat(paths.random, { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
  });

  it('makes again what is missing, cut short, or from another version', async () => {
    const paths = await ensureTestModels(dir);
    await fs.rm(paths.scripted);
    await fs.truncate(paths.random, 100);
    await ensureTestModels(dir);
    await expectWhole();

    const stamp = path.join(dir, '.test-models.json');
    await fs.writeFile(
      stamp,
      (await fs.readFile(stamp, 'utf8')).replace(/"source":"./, '"source":"x'),
    );
    await fs.writeFile(paths.thinking, Buffer.alloc((await fs.stat(paths.thinking)).size));
    await ensureTestModels(dir);
    await expectWhole();
  });

  it('takes a damaged stamp for none, and clears away what a killed process left', async () => {
    await fs.mkdir(path.join(dir, '.making-999999999-abc'), { recursive: true });
    await fs.writeFile(path.join(dir, '.test-models.json'), '{');
    await ensureTestModels(dir);
    await expectWhole();
  });

  it('can run twice at once in one process', async () => {
    await Promise.all([ensureTestModels(dir), ensureTestModels(dir)]);
    await expectWhole();
  });

  it('rejects where it cannot make the folder', async () => {
    await fs.writeFile(dir, 'a file is in the way');
    await expect(ensureTestModels(dir)).rejects.toMatchObject({ code: 'EEXIST' });
  });
});

describe('main', () => {
  it('can run twice at once in two processes', async () => {
    const results = await Promise.all([1, 2].map(() => run(process.execPath, [TSX, MAIN, dir])));
    for (const { stdout } of results) {
      expect(stdout.trim().split('\n')).toHaveLength(TEST_MODEL_NAMES.length);
    }
    await expectWhole();
  });

  it('says how it is used', async () => {
    await expect(run(process.execPath, [TSX, MAIN])).rejects.toMatchObject({
      code: 2,
      stderr: 'Usage: npx tsx scripts/test-models/main.ts OUT_DIR\n',
    });
  });
});
