import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Library } from '../library/library.js';
import { testGguf, testProjector } from '../library/test-gguf.js';
import { removeModel } from './removal.js';

/** On Windows links need rights that a test run may not have. */
const hasLinks = process.platform !== 'win32';

let root: string;
let modelsDir: string;
let library: Library | null = null;
beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'tést removal '));
  modelsDir = path.join(root, 'my models');
});
afterEach(async () => {
  library?.close();
  library = null;
  await rm(root, { recursive: true });
});

async function put(name: string, bytes: Uint8Array = testGguf()): Promise<string> {
  const file = path.join(root, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, bytes);
  return file;
}

async function open(files: string[] = []): Promise<Library> {
  library = await Library.open({
    ...{ modelsDir, builtInModelsDir: null, files, log: pino({ enabled: false }) },
  });
  return library;
}

async function remove(from: Library, id: string) {
  const model = from.find(id);
  if (model === null) throw new Error(`there is no ${id}`);
  return removeModel(from, model);
}

const ids = (from: Library) => from.models().map(({ id }) => id);

it('deletes the file and the folders that were only its own', async () => {
  const file = await put('my models/ada/tiny/m.gguf');
  await put('my models/ada/other/other.gguf');
  const opened = await open();
  expect(await remove(opened, 'm')).toMatchObject({ files: [file] });
  expect(await readdir(path.join(modelsDir, 'ada'))).toEqual(['other']);
  expect(ids(opened)).toEqual(['other']);
  await remove(opened, 'other');
  expect(await readdir(root)).toEqual(['my models']);
  expect(await readdir(modelsDir)).toEqual([]);
});

it('deletes all parts of a model, whole or not', async () => {
  await put('my models/m-00001-of-00003.gguf');
  await put('my models/m-00003-of-00003.gguf');
  const opened = await open();
  expect(opened.find('m')?.invalidReason).toContain('missing');
  expect((await remove(opened, 'm')).files).toHaveLength(2);
  expect(await readdir(modelsDir)).toEqual([]);
});

it('deletes a projector with the last model that has it', async () => {
  const model = testGguf({ metadata: { 'llama.embedding_length': 64 } });
  await put('my models/ada/tiny/tiny-Q4_K_M.gguf', model);
  await put('my models/ada/tiny/tiny-Q8_0.gguf', model);
  const projector = await put('my models/ada/tiny/mmproj-F16.gguf', testProjector(64));
  const opened = await open();
  expect(opened.models().map((each) => each.projector)).toEqual([projector, projector]);
  expect((await remove(opened, 'tiny-Q4_K_M')).files).not.toContain(projector);
  expect(existsSync(projector)).toBe(true);
  expect((await remove(opened, 'tiny-Q8_0')).files).toContain(projector);
  expect(await readdir(modelsDir)).toEqual([]);
});

it('deletes a file that is no model', async () => {
  await put('my models/bad.gguf', Buffer.from('bad'));
  const opened = await open();
  await remove(opened, 'bad');
  expect(await readdir(modelsDir)).toEqual([]);
});

it('leaves what is not in the models folder', async () => {
  const file = await put('elsewhere/mine.gguf');
  const opened = await open([file]);
  await expect(remove(opened, 'mine')).rejects.toThrow('"mine" is a file that was named');
  expect(existsSync(file)).toBe(true);
});

it.runIf(hasLinks)('deletes a link, and not what it leads to', async () => {
  const file = await put('elsewhere/real.gguf');
  await mkdir(modelsDir);
  await symlink(file, path.join(modelsDir, 'link.gguf'));
  const opened = await open();
  await remove(opened, 'link');
  expect(await readdir(modelsDir)).toEqual([]);
  expect(existsSync(file)).toBe(true);
});

it.runIf(hasLinks)('leaves what is behind a link to a folder', async () => {
  const file = await put('elsewhere/real.gguf');
  await mkdir(modelsDir);
  await symlink(path.dirname(file), path.join(modelsDir, 'linked'));
  const opened = await open();
  await expect(remove(opened, 'real')).rejects.toThrow('to which a link leads: delete it there.');
  expect(existsSync(file)).toBe(true);
});
