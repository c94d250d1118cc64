/**
 * Whether the process that took a name is still there: it holds an operating system's lock on a file of the name, which
 * ends with it however it ends. A process id would not do: it is given to others again. The lock is SQLite's, because
 * Node has none; nothing is ever written to the file.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';

type Connection = InstanceType<typeof DatabaseSync>;

const NAME = /^running-[0-9a-f]{24}\.lock$/;

export class ProcessLock {
  /** Unlike any other one's. */
  readonly name = `running-${randomBytes(12).toString('hex')}.lock`;
  #connection: Connection | null = null;

  constructor(private readonly folder: string) {}

  /** @throws where no file can be made; nobody knows of this process then. */
  take(): void {
    if (this.#connection !== null) return;
    const file = path.join(this.folder, this.name);
    closeSync(openSync(file, 'a', 0o600));
    this.#connection = lock(file);
  }

  release(): void {
    if (this.#connection === null) return;
    this.#connection.close();
    this.#connection = null;
    rmSync(path.join(this.folder, this.name), { force: true });
  }
}

/** Whether its process is there. What nobody can tell counts as there. */
export function isHeld(folder: string, name: string): boolean {
  const file = path.join(folder, name);
  if (!NAME.test(name) || !existsSync(file)) return false;
  try {
    lock(file).close();
    return false;
  } catch {
    return true;
  }
}

/** Removes the files of processes that are gone. Nobody may be taking a lock meanwhile. */
export function removeStale(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (NAME.test(name) && !isHeld(folder, name)) rmSync(path.join(folder, name), { force: true });
  }
}

function lock(file: string): Connection {
  const connection = new DatabaseSync(file, { timeout: 0 });
  try {
    connection.exec('PRAGMA journal_mode = MEMORY');
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
