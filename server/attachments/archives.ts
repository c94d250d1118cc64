/** Documents that are archives, unpacked within bounds. */
import { promisify } from 'node:util';
import { entriesOf, openZip } from '../transfer/archive.js';
import { ExtractError } from './extract-error.js';

/** Most bytes that an archive may have once it is unpacked: a book with its pictures has less. */
const UNPACKED_MAX = 256 * 1024 * 1024;

/**
 * Unpacks all of it once and keeps the entries that are wanted; what is not wanted is unpacked to nowhere, because what
 * reads the archive later believes the sizes that it tells of itself.
 * @throws ExtractError where it becomes too big, the archive's error where it is damaged.
 */
export async function unpack(
  file: string,
  wanted: (name: string) => boolean = () => false,
): Promise<Map<string, string>> {
  const zip = await openZip(file);
  const kept = new Map<string, string>();
  let unpacked = 0;
  try {
    for await (const entry of entriesOf(zip)) {
      // What it says of itself is enough to refuse it, not to trust it.
      if (unpacked + entry.uncompressedSize > UNPACKED_MAX) throw tooBig();
      const isWanted = wanted(entry.fileName);
      const chunks: Buffer[] = [];
      const content = await promisify(zip.openReadStream.bind(zip))(entry);
      for await (const chunk of content as AsyncIterable<Buffer>) {
        unpacked += chunk.length;
        if (unpacked > UNPACKED_MAX) throw tooBig();
        if (isWanted) chunks.push(chunk);
      }
      if (isWanted) kept.set(entry.fileName, Buffer.concat(chunks).toString('utf8'));
    }
  } finally {
    zip.close();
  }
  return kept;
}

function tooBig(): ExtractError {
  return new ExtractError(
    'file_too_complex',
    'This document is far bigger inside than its file is, so it is not opened.',
  );
}

/** A failure of whatever reads a document, in words. */
export function damaged(error: unknown): ExtractError {
  if (error instanceof ExtractError) return error;
  return new ExtractError(
    'unreadable_file',
    'This document is damaged, so that it cannot be read.',
    { cause: error },
  );
}
