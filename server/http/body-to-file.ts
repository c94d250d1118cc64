/** A body on its way to the disk as it comes, never whole in memory. */
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { bodyChunks } from './body-chunks.js';
import { ApiError, invalidRequest } from './errors.js';

/**
 * Writes the body into a new file that only this person can read, which is gone where that fails.
 * @param limit Bytes.
 * @param onChunk Sees every byte, in order.
 * @returns its bytes, at least one.
 * @throws ApiError 400 where it is empty, 413 where it is too big; the error of the file system or of the connection.
 */
export async function bodyToFile(
  content: Readable,
  file: string,
  limit: number,
  onChunk: (chunk: Buffer) => void = () => {},
): Promise<number> {
  let bytes = 0;
  const count = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      onChunk(chunk);
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
  return bytes;
}

function tooBig(limit: number): ApiError {
  const mebibytes = Math.floor(limit / 1024 ** 2);
  const size = mebibytes < 1024 ? `${mebibytes} MB` : `${Math.round(mebibytes / 1024)} GiB`;
  return new ApiError(413, `The file is bigger than ${size}.`, { code: 'file_too_big' });
}
