import type { DownloadFolder, DownloadRecord } from './record.js';

/**
 * Before a download begins: what has come of the same bytes is gone on with; the rest is of no use.
 * @returns whether there was anything.
 */
export async function keepParts(folder: DownloadFolder, record: DownloadRecord): Promise<boolean> {
  const before = await folder.read();
  for (const [i, file] of record.files.entries()) {
    const old = before?.files[i];
    const isSame =
      old !== undefined &&
      old.path === file.path &&
      old.size === file.size &&
      old.sha256 === file.sha256 &&
      (file.sha256 !== null || before?.revision === record.revision);
    if (isSame) file.origin = old.origin;
    else await folder.forget(i);
  }
  const extra = (before?.files.length ?? 0) - record.files.length;
  for (let i = 0; i < extra; i++) await folder.forget(record.files.length + i);
  return before !== null;
}
