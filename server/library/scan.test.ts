// Folders with anything in them.
import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HeaderCache } from './header-cache.js';
import { Library } from './library.js';
import { MAX_DEPTH, scanFolder } from './scan.js';
import { testGguf } from './test-gguf.js';
import { putFile } from './test-stores.js';

/** On Windows links need rights that a test run may not have. */
const hasLinks = process.platform !== 'win32';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'scan tést '));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const at = (...parts: string[]) => path.join(root, ...parts);

const libraryOf = (modelsDir: string, dataDir: string | null = null) =>
  Library.open({
    modelsDir,
    dataDir,
    ...{ builtInModelsDir: null, files: [], log: pino({ enabled: false }) },
  });

describe('a scan', () => {
  it.runIf(hasLinks)('ends where links go in a circle, and takes each folder once', async () => {
    await putFile(at('a', 'b', 'm.gguf'), '');
    await symlink(at('a'), at('a', 'b', 'up'));
    await symlink(root, at('a', 'self'));
    await symlink(at('a', 'b'), at('twice'));
    await symlink('loop', at('loop'));
    const { files, isCut, errorCode } = await scanFolder(root);
    expect(files).toEqual([at('a', 'b', 'm.gguf')]);
    expect({ isCut, errorCode }).toEqual({ isCut: false, errorCode: null });
  });

  it('goes so deep and no deeper, and says so', async () => {
    const levels = Array.from({ length: MAX_DEPTH + 1 }, (_, i) => `l${i}`);
    await putFile(at(...levels.slice(0, MAX_DEPTH), 'in.gguf'), '');
    await putFile(at(...levels, 'out.gguf'), '');
    const { files, isCut } = await scanFolder(root);
    expect(files.map((file) => path.basename(file))).toEqual(['in.gguf']);
    expect(isCut).toBe(true);
  });

  it('takes no more entries than it may, and says so', async () => {
    for (let i = 0; i < 20; i++) await putFile(at(`f${i % 4}`, `m${i}.gguf`), '');
    const all = await scanFolder(root);
    expect([all.files.length, all.isCut]).toEqual([20, false]);
    const some = await scanFolder(root, { maxEntries: 10 });
    expect(some.files.length).toBeLessThan(10);
    expect(some.isCut).toBe(true);
  });

  it('names folders that cannot be read', async () => {
    await putFile(at('open', 'm.gguf'), '');
    await putFile(at('shut', 'm.gguf'), '');
    await chmod(at('shut'), 0o000);
    const { files, locked } = await scanFolder(root);
    // The superuser, and Windows, can read it all the same.
    const isRead = files.length === 2;
    expect(locked).toEqual(isRead ? [] : [at('shut')]);
    await chmod(at('shut'), 0o755);
  });
});

it.runIf(process.platform === 'linux')(
  'a name that is no text is shown with what to do, and harms no other',
  async () => {
    await putFile(at('good.gguf'), testGguf());
    const name = Buffer.concat([
      Buffer.from(`${root}/`),
      Buffer.from([0x62, 0xff, 0xfe]),
      Buffer.from('.gguf'),
    ]);
    await writeFile(name, testGguf());
    await putFile(at('really \uFFFD.gguf'), testGguf());
    const library = await libraryOf(root);
    const reasons = library.models().map(({ id, invalidReason }) => [id, invalidReason]);
    library.close();
    expect(reasons.slice(0, 2)).toEqual([
      ['good', null],
      ['really \uFFFD', null],
    ]);
    expect(reasons[2]?.[1]).toMatch(
      /has bytes that are no text, so it cannot be opened: rename it/,
    );
  },
);

