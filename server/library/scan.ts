/**
 * Finds model files in a folder and below it. Follows links, each folder once, so that links in a circle end; passes over
 * what is hidden. Bounded, since a person may name a folder with anything in it.
 */
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileKindOf } from './names.js';

/** Folders below the one that is looked at: publishers, repositories and quantisations take three. */
export const MAX_DEPTH = 8;

/** Entries of all folders together that are looked at: some seconds on a slow disk. */
export const MAX_ENTRIES = 50_000;

export interface ScanResult {
  /** Absolute paths of model files: those of a folder before those of its subfolders, each sorted by name. */
  files: string[];
  /** Absolute paths of vision projectors. */
  projectors: string[];
  /** Files whose names are no text, and which cannot be opened by what the system tells of them. */
  unnameable: string[];
  /** The folder and its subfolders: where changes are to be watched. */
  folders: string[];
  /** Subfolders that cannot be read. */
  locked: string[];
  /** There is more than is looked at. */
  isCut: boolean;
  /** Such as "ENOENT" where the folder itself cannot be read, else null. */
  errorCode: string | null;
}

/** Never throws: what cannot be read is left out. */
export async function scanFolder(
  folder: string,
  { maxDepth = MAX_DEPTH, maxEntries = MAX_ENTRIES } = {},
): Promise<ScanResult> {
  const result: ScanResult = {
    ...{ files: [], projectors: [], unnameable: [], folders: [], locked: [] },
    ...{ isCut: false, errorCode: null },
  };
  const seen = new Set<string>();
  let left = maxEntries;
  const look = async (at: string, depth: number): Promise<void> => {
    const real = await realpath(at).catch(() => at);
    if (seen.has(real)) return;
    seen.add(real);
    let entries: Dirent[];
    try {
      entries = await readdir(at, { withFileTypes: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (depth === 0) result.errorCode = code ?? 'unknown';
      else if (code !== 'ENOENT') result.locked.push(at);
      return;
    }
    result.folders.push(at);
    if (entries.length > left) result.isCut = true;
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const looked = entries.slice(0, left);
    left -= looked.length;
    const folders: string[] = [];
    for (const entry of looked) {
      if (entry.name.startsWith('.')) continue;
      const full = path.join(at, entry.name);
      const kind = await kindOf(entry, full);
      if (kind === 'folder') folders.push(full);
      else if (kind === 'file') await take(entry.name, full);
    }
    for (const inner of folders) {
      if (depth < maxDepth) await look(inner, depth + 1);
      else result.isCut = true;
    }
  };
  const take = async (name: string, full: string): Promise<void> => {
    const kind = fileKindOf(name);
    if (kind === null) return;
    if (await isUnnameable(name, full)) result.unnameable.push(full);
    else if (kind === 'projector') result.projectors.push(full);
    else result.files.push(full);
  };
  await look(folder, 0);
  return result;
}

/** Bytes that are no UTF-8 are told as "\uFFFD", by which the file is not found. */
async function isUnnameable(name: string, full: string): Promise<boolean> {
  if (!name.includes('\uFFFD')) return false;
  return (await stat(full).catch(() => null)) === null;
}

async function kindOf(entry: Dirent, full: string): Promise<'file' | 'folder' | null> {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (!entry.isSymbolicLink()) return null;
  try {
    const target = await stat(full);
    return target.isFile() ? 'file' : target.isDirectory() ? 'folder' : null;
  } catch {
    // A link to nothing.
    return null;
  }
}
