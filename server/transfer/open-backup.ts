/** A backup that somebody has brought: unpacked into a folder and checked, file by file, before anything else is done. */
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type yauzl from 'yauzl';
import { type BackupManifest, backupManifestSchema } from '../../protocol/transfer.js';
import { checkSpace, NoSpaceError } from '../disk-space.js';
import { MIGRATIONS } from '../store/migrations.js';
import { entriesOf, openZip, UnreadableFileError } from './archive.js';
import { DATABASE_COPY, digestOf, MANIFEST } from './backup.js';

/** Names that a backup may have; nothing else is unpacked. */
const NAME =
  /^(?:manifest\.json|pilotlight\.sqlite|settings\.json|mcp\.json|attachments\/\w[\w.-]{0,199})$/;

export interface OpenBackup {
  folder: string;
  manifest: BackupManifest;
}

/**
 * @param folder Is made, and left empty where the backup is none.
 * @throws UnreadableFileError; NoSpaceError where the disk has no room for all of it.
 */
export async function unpackBackup(file: string, folder: string): Promise<OpenBackup> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = await unpack(file, folder);
    if (!names.has(MANIFEST) || !names.has(DATABASE_COPY)) {
      throw new UnreadableFileError('This is no backup of Pilotlight.');
    }
    const manifest = await readManifest(path.join(folder, MANIFEST));
    for (const [name, wanted] of Object.entries(manifest.files)) {
      if (!names.has(name)) throw damaged(`${name} is missing`);
      const { bytes, sha256 } = await digestOf(path.join(folder, name));
      if (bytes !== wanted.bytes || sha256 !== wanted.sha256) throw damaged(`${name} has changed`);
    }
    return { folder, manifest };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function unpack(file: string, folder: string): Promise<Set<string>> {
  const zip = await openZip(file);
  try {
    const entries = await knownEntries(zip);
    // What an entry says of its size holds: reading it ends where it is longer.
    const bytes = [...entries.values()].reduce((sum, entry) => sum + entry.uncompressedSize, 0);
    await checkSpace(folder, bytes);
    for (const [name, entry] of entries) {
      const target = path.join(folder, name);
      await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
      const content = await promisify(zip.openReadStream.bind(zip))(entry);
      await pipeline(content, createWriteStream(target, { flags: 'wx', mode: 0o600 }));
    }
    return new Set(entries.keys());
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The disk's trouble is not the archive's.
    if (code !== undefined || error instanceof NoSpaceError) throw error;
    throw damaged(message.replace(/\.$/, ''));
  } finally {
    zip.close();
  }
}

/** By name; the first of each. */
async function knownEntries(zip: yauzl.ZipFile): Promise<Map<string, yauzl.Entry>> {
  const entries = new Map<string, yauzl.Entry>();
  for await (const entry of entriesOf(zip)) {
    const { fileName } = entry;
    if (!NAME.test(fileName) || fileName.includes('..') || entries.has(fileName)) continue;
    entries.set(fileName, entry);
  }
  return entries;
}

async function readManifest(file: string): Promise<BackupManifest> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch {
    throw damaged('its list of files cannot be read');
  }
  const { version, schema } = (value ?? {}) as { version?: unknown; schema?: unknown };
  const isNewer = typeof version === 'number' && version > 1;
  if (isNewer || (typeof schema === 'number' && schema > MIGRATIONS.length)) {
    throw new UnreadableFileError(
      'A newer version of Pilotlight has made this backup: update Pilotlight to restore it.',
    );
  }
  const parsed = backupManifestSchema.safeParse(value);
  if (!parsed.success) throw damaged('its list of files is not as it should be');
  return parsed.data;
}

export function damaged(why: string): UnreadableFileError {
  return new UnreadableFileError(`This backup is damaged: ${why}. Nothing has been changed.`);
}
