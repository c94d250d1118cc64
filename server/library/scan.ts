/** Finds model files in a folder: its own and those one level down. Follows links; passes over what is hidden. */
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isModelFileName } from './names.js';

export interface ScanResult {
  /** Absolute paths of model files, the folder's own first, each part sorted. */
  files: string[];
  /** The folder and its subfolders: where changes are to be watched. */
  folders: string[];
  /** Such as "ENOENT" where the folder itself cannot be read, else null. */
  errorCode: string | null;
}

/** Never throws: what cannot be read is left out. */
export async function scanFolder(folder: string): Promise<ScanResult> {
  const top = await list(folder);
  if ('code' in top) return { files: [], folders: [], errorCode: top.code };
  const files = top.files;
  const folders = [folder];
  for (const subfolder of top.folders) {
    const inner = await list(subfolder);
    if ('code' in inner) continue;
    folders.push(subfolder);
    files.push(...inner.files);
  }
  return { files, folders, errorCode: null };
}

async function list(
  folder: string,
): Promise<{ files: string[]; folders: string[] } | { code: string }> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? 'unknown' };
  }
  const files: string[] = [];
  const folders: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue;
    const full = path.join(folder, entry.name);
    const kind = await kindOf(entry, full);
    if (kind === 'folder') folders.push(full);
    else if (kind === 'file' && isModelFileName(entry.name)) files.push(full);
  }
  return { files, folders };
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
