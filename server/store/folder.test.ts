import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ensureFolder } from './folder.js';

const made: string[] = [];

afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true });
});

async function scratch(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'pilotlight-test-'));
  made.push(folder);
  return folder;
}

test('makes all that is missing, and takes what is there', async () => {
  const folder = path.join(await scratch(), 'a', 'b 漢', 'c');
  ensureFolder(folder);
  ensureFolder(folder);
  ensureFolder(path.join(folder, 'd'));
  expect((await stat(path.join(folder, 'd'))).isDirectory()).toBe(true);
});

test('throws below a file', async () => {
  const file = path.join(await scratch(), 'file');
  await writeFile(file, '');
  expect(() => ensureFolder(path.join(file, 'a'))).toThrow('ENOTDIR');
});

test.runIf(process.platform === 'linux')('throws where the system allows no folders', () => {
  expect(() => ensureFolder('/proc/pilotlight/models')).toThrow('ENOENT');
});
