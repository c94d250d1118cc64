/**
 * An operating system's lock on a file, which ends with its process however that ends. It is SQLite's, because Node has
 * none; nothing is ever written to the file.
 */
import { existsSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';

export interface FileLock {
  release(): void;
  /** Removes the file as well: whoever waits with the old one open does not get a lock of it. */
  remove(): void;
}

/**
 * Makes the file where it is missing.
 * @throws where another one has it, or where no file can be made.
 */
export function lockFile(file: string): FileLock {
  const connection = new DatabaseSync(file, { timeout: 0 });
  let isOpen = true;
  const release = () => {
    if (isOpen) connection.close();
    isOpen = false;
  };
  try {
    const before = statSync(file, { throwIfNoEntry: false });
    connection.exec('PRAGMA journal_mode = MEMORY');
    connection.exec('BEGIN EXCLUSIVE');
    const after = statSync(file, { throwIfNoEntry: false });
    if (before === undefined || before.ino !== after?.ino) throw new Error(`${file} was removed.`);
  } catch (error) {
    release();
    throw error;
  }
  return {
    release,
    remove: () => {
      // Windows removes no file that is open.
      if (process.platform === 'win32') release();
      rmSync(file, { force: true });
      release();
    },
  };
}

/** Whether a process has it. What nobody can tell counts as so. */
export function isLocked(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    lockFile(file).release();
    return false;
  } catch {
    return true;
  }
}
