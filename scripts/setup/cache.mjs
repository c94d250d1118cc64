// Files that are either whole or absent: hashing, and writing by temporary name plus rename.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';

/** @param {string | Buffer} data */
export function sha256(data) {
  return createHash('sha256').update(data).digest('hex');
}

/**
 * Digest of a file's contents, streamed.
 * @param {string} file
 * @param {'sha256' | 'sha512'} [algorithm]
 * @param {'hex' | 'base64'} [encoding]
 */
export async function hashFile(file, algorithm = 'sha256', encoding = 'hex') {
  const hash = createHash(algorithm);
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest(encoding);
}

/**
 * One digest over many files: their paths relative to root and their contents, in a fixed order.
 * A missing entry is hashed as missing, so that adding it later changes the digest.
 * @param {string} root
 * @param {string[]} entries files or folders relative to root
 * @param {(relative: string) => boolean} [keep] which files count; default all
 */
export async function hashTree(root, entries, keep = () => true) {
  const files = (await Promise.all(entries.map((entry) => listFiles(root, entry)))).flat();
  const hash = createHash('sha256');
  for (const file of [...new Set(files)].filter(keep).sort()) {
    const contents = await fs.readFile(path.join(root, file)).catch(() => null);
    hash.update(`${file}\0${contents === null ? 'missing' : contents.length}\0`);
    if (contents) hash.update(contents);
  }
  return hash.digest('hex');
}

/**
 * @param {string} root
 * @param {string} entry
 * @returns {Promise<string[]>} paths relative to root, with forward slashes
 */
async function listFiles(root, entry) {
  const children = await fs
    .readdir(path.join(root, entry), { withFileTypes: true })
    .catch(() => null);
  if (children === null) return [entry];
  const lists = children.map((child) =>
    child.isDirectory() ? listFiles(root, `${entry}/${child.name}`) : [`${entry}/${child.name}`],
  );
  return (await Promise.all(lists)).flat();
}

/** @param {string} file */
export async function exists(file) {
  return fs.access(file).then(
    () => true,
    () => false,
  );
}

/**
 * The parsed JSON of a file, or null where it is absent or cut short.
 * @param {string} file
 * @returns {Promise<any>}
 */
export async function readJson(file) {
  try {
    return JSON.parse(await fs.readFile(file, 'utf8'));
  } catch {
    return null;
  }
}

/**
 * Writes a file so that a reader sees the old contents or the new, never a part, also after a kill.
 * @param {string} file
 * @param {string | Buffer} data
 */
export async function writeAtomic(file, data) {
  await fs.mkdir(path.dirname(file), { recursive: true });
  const temporary = temporaryName(file);
  await fs.writeFile(temporary, data);
  await fs.rename(temporary, file);
}

/**
 * @param {string} file
 * @param {unknown} value
 */
export async function writeJson(file, value) {
  await writeAtomic(file, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * Copies a file under a temporary name, then renames. A running process keeps the old file: on Windows a loaded
 * library cannot be replaced but can be renamed, so the old one is moved aside there.
 * @param {string} from
 * @param {string} to
 */
export async function copyAtomic(from, to) {
  await fs.mkdir(path.dirname(to), { recursive: true });
  const temporary = temporaryName(to);
  await fs.copyFile(from, temporary);
  if (process.platform === 'win32' && (await exists(to))) {
    const old = temporaryName(to);
    await fs.rename(to, old);
    await fs.rm(old, { force: true }).catch(() => {});
  }
  await fs.rename(temporary, to);
}

/**
 * Moves a finished folder to its place. If another process put the same thing there first, theirs stays.
 * @param {string} from
 * @param {string} to
 * @param {{ replace?: boolean }} [options] replace: move an existing folder away first
 */
export async function placeFolder(from, to, { replace = false } = {}) {
  await fs.mkdir(path.dirname(to), { recursive: true });
  if (replace && (await exists(to))) {
    const old = temporaryName(to);
    await fs.rename(to, old);
    await fs.rename(from, to);
    await fs.rm(old, { recursive: true, force: true }).catch(() => {});
    return;
  }
  try {
    await fs.rename(from, to);
  } catch (error) {
    if (!(await exists(to))) throw error;
    await fs.rm(from, { recursive: true, force: true });
  }
}

/**
 * Runs work in a fresh folder beside the target (same file system, so that a rename out of it is atomic) and
 * removes the folder afterwards. Leftovers of killed runs, older than a day, go too.
 * @template T
 * @param {string} parent
 * @param {(folder: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function inTemporaryFolder(parent, work) {
  await fs.mkdir(parent, { recursive: true });
  await dropLeftovers(parent);
  const folder = await fs.mkdtemp(path.join(parent, '.tmp-'));
  try {
    return await work(folder);
  } finally {
    await fs.rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

const LEFTOVER_AGE_MS = 24 * 60 * 60 * 1000;

/** @param {string} parent */
async function dropLeftovers(parent) {
  for (const name of await fs.readdir(parent)) {
    if (!name.startsWith('.tmp-')) continue;
    const file = path.join(parent, name);
    const stat = await fs.stat(file).catch(() => null);
    if (stat && Date.now() - stat.mtimeMs > LEFTOVER_AGE_MS) {
      await fs.rm(file, { recursive: true, force: true }).catch(() => {});
    }
  }
}

/** @param {string} file */
export function temporaryName(file) {
  return path.join(path.dirname(file), `.tmp-${path.basename(file)}-${randomUUID().slice(0, 8)}`);
}
