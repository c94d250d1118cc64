import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isSigned, publicKeyOf } from './row.js';
import { findSigningKey, keyFileOf, keyOf } from './signing-key.js';

let folder: string;
beforeEach(async () => {
  folder = path.join(await mkdtemp(path.join(os.tmpdir(), 'signing-')), 'data');
});
afterEach(() => rm(path.dirname(folder), { recursive: true, force: true }));

it('is made at the first start for the eyes of its person, and is the same from then on', () => {
  const { key, notice } = findSigningKey(folder);
  expect(notice).toBeNull();
  expect(readdirSync(folder)).toEqual(['ledger-key.pem']);
  if (process.platform !== 'win32') {
    expect(statSync(keyFileOf(folder)).mode & 0o777).toBe(0o600);
  }
  const signature = key.sign(Buffer.from('row'));
  expect(isSigned('row', signature, publicKeyOf(key.text))).toBe(true);
  expect(findSigningKey(folder).key.text).toBe(key.text);
});

it('is another one where it was damaged, which is told, and the damaged one stays', () => {
  const { key } = findSigningKey(folder);
  writeFileSync(keyFileOf(folder), 'no key');
  const again = findSigningKey(folder);
  expect(again.key.text).not.toBe(key.text);
  const aside = readdirSync(folder).find((name) => name.includes('damaged')) ?? '';
  expect(readFileSync(path.join(folder, aside), 'utf8')).toBe('no key');
  expect(again.notice).toContain(aside);
  expect(findSigningKey(folder)).toMatchObject({ key: { text: again.key.text }, notice: null });
});

it('signs until the end where it cannot be kept', async () => {
  // A folder in the file's place.
  await mkdir(keyFileOf(folder), { recursive: true });
  const { key, notice } = findSigningKey(folder);
  expect(notice).toMatch(/cannot be kept in .*ledger-key\.pem \(EISDIR\)/);
  expect(isSigned('row', key.sign(Buffer.from('row')), publicKeyOf(key.text))).toBe(true);
});

it('is no other kind of key', () => {
  expect(keyOf('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n')).toBeNull();
});
