import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addKey, keyFileOf, readKeys, removeKey } from './key-file.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = path.join(await mkdtemp(path.join(os.tmpdir(), 'keys-')), 'tést 模型');
});
afterEach(() => rm(path.dirname(dataDir), { recursive: true }));

const names = () => readKeys(dataDir).map(({ name }) => name);

describe('keys', () => {
  it('are kept in order of making, and forgotten by name', async () => {
    expect(names()).toEqual([]);
    for (const name of ['laptop', 'ci.build', 'me@work']) await addKey(dataDir, name);
    expect(names()).toEqual(['laptop', 'ci.build', 'me@work']);
    await removeKey(dataDir, 'ci.build');
    expect(names()).toEqual(['laptop', 'me@work']);
  });

  it('are long, never the same, and not in the file', async () => {
    const made = [await addKey(dataDir, 'a'), await addKey(dataDir, 'b')];
    expect(new Set(made).size).toBe(2);
    const text = await readFile(keyFileOf(dataDir), 'utf8');
    for (const key of made) {
      expect(key).toMatch(/^pl-[\w-]{43}$/);
      expect(text).not.toContain(key.slice(3));
    }
  });

  it.runIf(process.platform !== 'win32')('are for their owner only', async () => {
    await addKey(dataDir, 'a');
    expect((await stat(keyFileOf(dataDir))).mode & 0o777).toBe(0o600);
    await chmod(keyFileOf(dataDir), 0o644);
    await addKey(dataDir, 'b');
    expect((await stat(keyFileOf(dataDir))).mode & 0o777).toBe(0o600);
    expect(await readdir(dataDir)).toEqual(['keys.json']);
  });

  it('are all kept when many are made at the same time', async () => {
    const wanted = Array.from({ length: 8 }, (_, i) => `key-${i}`);
    await Promise.all(wanted.map((name) => addKey(dataDir, name)));
    expect(names().sort()).toEqual(wanted);
  });

  it('keep what a newer version has written', async () => {
    await addKey(dataDir, 'a');
    const content = JSON.parse(await readFile(keyFileOf(dataDir), 'utf8'));
    content.future = 1;
    content.keys[0].scope = 'x';
    await writeFile(keyFileOf(dataDir), JSON.stringify(content));
    await addKey(dataDir, 'b');
    const kept = JSON.parse(await readFile(keyFileOf(dataDir), 'utf8'));
    expect([kept.future, kept.keys[0].scope]).toEqual([1, 'x']);
  });
});

describe('refused, with a sentence, and without a trace', () => {
  it.each([
    '',
    ' ',
    'a b',
    '-a',
    '../x',
    'a/b',
    'é',
    'a\n',
    'x'.repeat(65),
    'window',
    'owner',
    'api-key-2',
  ])('the name %j', async (name) => {
    await expect(addKey(dataDir, name)).rejects.toThrow(/name.*\.$/);
    expect(names()).toEqual([]);
  });

  it('a second key of a name', async () => {
    await addKey(dataDir, 'a');
    await expect(addKey(dataDir, 'a')).rejects.toThrow('There is a key "a" already');
    expect(await readdir(dataDir)).toEqual(['keys.json']);
  });

  it('the removal of what is not there', async () => {
    await expect(removeKey(dataDir, 'a')).rejects.toThrow('There are none.');
    await addKey(dataDir, 'b');
    await expect(removeKey(dataDir, 'a')).rejects.toThrow('There are: "b".');
  });

  it.each(['', '{"keys": [', '[]', '{"keys": [{"name": "a"}]}', '{"keys": [{"sha256": "00"}]}'])(
    'any change of a damaged file: %j',
    async (text) => {
      await mkdir(dataDir);
      await writeFile(keyFileOf(dataDir), text);
      expect(names).toThrow('are damaged');
      await expect(addKey(dataDir, 'b')).rejects.toThrow('are damaged');
      expect(await readFile(keyFileOf(dataDir), 'utf8')).toBe(text);
      expect(await readdir(dataDir)).toEqual(['keys.json']);
    },
  );

  it('a change while another process is at it', async () => {
    await mkdir(dataDir);
    await writeFile(`${keyFileOf(dataDir)}.lock`, '');
    await expect(addKey(dataDir, 'a')).rejects.toThrow(
      /another process.*delete .*keys\.json\.lock/,
    );
  });

  it('a data folder that cannot be', async () => {
    await writeFile(dataDir, '');
    await expect(addKey(dataDir, 'a')).rejects.toThrow('cannot be saved');
  });
});
