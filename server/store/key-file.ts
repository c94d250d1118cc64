/**
 * The API keys that were made with `pilotlight keys add`: keys.json in the data folder, readable by its owner only. The
 * command line writes it, running servers follow it.
 *
 * A key is 256 random bits, so a plain SHA-256 of it is enough: nobody can try that many. Slow hashes such as scrypt are
 * for passwords, which people choose from few, and would cost time at every request.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { ensureFolder } from './folder.js';

/** Unknown fields are kept: a newer version may have written them. */
const storedKeySchema = z.looseObject({
  name: z.string().min(1),
  /** SHA-256 of the key in hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** When it was made. */
  created: z.iso.datetime(),
});
const keyFileSchema = z.looseObject({ keys: z.array(storedKeySchema) });
export type StoredKey = z.infer<typeof storedKeySchema>;

/** Why keys cannot be read or changed; the message is a sentence for people. */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
}

/** Names that the request log uses for keys that are not in the file. */
export const WINDOW_CLIENT = 'window';
export const GIVEN_CLIENT = 'api-key';

const NAME = /^[a-z0-9][\w.@-]{0,63}$/i;

/** How long another change of the file is waited for, and how often it is looked for, in milliseconds. */
const LOCK_WAIT_MS = 2_000;
const LOCK_LOOK_MS = 20;

export function keyDigest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

export function keyFileOf(dataDir: string): string {
  return path.join(dataDir, 'keys.json');
}

/**
 * What tells one state of the file from another, cheaply; null: there is none. Every change makes a new file, so the
 * inode tells what a clock with coarse steps does not.
 */
export function keyFileStamp(dataDir: string): string | null {
  const found = statSync(keyFileOf(dataDir), { bigint: true, throwIfNoEntry: false });
  return found ? `${found.ino}:${found.mtimeNs}:${found.ctimeNs}:${found.size}` : null;
}

/**
 * In order of making; none where there is no file.
 * @throws KeyFileError
 */
export function readKeys(dataDir: string): StoredKey[] {
  return readFile(dataDir).keys;
}

/**
 * Makes a key and keeps its hash.
 * @returns the key, which nobody can read again.
 * @throws KeyFileError
 */
export async function addKey(dataDir: string, name: string): Promise<string> {
  if (!NAME.test(name)) {
    throw new KeyFileError(
      'A key\'s name has 1 to 64 letters, digits, ".", "_", "@" and "-", and begins with a letter or digit.',
    );
  }
  if (name === WINDOW_CLIENT || name.startsWith(GIVEN_CLIENT)) {
    throw new KeyFileError(`The name "${name}" has a meaning of its own in the log; take another.`);
  }
  const key = `pl-${randomBytes(32).toString('base64url')}`;
  await change(dataDir, (keys) => {
    if (keys.some((known) => known.name === name)) {
      throw new KeyFileError(
        `There is a key "${name}" already: remove it first, or take another name.`,
      );
    }
    const sha256 = keyDigest(key).toString('hex');
    return [...keys, { name, sha256, created: new Date().toISOString() }];
  });
  return key;
}

/**
 * Forgets a key: running servers refuse it from then on.
 * @throws KeyFileError also where there is none of the name.
 */
export async function removeKey(dataDir: string, name: string): Promise<void> {
  await change(dataDir, (keys) => {
    const rest = keys.filter((known) => known.name !== name);
    if (rest.length < keys.length) return rest;
    const known = keys.map((key) => `"${key.name}"`).join(', ');
    throw new KeyFileError(
      `There is no key "${name}". ${known === '' ? 'There are none.' : `There are: ${known}.`}`,
    );
  });
}

function readFile(dataDir: string): z.infer<typeof keyFileSchema> {
  const file = keyFileOf(dataDir);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { keys: [] };
    throw new KeyFileError(`The API keys in ${file} cannot be read (${code}).`);
  }
  try {
    return keyFileSchema.parse(JSON.parse(text));
  } catch {
    throw new KeyFileError(`The API keys in ${file} are damaged: mend or delete the file.`);
  }
}

/**
 * Whole or not at all: the new file takes the old one's place in one step. Until then it is the lock, so that of two
 * changes at the same time none is lost.
 */
async function change(
  dataDir: string,
  edit: (keys: readonly StoredKey[]) => StoredKey[],
): Promise<void> {
  const file = keyFileOf(dataDir);
  const draft = `${file}.lock`;
  const handle = await lock(draft, file);
  try {
    const content = readFile(dataDir);
    const text = JSON.stringify({ ...content, keys: edit(content.keys) }, null, 2);
    await handle.writeFile(`${text}\n`);
    await handle.sync();
    await handle.close();
    await rename(draft, file);
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(draft, { force: true }).catch(() => {});
    throw error instanceof KeyFileError ? error : cannotWrite(file, error);
  }
}

async function lock(draft: string, file: string): Promise<FileHandle> {
  const end = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      ensureFolder(path.dirname(file));
      return await open(draft, 'wx', 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotWrite(file, error);
    }
    if (performance.now() > end) {
      throw new KeyFileError(
        `The API keys are being changed by another process. If there is none, delete ${draft}.`,
      );
    }
    await wait(LOCK_LOOK_MS);
  }
}

function cannotWrite(file: string, error: unknown): KeyFileError {
  const { code } = error as NodeJS.ErrnoException;
  return new KeyFileError(`The API keys cannot be saved to ${file} (${code ?? 'unknown'}).`);
}
