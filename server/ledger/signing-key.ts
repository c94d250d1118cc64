/** The key that signs the ledger: made at the first start, and kept for the eyes of its person only. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from 'node:crypto';
import { chmodSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureFolder } from '../store/folder.js';
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
 * The key of this data folder, made where there is none. A damaged one is kept aside, and the ledger goes on with a new
 * one; where nothing can be read or written, one is made that signs until Pilotlight stops. Never throws.
 */
export function findSigningKey(dataDir: string): FoundKey {
  const file = keyFileOf(dataDir);
  let notice: string | null = null;
  try {
    const found = read(file);
    if (found !== null) {
      const key = keyOf(found);
      if (key !== null) return { key, notice };
      notice = keepAside(file);
    }
    const key = keyOf(writeNew(file));
    if (key === null) throw new TypeError('what has been written cannot be read');
    return { key, notice };
  } catch (error) {
    return {
      key: keyOfPair(generateKeyPairSync('ed25519').privateKey),
      notice: `The key that signs receipts cannot be kept in ${file} (${codeOf(error)}), so another one signs until Pilotlight stops.`,
    };
  }
}

/** Null: it is no private key of Ed25519. */
export function keyOf(pem: string): SigningKey | null {
  try {
    const privateKey = createPrivateKey(pem);
    return privateKey.asymmetricKeyType === 'ed25519' ? keyOfPair(privateKey) : null;
  } catch {
    return null;
  }
}

type PrivateKey = ReturnType<typeof createPrivateKey>;

function keyOfPair(privateKey: PrivateKey): SigningKey {
  const text = keyText(createPublicKey(privateKey));
  return { text, sign: (bytes) => sign(null, bytes, privateKey) };
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
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' });
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
    return pem.toString();
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
