/** A file on its way in. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { bodyToFile } from '../http/body-to-file.js';
import { createId } from '../http/ids.js';

/** What lies here longer is of a server that was killed, in milliseconds: one that is coming in is written to. */
const LEFT_MS = 10 * 60 * 1000;

const PREFIX = 'attachment_';

export interface Upload {
  path: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
}

/**
 * Whoever calls moves the file away, or removes it.
 * @throws as bodyToFile
 */
export async function takeUpload(
  content: Readable,
  folder: string,
  limit: number,
): Promise<Upload> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, createId(PREFIX));
  const hash = createHash('sha256');
  const bytes = await bodyToFile(content, file, limit, (chunk) => hash.update(chunk));
  return { path: file, bytes, sha256: hash.digest('hex') };
}

/** Removes what a server that was killed has left. */
export async function clearUploads(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(PREFIX)) continue;
    const file = path.join(folder, name);
    const found = await stat(file).catch(() => null);
    if (found !== null && now - found.mtimeMs > LEFT_MS) await rm(file, { force: true });
  }
}
