/** The chain in the database. All of it runs within a transaction of its caller. */
import { z } from 'zod';
import { type LedgerDraft, requestRowSchema } from '../../protocol/ledger.js';
import type { Connection } from '../store/database.js';
import { statement } from '../store/statements.js';
import { hashOf, NO_ROW, rowText } from './row.js';
import type { SigningKey } from './signing-key.js';

/** As it is kept. */
export interface StoredRow {
  seq: number;
  /** Of its receipt; null: no request's. */
  id: string | null;
  writtenAt: number;
  text: string;
  signature: Uint8Array;
}

/** Read of a row that may have been tampered with. */
const keySchema = z.object({ key: requestRowSchema.shape.key });

const COLUMNS = 'seq, id, written_at, row, signature';
const LAST = 'SELECT row FROM ledger ORDER BY seq DESC LIMIT 1';

/**
 * Puts a row at the end of the chain, whoever wrote the last one. Another key than its one is told by a row first.
 * @param now Milliseconds since 1970.
 */
export function appendRow(
  connection: Connection,
  draft: LedgerDraft,
  key: SigningKey,
  now: number,
): void {
  const last = textOf(statement(connection, LAST).get());
  const former = last === null ? null : keyOfRow(last);
  if (former === key.text) {
    append(connection, draft, key, now, last);
    return;
  }
  append(connection, { kind: 'key', former }, key, now, last);
  append(connection, draft, key, now, textOf(statement(connection, LAST).get()));
}

/** The key of the last row; null: there is none, or it cannot be read. */
export function lastKey(connection: Connection): string | null {
  const last = textOf(statement(connection, LAST).get());
  return last === null ? null : keyOfRow(last);
}

export function findRow(connection: Connection, id: string): StoredRow | null {
  const found = statement(connection, `SELECT ${COLUMNS} FROM ledger WHERE id = ?`).get(id);
  return found === undefined ? null : storedRow(found);
}

export function rowAt(connection: Connection, seq: number): StoredRow | null {
  const found = statement(connection, `SELECT ${COLUMNS} FROM ledger WHERE seq = ?`).get(seq);
  return found === undefined ? null : storedRow(found);
}

/** In order, one at a time. */
export function* allRows(connection: Connection): Generator<StoredRow> {
  const rows = connection.prepare(`SELECT ${COLUMNS} FROM ledger ORDER BY seq`).iterate();
  for (const row of rows) yield storedRow(row);
}

/** The last place that was ever given; 0: none. */
export function lastGiven(connection: Connection): number {
  const sql = "SELECT seq FROM sqlite_sequence WHERE name = 'ledger'";
  return statement(connection, sql).get()?.seq ?? 0;
}

function storedRow(found: Record<string, unknown>): StoredRow {
  return {
    seq: found.seq as number,
    id: found.id as string | null,
    writtenAt: found.written_at as number,
    text: found.row as string,
    signature: found.signature as Uint8Array,
  };
}

/** @param last The row before; null: there is none. */
function append(
  connection: Connection,
  draft: LedgerDraft,
  key: SigningKey,
  now: number,
  last: string | null,
): void {
  const seq = lastGiven(connection) + 1;
  const previous = last === null ? NO_ROW : hashOf(last);
  const text = rowText(draft, { seq, previous, key: key.text, writtenAt: now });
  const id = draft.kind === 'request' ? draft.id : null;
  statement(connection, `INSERT INTO ledger (${COLUMNS}) VALUES (?, ?, ?, ?, ?)`).run(
    ...[seq, id, now, text, key.sign(Buffer.from(text))],
  );
}

const textOf = (found: { row: string } | undefined): string | null => found?.row ?? null;

function keyOfRow(text: string): string | null {
  try {
    return keySchema.parse(JSON.parse(text)).key;
  } catch {
    return null;
  }
}
