/** Brings verified files to where they belong: each in one step, and none before all are there. */
import { copyFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ensureFolder } from '../store/folder.js';
import { DownloadFailure } from './failure.js';
import { syncFolder } from './partial-file.js';
import { type DownloadFolder, sizeOf } from './record.js';

/**
 * Those that are in their place already are passed over, so it can be done again after a crash in its middle. The first
 * file, which makes the model, comes last.
 * @param targets Of the record's files, below the models folder.
 */
export async function place(folder: DownloadFolder, targets: readonly string[]): Promise<void> {
  for (const [i, target] of [...targets.entries()].reverse()) {
    const from = folder.whole(i);
    if ((await sizeOf(from)) === null) continue;
    const to = path.join(folder.root, target);
    ensureFolder(path.dirname(to));
    try {
      await move(from, to);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EPERM' && code !== 'EACCES' && code !== 'EBUSY') throw error;
      throw new DownloadFailure(
        'in_use',
        `${to} cannot be replaced: it is in use, or protected. Unload the model, then resume.`,
      );
    }
    await syncFolder(path.dirname(to));
  }
}

/** A folder of the person's may be a link to another disk. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    const draft = path.join(path.dirname(to), `.${path.basename(to)}.partial`);
    try {
      await copyFile(from, draft);
      await rename(draft, to);
    } catch (failure) {
      await rm(draft, { force: true });
      throw failure;
    }
    await rm(from);
  }
}
