/** A backup of all that is the person's: the database, settings and attachments in one archive, without secrets. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, link, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import type { BackupManifest } from '../../protocol/transfer.js';
import type { Database } from '../store/database.js';
import { MIGRATIONS } from '../store/migrations.js';
import { outputOf } from './archive.js';

export const MANIFEST = 'manifest.json';
export const DATABASE_COPY = 'pilotlight.sqlite';

/** Beside the database; models, logs, keys and secrets stay out. */
const FILES = ['settings.json', 'mcp.json'] as const;
const FOLDERS = ['attachments'] as const;

export interface BackupParts {
  dataDir: string;
  database: Database;
  /** Pilotlight's. */
  version: string;
}

/**
 * Writes it whole or not at all; what is written meanwhile is either in it or not, never half.
 * @param target Path of a file that is not there yet.
 * @throws StorageError, or the file system's error.
 */
export async function writeBackup(parts: BackupParts, target: string, now: number): Promise<void> {
  const { dataDir, database } = parts;
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(path.join(path.dirname(target), '.backup-'));
  try {
    const copy = path.join(folder, DATABASE_COPY);
    database.copyTo(copy);
    const sources = new Map<string, string | Buffer>([[DATABASE_COPY, copy]]);
    for (const name of FILES) {
      // As it is now, once: it may be written anew at any time.
      const content = await ifThere(readFile(path.join(dataDir, name)));
      if (content !== null) sources.set(name, content);
    }
    for (const name of FOLDERS) {
      await mkdir(path.join(folder, name));
      for (const file of await filesOf(path.join(dataDir, name))) {
        const held = path.join(folder, name, file);
        if (await hold(path.join(dataDir, name, file), held)) sources.set(`${name}/${file}`, held);
      }
    }
    const archive = path.join(folder, 'archive');
    await writeArchive(parts, sources, archive, now);
    await rename(archive, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeArchive(
  { version }: BackupParts,
  sources: ReadonlyMap<string, string | Buffer>,
  archive: string,
  now: number,
): Promise<void> {
  const zip = new yazl.ZipFile();
  const output = outputOf(zip);
  const files: BackupManifest['files'] = {};
  const at = { mtime: new Date(now) };
  for (const [name, source] of sources) {
    files[name] = await digestOf(source);
    if (typeof source === 'string') zip.addFile(source, name, at);
    else zip.addBuffer(source, name, { ...at, mode: 0o600 });
  }
  const manifest: BackupManifest = {
    ...{ format: 'pilotlight.backup', version: 1, program: version },
    ...{ schema: MIGRATIONS.length, created_at: now, files },
  };
  zip.addBuffer(Buffer.from(JSON.stringify(manifest, null, 2)), MANIFEST, at);
  zip.end();
  await pipeline(output, createWriteStream(archive, { flags: 'wx', mode: 0o600 }));
}

export async function digestOf(
  source: string | Buffer,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  const chunks = typeof source === 'string' ? createReadStream(source) : [source];
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Keeps a file that may be erased meanwhile; what has its name is never another. @returns false where it is gone. */
async function hold(file: string, held: string): Promise<boolean> {
  const kept = link(file, held).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw error;
    // Some file systems have no links.
    return copyFile(file, held);
  });
  return (await ifThere(kept.then(() => true))) ?? false;
}

/** null where there is no such file. */
async function ifThere<T>(content: Promise<T>): Promise<T | null> {
  try {
    return await content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Plain files with plain names; none where there is no such folder. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
