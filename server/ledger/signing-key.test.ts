import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Keychain } from '../store/keychain.js';
import { testKeychain } from '../store/test-keychain.js';
import { isSigned, publicKeyOf } from './row.js';
import { findSigningKey, keyFileOf, keyOf, type SigningKey } from './signing-key.js';

let folder: string;
beforeEach(async () => {
  folder = path.join(await mkdtemp(path.join(os.tmpdir(), 'signing-')), 'data');
});
afterEach(() => rm(path.dirname(folder), { recursive: true, force: true }));

const works = (key: SigningKey) =>
  isSigned('row', key.sign(Buffer.from('row')), publicKeyOf(key.text));

describe('in a file', () => {
  it('is made at the first start for the eyes of its person, and is the same from then on', async () => {
    const { key, notice } = await findSigningKey(folder, null);
    expect(notice).toBeNull();
    expect(readdirSync(folder)).toEqual(['ledger-key.pem']);
    if (process.platform !== 'win32') {
      expect(statSync(keyFileOf(folder)).mode & 0o777).toBe(0o600);
    }
    expect(works(key)).toBe(true);
    expect((await findSigningKey(folder, null)).key.text).toBe(key.text);
  });

  it('is the same for all who start at once', async () => {
    const found = await Promise.all(Array.from({ length: 8 }, () => findSigningKey(folder, null)));
    expect(new Set(found.map(({ key }) => key.text)).size).toBe(1);
  });

  it('is another one where it was damaged, which is told, and the damaged one stays', async () => {
    const { key } = await findSigningKey(folder, null);
    writeFileSync(keyFileOf(folder), 'no key');
    const again = await findSigningKey(folder, null);
    expect(again.key.text).not.toBe(key.text);
    const aside = readdirSync(folder).find((name) => name.includes('damaged')) ?? '';
    expect(readFileSync(path.join(folder, aside), 'utf8')).toBe('no key');
    expect(again.notice).toContain(aside);
    expect(await findSigningKey(folder, null)).toMatchObject({
      key: { text: again.key.text },
      notice: null,
    });
  });

  it('signs until the end where it cannot be kept', async () => {
    // A folder in the file's place.
    await mkdir(keyFileOf(folder), { recursive: true });
    const { key, notice } = await findSigningKey(folder, null);
    expect(notice).toMatch(/cannot be kept in .*ledger-key\.pem \(EISDIR\)/);
    expect(works(key)).toBe(true);
  });

  it('is no other kind of key', () => {
    expect(keyOf('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n')).toBeNull();
  });
});

describe('in a keychain', () => {
  it('is made there, and nowhere else', async () => {
    const { spawn, secrets } = testKeychain();
    const { key, notice } = await findSigningKey(folder, new Keychain(spawn));
    expect([works(key), notice]).toEqual([true, null]);
    expect([...secrets.keys()]).toEqual([`key that signs the ledger in ${folder}`]);
    expect(() => readFileSync(keyFileOf(folder))).toThrow('ENOENT');
    expect((await findSigningKey(folder, new Keychain(spawn))).key.text).toBe(key.text);
    const other = await findSigningKey(`${folder}2`, new Keychain(spawn));
    expect(other.key.text).not.toBe(key.text);
  });

  it('is a file where the keychain cannot be used, and stays one', async () => {
    const keychain = testKeychain();
    keychain.failure = 'there is none';
    const { key } = await findSigningKey(folder, new Keychain(keychain.spawn));
    keychain.failure = null;
    expect((await findSigningKey(folder, new Keychain(keychain.spawn))).key.text).toBe(key.text);
    expect(keychain.secrets.size).toBe(0);
  });

  it('is a new one where what is there is no key, or does not stay', async () => {
    const { spawn, secrets } = testKeychain();
    await findSigningKey(folder, new Keychain(spawn));
    for (const name of secrets.keys()) secrets.set(name, 'no key');
    const { key } = await findSigningKey(folder, new Keychain(spawn));
    expect(works(key)).toBe(true);
    expect([...secrets.values()].map((pem) => keyOf(pem)?.text)).toEqual([key.text]);

    secrets.set = () => secrets;
    secrets.clear();
    const inFile = await findSigningKey(folder, new Keychain(spawn));
    expect(keyOf(readFileSync(keyFileOf(folder), 'utf8'))?.text).toBe(inFile.key.text);
    rmSync(keyFileOf(folder));
  });
});
