/** Whether a disk has room, asked before the first byte comes. */
import { statfs } from 'node:fs/promises';

/** A disk without any room is a trouble for everything else on it: this share of it stays free, up to so many bytes. */
const RESERVE = { share: 0.01, most: 1024 ** 3 };

/** The message is a sentence for people. */
export class NoSpaceError extends Error {
  override readonly name = 'NoSpaceError';
}

/**
 * @param missing Bytes that are still to come.
 * @throws NoSpaceError. A disk that does not say what it has free is taken to have enough.
 */
export async function checkSpace(folder: string, missing: number): Promise<void> {
  const found = await statfs(folder).catch(() => null);
  if (found === null || found.blocks === 0 || missing === 0) return;
  const free = found.bavail * found.bsize;
  const reserve = Math.min(RESERVE.most, found.blocks * found.bsize * RESERVE.share);
  if (free >= missing + reserve) return;
  throw new NoSpaceError(
    `There is not enough room on the disk of ${folder}: ${gigabytes(missing + reserve)} are needed, ${gigabytes(free)} are free.`,
  );
}

/** Such as "4.2 GB", or in MB where it is less than one. */
function gigabytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
