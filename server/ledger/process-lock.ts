/**
 * Whether the process that took a name is still there: it holds a lock on a file of the name. A process id would not do:
 * it is given to others again.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type FileLock, isLocked, lockFile } from '../store/file-lock.js';

const NAME = /^running-[0-9a-f]{24}\.lock$/;

export class ProcessLock {
  /** Unlike any other one's. */
  readonly name = `running-${randomBytes(12).toString('hex')}.lock`;
  #lock: FileLock | null = null;

  constructor(private readonly folder: string) {}

  /** @throws where no file can be made; nobody knows of this process then. */
  take(): void {
    if (this.#lock !== null) return;
    const file = path.join(this.folder, this.name);
    closeSync(openSync(file, 'a', 0o600));
    this.#lock = lockFile(file);
  }

  release(): void {
    if (this.#lock === null) return;
    this.#lock.release();
    this.#lock = null;
    rmSync(path.join(this.folder, this.name), { force: true });
  }
}

/** Whether its process is there. What nobody can tell counts as there. */
export function isHeld(folder: string, name: string): boolean {
  return NAME.test(name) && isLocked(path.join(folder, name));
}

/** Removes the files of processes that are gone. Nobody may be taking a lock meanwhile. */
export function removeStale(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (NAME.test(name) && !isHeld(folder, name)) rmSync(path.join(folder, name), { force: true });
  }
}
