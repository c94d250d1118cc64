/** Requests that have not ended, in the database. All of it runs within a transaction of its caller. */
import { type RequestDraft, requestDraftSchema } from '../../protocol/ledger.js';
import type { Connection } from '../store/database.js';
import { statement } from '../store/statements.js';

export interface OpenRequest {
  id: string;
  /** The lock of its server. */
  owner: string;
  /** The row that it gets where its server is gone; null: it cannot be read. */
  draft: RequestDraft | null;
}

/** Keeps what is known of it now. */
export function putOpen(connection: Connection, owner: string, draft: RequestDraft): void {
  statement(
    connection,
    'INSERT OR REPLACE INTO ledger_open (id, owner, draft) VALUES (?, ?, ?)',
  ).run(draft.id, owner, JSON.stringify(draft));
}

export function removeOpen(connection: Connection, id: string): void {
  statement(connection, 'DELETE FROM ledger_open WHERE id = ?').run(id);
}

export function isOpen(connection: Connection, id: string): boolean {
  return statement(connection, 'SELECT 1 FROM ledger_open WHERE id = ?').get(id) !== undefined;
}

/** Oldest first. */
export function openRequests(connection: Connection): OpenRequest[] {
  return statement(connection, 'SELECT id, owner, draft FROM ledger_open ORDER BY rowid')
    .all()
    .map(({ id, owner, draft }) => ({ id, owner, draft: draftOf(draft) }));
}

function draftOf(text: string): RequestDraft | null {
  try {
    return requestDraftSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
