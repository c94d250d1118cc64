import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../store/database.js';
import { ModelFiles } from './model-files.js';

let folder: string;
let database: Database;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'model-files-'));
  database = new Database(folder);
});
afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true, force: true });
});

const sha256 = (...parts: Uint8Array[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

const bytesOf = (length: number, seed = 1) =>
  Buffer.from(Array.from({ length }, (_, i) => (i * 31 + seed) & 0xff));

async function put(name: string, bytes: Uint8Array): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, bytes);
  return file;
}

describe('the files of a model', () => {
  it('have a hash of their head at once, and of all of them later', async () => {
    const bytes = bytesOf(2 * 1024 * 1024 + 7);
    const files = [await put('m.gguf', bytes)];
    const modelFiles = new ModelFiles(database, 0);
    const found = modelFiles.find({ files });
    const head = sha256(bytes.subarray(0, 1024 * 1024));
    expect(found).toMatchObject({ bytes: bytes.length, head_sha256: head, sha256: null });
    await modelFiles.settled();
    expect(found).toMatchObject({ sha256: sha256(bytes) });
    expect(modelFiles.find({ files })).toBe(found);
  });

  it('are read once, also over starts', async () => {
    const files = [await put('m.gguf', bytesOf(1000))];
    const first = new ModelFiles(database, 0);
    first.find({ files });
    await first.settled();
    expect(new ModelFiles(database, 0).find({ files })?.sha256).toBe(sha256(bytesOf(1000)));
  });

  it('of a split model are hashed one after the other', async () => {
    const parts = [bytesOf(700_000, 1), bytesOf(300_000, 2)];
    const files = await Promise.all(parts.map((part, i) => put(`${i}.gguf`, part)));
    const modelFiles = new ModelFiles(database, 0);
    const found = modelFiles.find({ files });
    await modelFiles.settled();
    expect(found).toMatchObject({ bytes: 1_000_000, sha256: sha256(...parts) });
  });

  it('are other ones after a change', async () => {
    const files = [await put('m.gguf', bytesOf(1000))];
    const modelFiles = new ModelFiles(database, 0);
    modelFiles.find({ files });
    await modelFiles.settled();
    await writeFile(files[0] ?? '', bytesOf(1000, 2));
    await utimes(files[0] ?? '', 1, 1);
    const changed = modelFiles.find({ files });
    expect(changed?.sha256).toBeNull();
    await modelFiles.settled();
    expect(changed?.sha256).toBe(sha256(bytesOf(1000, 2)));
  });

  it('get no hash where they change while they are read', async () => {
    const files = [await put('m.gguf', bytesOf(3 * 1024 * 1024))];
    const modelFiles = new ModelFiles(database, 0);
    const found = modelFiles.find({ files });
    await appendFile(files[0] ?? '', 'x');
    await modelFiles.settled();
    expect(found?.sha256).toBeNull();
  });

  it('that are not there are nothing', () => {
    expect(new ModelFiles(database).find({ files: [path.join(folder, 'no')] })).toBeNull();
  });

  it('are given up at the end', async () => {
    const files = [await put('m.gguf', bytesOf(3 * 1024 * 1024))];
    const modelFiles = new ModelFiles(database);
    const found = modelFiles.find({ files });
    await modelFiles.close();
    expect(found?.sha256).toBeNull();
  });
});
