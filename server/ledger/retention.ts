/** How long rows are kept. The oldest go first, behind a signed row that says so, and the rest stays verifiable. */
import type { Connection } from '../store/database.js';
import { statement } from '../store/statements.js';
import { hashOf } from './row.js';
import type { SigningKey } from './signing-key.js';
import { appendRow } from './table.js';

export interface LedgerRetention {
  /** Milliseconds since a row was written. */
  ageMs: number;
  /** A row takes about a kilobyte. */
  rows: number;
}

/** A gigabyte; a request a minute takes two years to it. */
const MOST_ROWS = 1_000_000;

/** Deleted in one transaction: some ten milliseconds. */
const MOST = 1_000;

/** As long as fewer are due and none of them for a day, they stay: each deletion costs a row. */
const LEAST = 100;
const DAY_MS = 24 * 60 * 60 * 1000;

/** @param days How long each row is kept, unless there are too many. */
export function ledgerRetention(days: number): LedgerRetention {
  return { ageMs: days * DAY_MS, rows: MOST_ROWS };
}

/**
 * Deletes rows that are due, if it is worth it, within a transaction of its caller.
 * @param now Milliseconds since 1970.
 * @returns whether more are due.
 */
export function prune(
  connection: Connection,
  retention: LedgerRetention,
  key: SigningKey,
  now: number,
): boolean {
  const bounds = statement(
    connection,
    'SELECT min(seq) AS first, max(seq) AS last FROM ledger',
  ).get();
  if (bounds.first === null) return false;
  const due = Math.max(
    firstSince(connection, now - retention.ageMs, bounds.last) - 1,
    bounds.last - retention.rows,
  );
  const count = due - bounds.first + 1;
  if (count <= 0) return false;
  const isLate = firstSince(connection, now - retention.ageMs - DAY_MS, bounds.last) > bounds.first;
  if (count < LEAST && !isLate) return false;
  const last = statement(
    connection,
    'SELECT seq, row FROM ledger WHERE seq <= ? ORDER BY seq DESC LIMIT 1',
  ).get(Math.min(due, bounds.first + MOST - 1));
  const hash = hashOf(last.row);
  appendRow(connection, { kind: 'checkpoint', through: last.seq, hash }, key, now);
  statement(connection, 'DELETE FROM ledger WHERE seq <= ?').run(last.seq);
  return last.seq < due;
}

/** The first row that was written then or later; one behind the last where there is none. */
function firstSince(connection: Connection, time: number, last: number): number {
  const sql = 'SELECT seq FROM ledger WHERE written_at >= ? ORDER BY seq LIMIT 1';
  return statement(connection, sql).get(time)?.seq ?? last + 1;
}
