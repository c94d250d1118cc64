/** The chain in the database. All of it runs within a transaction of its caller. */
import { z } from 'zod';
import { type LedgerDraft, requestRowSchema } from '../../protocol/ledger.js';
import type { Connection } from '../store/database.js';
import { hashOf, NO_ROW, rowText } from './row.js';
import type { SigningKey } from './signing-key.js';

/** As it is kept. */
export interface StoredRow {
  seq: number;
  /** Of its receipt; null: no request's. */
  id: string | null;
  writtenAt: number;
  /** Bytes of all rows to the end of this one. */
  endOffset: number;
  text: string;
  signature: Uint8Array;
}

/** Read of a row that may have been tampered with. */
const keySchema = z.object({ key: requestRowSchema.shape.key });

function statementsOf(connection: Connection) {
  return {
    last: connection.prepare('SELECT seq, end_offset, row FROM ledger ORDER BY seq DESC LIMIT 1'),
    find: connection.prepare(
      'SELECT seq, id, written_at, end_offset, row, signature FROM ledger WHERE id = ?',
    ),
    insert: connection.prepare(
      'INSERT INTO ledger (seq, id, written_at, end_offset, row, signature) VALUES (?, ?, ?, ?, ?, ?)',
    ),
  };
}

/** Compiled once for each connection: the database opens another one where its file is damaged or removed. */
const prepared = new WeakMap<Connection, ReturnType<typeof statementsOf>>();

function statements(connection: Connection) {
  const known = prepared.get(connection) ?? statementsOf(connection);
  prepared.set(connection, known);
  return known;
}

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
  const last = statements(connection).last.get();
  const former = last === undefined ? null : keyOfRow(last.row);
  if (former === key.text) {
    append(connection, draft, key, now, last);
    return;
  }
  append(connection, { kind: 'key', former }, key, now, last);
  append(connection, draft, key, now, statements(connection).last.get());
}

export function findRow(connection: Connection, id: string): StoredRow | null {
  const found = statements(connection).find.get(id);
  return found === undefined ? null : storedRow(found);
}

export function storedRow(found: Record<string, unknown>): StoredRow {
  return {
    seq: found.seq as number,
    id: found.id as string | null,
    writtenAt: found.written_at as number,
    endOffset: found.end_offset as number,
    text: found.row as string,
    signature: found.signature as Uint8Array,
  };
}

function append(
  connection: Connection,
  draft: LedgerDraft,
  key: SigningKey,
  now: number,
  last: { seq: number; end_offset: number; row: string } | undefined,
): void {
  const seq = (last?.seq ?? 0) + 1;
  const previous = last === undefined ? NO_ROW : hashOf(last.row);
  const text = rowText(draft, { seq, previous, key: key.text, writtenAt: now });
  const bytes = Buffer.from(text, 'utf8');
  const id = draft.kind === 'request' ? draft.id : null;
  const end = (last?.end_offset ?? 0) + bytes.length;
  statements(connection).insert.run(seq, id, now, end, text, key.sign(bytes));
}

function keyOfRow(text: string): string | null {
  try {
    return keySchema.parse(JSON.parse(text)).key;
  } catch {
    return null;
  }
}