describe('any tree of files', () => {
  const name = fc.constantFrom(
    ...['a.gguf', 'b.GGUF', 'mmproj-a.gguf', 'mmproj.gguf', 'c.txt', '.gguf', 'sub', 'ü', '..x'],
    ...['s-00001-of-00002.gguf', 's-00002-of-00002.gguf', 's-00001-of-99999.gguf', 'gguf.gguf'],
  );
  const node = fc.record({
    folders: fc.array(fc.constantFrom('x', 'y', 'sub', '.h', 'a.gguf'), { maxLength: 3 }),
    name,
    bytes: fc.constantFrom(
      testGguf(),
      testGguf().subarray(0, 60),
      Buffer.from('GGUF'),
      Buffer.of(),
    ),
    kind: fc.constantFrom('file', 'file', 'folder', 'link', 'dangling', 'circle', 'locked'),
  });

  it('is listed without a crash, each model once, by an id that finds it', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(node, { maxLength: 12 }), async (nodes) => {
        const folder = at(String(run++));
        await mkdir(folder);
        const locked: string[] = [];
        for (const { folders, name: last, bytes, kind } of nodes) {
          const file = path.join(folder, ...folders, last);
          try {
            await mkdir(path.dirname(file), { recursive: true });
            if (kind === 'file') await writeFile(file, bytes);
            else if (kind === 'folder') await mkdir(file);
            else if (kind === 'locked') {
              await writeFile(file, bytes, { mode: 0o000 });
              locked.push(file);
            } else if (hasLinks) {
              const targets = {
                link: path.join(folder, 'a.gguf'),
                dangling: 'nowhere',
                circle: '.',
              };
              await symlink(targets[kind], file);
            }
          } catch {
            // Its name is taken, or a file is where a folder would have to be.
          }
        }
        const library = await libraryOf(folder);
        const models = library.models();
        expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
        const files = models.flatMap((model) => model.files);
        expect(new Set(files).size).toBe(files.length);
        for (const model of models) {
          expect(library.find(model.id)).toBe(model);
          expect(path.basename(model.path)).not.toMatch(/mmproj/);
        }
        library.close();
        for (const file of locked) await chmod(file, 0o600);
      }),
      { numRuns: 40 },
    );
  });
});

describe('many files', () => {
  it('are listed, and at the next start without reading any of them again', async () => {
    const models = at('models');
    const names = Array.from({ length: 500 }, (_, i) => `d${i % 20}/m${i}.gguf`);
    const bytes = testGguf({ metadata: { 'general.name': 'x', 'general.license': 'mit' } });
    for (const file of names) await putFile(path.join(models, file), bytes);
    for (let i = 0; i < 3000; i++) await putFile(at('models', 'other', `n${i}.txt`), '');
    const first = await libraryOf(models, root);
    first.close();
    expect(first.models()).toHaveLength(500);
    // Whoever reads them now finds nothing of a model in them, at the same size and time.
    for (const file of names) await putFile(path.join(models, file), Buffer.alloc(bytes.length));
    const again = await libraryOf(models, root);
    again.close();
    expect(again.models()).toEqual(first.models());
    await rm(at('library-cache.json'));
    const anew = await libraryOf(models, root);
    anew.close();
    expect(anew.models().every(({ invalidReason }) => invalidReason !== null)).toBe(true);
  });

  it.each(['', '{', '{"version": 1, "files": [[1, 2, 3]]}', '{"version": 0, "files": []}', '[]'])(
    'with a cache of %j are read',
    async (text) => {
      const file = await putFile(at('models', 'm.gguf'), testGguf());
      await putFile(at('library-cache.json'), text);
      const cache = new HeaderCache(root);
      await cache.load();
      const header = await cache.read({ path: file, size: 1, mtimeMs: 1 });
      expect(header).toMatchObject({ architecture: 'llama' });
      await cache.save();
      const kept = new HeaderCache(root);
      await kept.load();
      await rename(file, `${file}.gone`);
      expect(await kept.read({ path: file, size: 1, mtimeMs: 1 })).toEqual(header);
      expect(await kept.read({ path: file, size: 2, mtimeMs: 1 })).toHaveProperty('problem');
    },
  );
});
