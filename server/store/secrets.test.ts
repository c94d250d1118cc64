import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Keychain } from './keychain.js';
import { SecretStore } from './secrets.js';
import { testKeychain } from './test-keychain.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'secrets-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

const NAME = 'Hugging Face token';
const file = () => path.join(dataDir, 'secrets.json');

describe('without a keychain', () => {
  const open = () => new SecretStore(dataDir, null);

  it('secrets are in a file for its owner only', async () => {
    expect(await open().get(NAME)).toBeNull();
    expect(await open().set(NAME, 'hf_1')).toBe('file');
    expect(await open().set('other', '2')).toBe('file');
    expect(await open().get(NAME)).toEqual({ secret: 'hf_1', storedIn: 'file' });
    if (process.platform !== 'win32') expect((await stat(file())).mode & 0o777).toBe(0o600);
    await chmod(file(), 0o644);
    await open().get(NAME);
    if (process.platform !== 'win32') expect((await stat(file())).mode & 0o777).toBe(0o600);
    await open().delete(NAME);
    expect(await open().get(NAME)).toBeNull();
    expect(await readFile(file(), 'utf8')).not.toContain('hf_1');
    expect(await open().get('other')).toEqual({ secret: '2', storedIn: 'file' });
  });

  it('names of nothing are names of no secret', async () => {
    expect(await open().get('constructor')).toBeNull();
  });

  it('changes at the same time are all kept', async () => {
    const store = open();
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => store.set(name, `${name}!`)));
    expect(await open().get('c')).toEqual({ secret: 'c!', storedIn: 'file' });
    void store.set('a', 'new');
    expect(await store.get('a')).toEqual({ secret: 'new', storedIn: 'file' });
  });

  it('a damaged file is told of, and not written over', async () => {
    await writeFile(file(), '{"x": 5}');
    await expect(open().get(NAME)).rejects.toThrow('damaged: delete the file');
    await expect(open().set(NAME, 'x')).rejects.toThrow('damaged: delete the file');
    expect(await readFile(file(), 'utf8')).toBe('{"x": 5}');
  });

  it('a folder that cannot be written to is told of', async () => {
    await mkdir(file());
    await expect(open().get(NAME)).rejects.toThrow('cannot be read');
    await expect(open().set(NAME, 'x')).rejects.toThrow('cannot be');
  });
});

describe('with a keychain', () => {
  it('secrets are there, and nowhere else', async () => {
    const keychain = testKeychain();
    const open = () => new SecretStore(dataDir, new Keychain(keychain.spawn));
    expect(await open().get(NAME)).toBeNull();
    expect(await open().set(NAME, 'hf_1')).toBe('keychain');
    expect([...keychain.secrets.values()]).toEqual(['hf_1']);
    expect(await open().get(NAME)).toEqual({ secret: 'hf_1', storedIn: 'keychain' });
    expect(await readFile(file(), 'utf8')).not.toContain('hf_1');
    await open().delete(NAME);
    expect(keychain.secrets.size).toBe(0);
    expect(await open().get(NAME)).toBeNull();
  });

  it('one that does not work leaves them in the file, and is not asked for others', async () => {
    const keychain = testKeychain();
    keychain.failure = 'no such service';
    const open = () => new SecretStore(dataDir, new Keychain(keychain.spawn));
    expect(await open().get(NAME)).toBeNull();
    expect(await open().set(NAME, 'hf_1')).toBe('file');
    expect(await open().get(NAME)).toEqual({ secret: 'hf_1', storedIn: 'file' });
    keychain.failure = null;
    expect(await open().set(NAME, 'hf_2')).toBe('keychain');
    expect(await readFile(file(), 'utf8')).not.toContain('hf_');
    keychain.failure = 'locked';
    await expect(open().get(NAME)).rejects.toThrow(
      `The ${NAME} cannot be read from the system's keychain: locked.`,
    );
    await expect(open().delete(NAME)).rejects.toThrow('cannot be removed');
    await expect(new SecretStore(dataDir, null).get(NAME)).rejects.toThrow('uses none');
  });
});
