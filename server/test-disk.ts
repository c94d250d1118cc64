/** A small disk that can be full, for tests. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Enough for the small model, a log and an empty database. */
const DISK_MB = 4;

export interface Disk {
  folder: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Makes room again. */
  clear(): void;
  /** From now on it can only be read. */
  protect(): void;
  remove(): void;
}

/** A small disk of its own; null where the system lets nobody mount one, such as all but root on Linux. */
export function mountDisk(): Disk | null {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilotlight-disk-'));
  const options = ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder];
  if (process.platform !== 'linux' || spawnSync('mount', options).status !== 0) {
    rmdirSync(folder);
    return null;
  }
  const filler = path.join(folder, 'filler');
  return {
    folder,
    fill: () => {
      const file = openSync(filler, 'w');
      const page = Buffer.alloc(4096);
      try {
        for (let i = 0; i <= DISK_MB * 256; i++) writeSync(file, page);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    clear: () => rmSync(filler),
    protect: () => {
      const { status } = spawnSync('mount', ['-o', 'remount,ro', folder]);
      if (status !== 0) throw new Error(`${folder} cannot be mounted for reading only`);
    },
    remove: () => {
      // Lazily: the server's log is open until its process, this one, ends.
      spawnSync('umount', ['-l', folder]);
      rmdirSync(folder);
    },
  };
}
