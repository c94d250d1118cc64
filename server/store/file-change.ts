/**
 * Changes of small files that several processes read, and more than one may write: whole or not at all, one at a time,
 * and readable by their owner only.
 */
import { statSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ensureFolder } from './folder.js';

/** Why a file could not be changed; the message is a sentence for people. */
export class FileChangeError extends Error {
  override readonly name = 'FileChangeError';
}

/** How long another change of the file is waited for, and how often it is looked for, in milliseconds. */
const LOCK_WAIT_MS = 2_000;
const LOCK_LOOK_MS = 20;

/**
 * What tells one state of a file from another, cheaply; null: there is none. Every change makes a new file, so the
 * inode tells what a clock with coarse steps does not.
 */
export function fileStamp(file: string): string | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.ino}:${found.mtimeNs}:${found.ctimeNs}:${found.size}` : null;
}

/**
 * The new file takes the old one's place in one step. Until then it is the lock, so that of two changes at the same time
 * none is lost.
 * @param what What the file holds, such as "The API keys".
 * @param edit The new text, made of the file as it is while nobody else changes it; null: it stays. What it throws is
 * passed on.
 * @throws FileChangeError
 */
export async function changeFile(
  file: string,
  what: string,
  edit: () => string | null,
): Promise<void> {
  const draft = `${file}.lock`;
  const handle = await lock(draft, file, what);
  try {
    const text = edit();
    if (text !== null) {
      await orSay(file, what, async () => {
        await handle.writeFile(text);
        await handle.sync();
        await handle.close();
        await rename(draft, file);
      });
      return;
    }
  } catch (error) {
    await drop(handle, draft);
    throw error;
  }
  await drop(handle, draft);
}

async function drop(handle: FileHandle, draft: string): Promise<void> {
  await handle.close().catch(() => {});
  await rm(draft, { force: true }).catch(() => {});
}

async function lock(draft: string, file: string, what: string): Promise<FileHandle> {
  const end = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    const handle = await orSay(file, what, () => openNew(draft));
    if (handle !== null) return handle;
    if (performance.now() > end) {
      throw new FileChangeError(
        `${what} are being changed by another process. If there is none, delete ${draft}.`,
      );
    }
    await wait(LOCK_LOOK_MS);
  }
}

/** Null where it is there already. */
async function openNew(draft: string): Promise<FileHandle | null> {
  try {
    ensureFolder(path.dirname(draft));
    return await open(draft, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
    throw error;
  }
}

async function orSay<T>(file: string, what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new FileChangeError(`${what} cannot be saved to ${file} (${code ?? 'unknown'}).`);
  }
}
