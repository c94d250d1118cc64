/** A file on its way in: to the disk as it comes, never whole in memory. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { bodyChunks } from '../http/body-chunks.js';
import { ApiError, invalidRequest } from '../http/errors.js';
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
 * @throws ApiError 400 where it is empty, 413 where it is too big; the error of the file system or of the connection.
 */
export async function takeUpload(
  content: Readable,
  folder: string,
  limit: number,
): Promise<Upload> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, createId(PREFIX));
  const hash = createHash('sha256');
  let bytes = 0;
  const count = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      hash.update(chunk);
      done(bytes > limit ? tooBig(limit) : null, chunk);
    },
  });
  try {
    await pipeline(
      bodyChunks(content),
      count,
      createWriteStream(file, { flags: 'wx', mode: 0o600 }),
    );
    if (bytes === 0) throw invalidRequest('The file is empty.', null, 'empty_file');
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
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

function tooBig(limit: number): ApiError {
  return new ApiError(413, `The file is bigger than ${Math.floor(limit / 1024 ** 2)} MB.`, {
    code: 'file_too_big',
  });
}
