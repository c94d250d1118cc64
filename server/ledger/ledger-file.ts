/** The ledger of a data folder, only read: also while servers write to it. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Connection } from '../store/database.js';
import { databaseFileOf, isDamage } from '../store/database.js';
import { type Break, Chain, type ChainReport } from './chain.js';
import { allRows, findRow, lastGiven, rowAt, type StoredRow } from './table.js';

/** Milliseconds to wait for a server to finish a write. */
const BUSY_MS = 5_000;

/** Why it cannot be read; the message is a sentence for people. */
export class LedgerFileError extends Error {
  override readonly name: string = 'LedgerFileError';
}

/** There is none. */
export class NoLedgerError extends LedgerFileError {
  override readonly name = 'NoLedgerError';
}

export class LedgerFile {
  private constructor(private readonly connection: Connection) {}

  /** @throws LedgerFileError */
  static open(dataDir: string): LedgerFile {
    const file = databaseFileOf(dataDir);
    const none = `There is no ledger in ${path.dirname(file)} yet.`;
    return asked(file, () => {
      if (!statSync(file, { throwIfNoEntry: false })) throw new NoLedgerError(none);
      const connection = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
      const found = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'ledger'").get();
      if (found !== undefined) return new LedgerFile(connection);
      connection.close();
      throw new NoLedgerError(none);
    });
  }

  /** Walks all of it as it is at one moment. Where the file is damaged behind some rows, those are reported. */
  check(): { report: ChainReport; found: Break | null } {
    return this.#read(() => {
      const chain = new Chain();
      let found: Break | null = null;
      try {
        for (const row of allRows(this.connection)) {
          found = chain.push(row);
          if (found !== null) break;
        }
      } catch (error) {
        if (!isDamage(error)) throw error;
        found = chain.unread();
      }
      return { report: chain.report(), found: found ?? chain.end(lastGiven(this.connection)) };
    });
  }

  find(id: string): StoredRow | null {
    return this.#read(() => findRow(this.connection, id));
  }

  at(seq: number): StoredRow | null {
    return this.#read(() => rowAt(this.connection, seq));
  }

  close(): void {
    this.connection.close();
  }

  #read<T>(work: () => T): T {
    return asked(this.connection.location() ?? '', () => {
      this.connection.exec('BEGIN');
      try {
        return work();
      } finally {
        this.connection.exec('ROLLBACK');
      }
    });
  }
}

function asked<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof LedgerFileError) throw error;
    throw new LedgerFileError(`The database ${file} cannot be read: ${(error as Error).message}.`);
  }
}
