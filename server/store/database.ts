/**
 * What is kept in a database: pilotlight.sqlite in the data folder. Nothing here can stop the server: a damaged file is
 * kept aside and told of; where the file cannot be used, a database in memory takes its place until the server stops.
 */
import { chmodSync, closeSync, existsSync, openSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { ensureFolder } from './folder.js';
import { MIGRATIONS } from './migrations.js';

export type Connection = InstanceType<typeof DatabaseSync>;

/** What begins a transaction: one that only reads does not wait for others, and needs no room. */
type Begin = 'BEGIN' | 'BEGIN IMMEDIATE';

/**
 * Milliseconds to wait for another process, such as a second server on the same folder, to finish its write. Those take
 * some tens; everything else in this process waits too.
 */
const BUSY_MS = 500;

/** SQLite's primary result codes that say that the file is no whole database. */
const DAMAGED = [11 /* SQLITE_CORRUPT */, 26 /* SQLITE_NOTADB */];

/** Why nothing was changed. `message` is in SQLite's words, such as "database or disk is full". */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

export function databaseFileOf(dataDir: string): string {
  return path.join(dataDir, 'pilotlight.sqlite');
}

export class Database {
  private readonly sentences = new Map<'open' | 'damaged' | 'removed' | 'write', string>();
  private connection: Connection;
  /** The file's number in its file system; null: the database is in memory. */
  private inode: bigint | null = null;
  /** How often. */
  private opened = 0;

  /** Never throws. */
  constructor(
    dataDir: string,
    /** The notices may have changed. */
    private readonly onChange: () => void = () => {},
  ) {
    this.file = databaseFileOf(dataDir);
    this.connection = this.open();
  }

  private readonly file: string;

  /** Sentences for people about what cannot be kept. */
  notices(): string[] {
    return [...this.sentences.values()];
  }

  /**
   * Runs `work` at once, in one transaction that only reads, so that it also runs where nothing can be written. Where
   * the file turns out to be damaged it is kept aside, and `work` runs again on a new one.
   * @throws the error of SQLite or of `work`.
   */
  read<T>(work: (connection: Connection) => T): T {
    return this.run('BEGIN', work);
  }

  /**
   * The same with writing; where it throws, nothing has changed.
   * @throws StorageError where SQLite fails; else the error of `work`.
   */
  write<T>(work: (connection: Connection) => T): T {
    try {
      return this.run('BEGIN IMMEDIATE', work);
    } catch (error) {
      if (resultCode(error) === null) throw error;
      throw new StorageError(reasonOf(error), { cause: error });
    }
  }

  /**
   * As `write`, for what may be lost: a full disk, say, must not take the answer with it.
   * @param what Of which the notice says that it cannot be kept, such as "Responses".
   * @returns false where it could not be written; a notice then says why.
   */
  tryWrite(what: string, work: (connection: Connection) => void): boolean {
    const before = this.sentences.get('write');
    try {
      this.write(work);
      this.sentences.delete('write');
    } catch (error) {
      this.sentences.set('write', `${what} cannot be kept in ${this.file}: ${reasonOf(error)}.`);
    }
    if (this.sentences.get('write') !== before) this.onChange();
    return !this.sentences.has('write');
  }

  /**
   * Writes a copy of all of it, as of one moment, to a file that is not there yet.
   * @throws StorageError
   */
  copyTo(file: string): void {
    this.followFile();
    try {
      this.connection.prepare('VACUUM INTO ?').run(file);
    } catch (error) {
      throw new StorageError(reasonOf(error), { cause: error });
    }
  }

  /** Whether it lasts until Pilotlight stops only, and nobody else sees it. */
  get isInMemory(): boolean {
    return this.inode === null;
  }

  /** Another one whenever somebody else may have written: another process, or whoever has replaced the file. */
  foreignStamp(): string {
    const row = this.read((connection) => connection.prepare('PRAGMA data_version').get());
    const { data_version: version } = row as { data_version: number };
    return `${this.opened}.${version}`;
  }

  /**
   * Empties the file beside the database to which all is written first, and in which deleted text would stay for a
   * while. Where another process reads meanwhile, it stays until a later time.
   */
  emptyLog(): void {
    try {
      this.connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // What was deleted is deleted; whoever writes next tells why nothing can be written.
    }
  }

  close(): void {
    if (this.connection.isOpen) this.connection.close();
  }

  private run<T>(begin: Begin, work: (connection: Connection) => T): T {
    this.followFile();
    try {
      return transaction(this.connection, begin, work);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.connection.close();
      this.keepAside();
      this.connection = this.open();
      this.onChange();
      return transaction(this.connection, begin, work);
    }
  }

  /** What is written to a file that has been removed would be lost: a new one is begun, or the one taken that is there now. */
  private followFile(): void {
    if (this.inode === null || isStill(this.inode, this.file)) return;
    this.connection.close();
    this.sentences.set(
      'removed',
      `The database ${this.file} has been removed or replaced, so what was kept in it is gone.`,
    );
    this.connection = this.open();
    this.onChange();
  }

  private open(): Connection {
    this.opened++;
    this.inode = null;
    try {
      return this.openFile();
    } catch (error) {
      if (isDamage(error) && this.keepAside()) {
        try {
          return this.openFile();
        } catch (again) {
          this.tellUnusable(again);
        }
      } else {
        this.tellUnusable(error);
      }
    }
    const connection = new DatabaseSync(':memory:');
    prepare(connection);
    return connection;
  }

  private openFile(): Connection {
    ensureFolder(path.dirname(this.file));
    // Conversations are for their person's eyes only; the files beside it get the same rights from SQLite.
    closeSync(openSync(this.file, 'a', 0o600));
    chmodSync(this.file, 0o600);
    const connection = new DatabaseSync(this.file, { timeout: BUSY_MS });
    try {
      prepare(connection);
      connection.exec('PRAGMA journal_mode = WAL');
      // What was written last may be lost with the power, but never the file.
      connection.exec('PRAGMA synchronous = NORMAL');
      this.inode = inodeOf(this.file);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** @returns false where it could not be moved. */
  private keepAside(): boolean {
    const stamp = new Date().toISOString().replace(/[:.]/g, '-');
    const aside = this.file.replace(/\.sqlite$/, `.damaged-${stamp}.sqlite`);
    try {
      for (const suffix of ['', '-wal', '-shm']) {
        if (existsSync(this.file + suffix)) renameSync(this.file + suffix, aside + suffix);
      }
    } catch {
      return false;
    }
    this.sentences.set(
      'damaged',
      `The database was damaged, so a new one has been begun. The damaged file is kept as ${aside}.`,
    );
    return true;
  }

  private tellUnusable(error: unknown): void {
    this.sentences.set(
      'open',
      `The database ${this.file} cannot be used (${reasonOf(error)}), so chats, responses and receipts are kept until Pilotlight stops only.`,
    );
  }
}

function inodeOf(file: string): bigint | null {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}

/** True also where nobody can tell. */
function isStill(inode: bigint, file: string): boolean {
  try {
    return inodeOf(file) === inode;
  } catch {
    return true;
  }
}

function prepare(connection: Connection): void {
  connection.exec('PRAGMA foreign_keys = ON');
  // What is deleted is overwritten: people delete what nobody shall read.
  connection.exec('PRAGMA secure_delete = ON');
  migrate(connection);
}

/** Brings it to the newest version, one step after the other; all or none are taken. */
function migrate(connection: Connection): void {
  transaction(connection, 'BEGIN IMMEDIATE', () => {
    const { user_version: version } = connection.prepare('PRAGMA user_version').get() as {
      user_version: number;
    };
    if (version > MIGRATIONS.length) throw new Error('a newer version of Pilotlight has made it');
    if (version === MIGRATIONS.length) return;
    for (const step of MIGRATIONS.slice(version)) connection.exec(step);
    connection.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}

function transaction<T>(
  connection: Connection,
  begin: Begin,
  work: (connection: Connection) => T,
): T {
  connection.exec(begin);
  try {
    const result = work(connection);
    connection.exec('COMMIT');
    return result;
  } catch (error) {
    // Some failures, such as a full disk, have rolled it back already.
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/** SQLite's, primary; null: the error is not from SQLite. */
function resultCode(error: unknown): number | null {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : null;
}

/** Whether SQLite says so of the file. */
export function isDamage(error: unknown): boolean {
  const code = resultCode(error);
  return code !== null && DAMAGED.includes(code);
}

/** In SQLite's or the system's words. */
function reasonOf(error: unknown): string {
  const { errstr, code, message } = error as { errstr?: string; code?: string; message?: string };
  return (
    errstr ?? (code?.startsWith('E') && !code.startsWith('ERR_') ? code : (message ?? 'unknown'))
  );
}
