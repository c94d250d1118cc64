/** The rows of a data folder, for tests: as they are in the database, beside its server or after it. */
import { setImmediate as turn } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { type LedgerRow, ledgerRowSchema } from '../../protocol/ledger.js';
import { databaseFileOf } from '../store/database.js';
import type { Break } from './chain.js';
import { LedgerFile } from './ledger-file.js';

export type Row = Extract<LedgerRow, { kind: 'request' }>;

function query<T>(dataDir: string, work: (connection: InstanceType<typeof DatabaseSync>) => T): T {
  const connection = new DatabaseSync(databaseFileOf(dataDir), { readOnly: true, timeout: 5_000 });
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

/** In order. */
export function rowsOf(dataDir: string): LedgerRow[] {
  return query(dataDir, (connection) =>
    connection
      .prepare('SELECT row FROM ledger ORDER BY seq')
      .all()
      .map(({ row }) => ledgerRowSchema.parse(JSON.parse(row))),
  );
}

export function requestRows(dataDir: string): Row[] {
  return rowsOf(dataDir).filter((row) => row.kind === 'request');
}

/** Of requests that have not ended, by the lock of their server. */
export function openIds(dataDir: string): { id: string; owner: string }[] {
  return query(dataDir, (connection) =>
    connection.prepare('SELECT id, owner FROM ledger_open').all(),
  );
}

/** All requests' rows, once none is open any more and there are as many. */
export async function settledRows(dataDir: string, count: number): Promise<Row[]> {
  for (;;) {
    if (openIds(dataDir).length === 0) {
      const rows = requestRows(dataDir);
      if (rows.length >= count) return rows;
    }
    await turn();
  }
}

/** Null: the chain is whole. */
export function breakIn(dataDir: string): Break | null {
  const ledger = LedgerFile.open(dataDir);
  try {
    return ledger.check().found;
  } finally {
    ledger.close();
  }
}
