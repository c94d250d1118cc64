/** The key that signs the ledger: made at the first start, and kept for its person only. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { chmodSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureFolder } from '../store/folder.js';
import { type Keychain, KeychainError } from '../store/keychain.js';
import { keyText } from './row.js';

export interface SigningKey {
  /** The public half, as in a row. */
  readonly text: string;
  /** Ed25519. */
  sign(bytes: Uint8Array): Buffer;
}

export interface FoundKey {
  key: SigningKey;
  /** A sentence for people where it could not be read or kept. */
  notice: string | null;
}

export function keyFileOf(dataDir: string): string {
  return path.join(dataDir, 'ledger-key.pem');
}

/**
 * The key of this data folder, made where there is none: in the keychain where there is one, else in a file. A file goes
 * before the keychain, so that servers that cannot all reach the keychain come to the same key. A damaged one is kept
 * aside, and the ledger goes on with a new one; where nothing can be kept, one is made that signs until Pilotlight stops.
 * @param keychain Null: only files.
 */
export async function findSigningKey(
  dataDir: string,
  keychain: Keychain | null,
): Promise<FoundKey> {
  const file = keyFileOf(dataDir);
  let notice: string | null = null;
  try {
    const found = read(file);
    if (found !== null) {
      const key = keyOf(found);
      if (key !== null) return { key, notice };
      notice = keepAside(file);
    }
    const kept = keychain === null ? null : await findInKeychain(keychain, dataDir);
    return { key: kept ?? known(writeNew(file)), notice };
  } catch (error) {
    return {
      key: known(newPem()),
      notice: `The key that signs receipts cannot be kept in ${file} (${codeOf(error)}), so another one signs until Pilotlight stops.`,
    };
  }
}

/** Null: it is no private key of Ed25519. */
export function keyOf(pem: string): SigningKey | null {
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(pem);
  } catch {
    return null;
  }
  if (privateKey.asymmetricKeyType !== 'ed25519') return null;
  const text = keyText(createPublicKey(privateKey));
  return { text, sign: (bytes) => sign(null, bytes, privateKey) };
}

function known(pem: string): SigningKey {
  const key = keyOf(pem);
  if (key === null) throw new TypeError('what has been made is no key');
  return key;
}

function newPem(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

/** Null: the keychain cannot be used, as where there is none. */
async function findInKeychain(keychain: Keychain, dataDir: string): Promise<SigningKey | null> {
  const name = `key that signs the ledger in ${dataDir}`;
  try {
    const found = await keychain.read(name);
    const key = found === null ? null : keyOf(found);
    if (key !== null) return key;
    await keychain.write(name, newPem());
    // Another server may have been first, and some keychains only say that they have kept it.
    return keyOf((await keychain.read(name)) ?? '');
  } catch (error) {
    if (!(error instanceof KeychainError)) throw error;
    return null;
  }
}

function read(file: string): string | null {
  try {
    const text = readFileSync(file, 'utf8');
    chmodSync(file, 0o600);
    return text;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Whole or not at all, whenever the process ends. Returns another process's where that was first. */
function writeNew(file: string): string {
  const pem = newPem();
  const draft = `${file}.${randomBytes(6).toString('hex')}.new`;
  ensureFolder(path.dirname(file));
  try {
    writeFileSync(draft, pem, { mode: 0o600, flag: 'wx', flush: true });
    try {
      // Unlike a rename, it takes no other one's place.
      linkSync(draft, file);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return readFileSync(file, 'utf8');
      // Some file systems, such as exFAT, have no links.
      renameSync(draft, file);
    }
    return pem;
  } finally {
    rmSync(draft, { force: true });
  }
}

function keepAside(file: string): string {
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  const aside = file.replace(/\.pem$/, `.damaged-${stamp}.pem`);
  renameSync(file, aside);
  return `The key that signs receipts was damaged, so a new one signs from now on. The damaged file is kept as ${aside}.`;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}
