/**
 * The key of the person whose machine this is: inspector.key in the data folder, readable by its owner only. It opens
 * what no API key opens (server/inspector). Whoever can read the file could as well read the person's conversations, so
 * it is kept as it is, to be shown again. The command line makes it, running servers follow it.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileStamp } from './file-change.js';
import { changeKeys, KeyFileError, keyDigest } from './key-file.js';

const KEY = /^pl-inspector-[\w-]{43}$/;

export function ownerKeyFileOf(dataDir: string): string {
  return path.join(dataDir, 'inspector.key');
}

/**
 * Null where there is none yet.
 * @throws KeyFileError
 */
export function readOwnerKey(dataDir: string): string | null {
  const file = ownerKeyFileOf(dataDir);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new KeyFileError(`The inspector's key in ${file} cannot be read (${code}).`);
  }
  const key = text.trim();
  if (KEY.test(key)) return key;
  throw new KeyFileError(`The inspector's key in ${file} is damaged: delete the file.`);
}

/**
 * The key there is, or a new one where there is none.
 * @param isNew Makes a new one in any case; the old one opens nothing from then on.
 * @throws KeyFileError
 */
export async function ensureOwnerKey(dataDir: string, isNew = false): Promise<string> {
  const made = `pl-inspector-${randomBytes(32).toString('base64url')}`;
  let key = made;
  await changeKeys(ownerKeyFileOf(dataDir), "The inspector's key", () => {
    key = (isNew ? null : readOwnerKey(dataDir)) ?? made;
    return key === made ? `${made}\n` : null;
  });
  return key;
}

/** The digest of the key as the file has it at the moment: looked at with each request, as keys.json is. */
export class OwnerKey {
  private stamp: string | null = null;
  private known: Buffer | null = null;

  constructor(private readonly dataDir: string) {}

  /** Null: there is no key, or none that can be read. */
  get digest(): Buffer | null {
    let stamp: string | null = null;
    try {
      stamp = fileStamp(ownerKeyFileOf(this.dataDir));
      if (stamp !== this.stamp) {
        this.known = null;
        const key = stamp === null ? null : readOwnerKey(this.dataDir);
        this.known = key === null ? null : keyDigest(key);
      }
    } catch {
      // The command that shows the key says what is wrong with it.
      this.known = null;
    }
    this.stamp = stamp;
    return this.known;
  }
}
