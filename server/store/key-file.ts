/**
 * The API keys that were made with `pilotlight keys add`: keys.json in the data folder, readable by its owner only. The
 * command line writes it, running servers follow it.
 *
 * A key is 256 random bits, so a plain SHA-256 of it is enough: nobody can try that many. Slow hashes such as scrypt are
 * for passwords, which people choose from few, and would cost time at every request.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { changeFile, FileChangeError } from './file-change.js';

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
export const OWNER_CLIENT = 'owner';
export const GIVEN_CLIENT = 'api-key';

const NAME = /^[a-z0-9][\w.@-]{0,63}$/i;

export function keyDigest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

export function keyFileOf(dataDir: string): string {
  return path.join(dataDir, 'keys.json');
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
  const isOwner = name === WINDOW_CLIENT || name === OWNER_CLIENT;
  if (isOwner || name.startsWith(GIVEN_CLIENT)) {
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

async function change(
  dataDir: string,
  edit: (keys: readonly StoredKey[]) => StoredKey[],
): Promise<void> {
  await changeKeys(keyFileOf(dataDir), 'The API keys', () => {
    const content = readFile(dataDir);
    return `${JSON.stringify({ ...content, keys: edit(content.keys) }, null, 2)}\n`;
  });
}

/**
 * changeFile for keys.
 * @throws KeyFileError
 */
export async function changeKeys(
  file: string,
  what: string,
  edit: () => string | null,
): Promise<void> {
  try {
    await changeFile(file, what, edit);
  } catch (error) {
    throw error instanceof FileChangeError ? new KeyFileError(error.message) : error;
  }
}
