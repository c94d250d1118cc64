/** A row of a request with all that is needed to verify it alone. Pure. */
import { type Receipt, requestRowSchema } from '../../protocol/ledger.js';
import { canonicalText, hashOf, isSigned, publicKeyOf } from './row.js';
import type { StoredRow } from './table.js';

/** @throws where the row in the database is none of ours. */
export function receiptOf({ text, signature }: Pick<StoredRow, 'text' | 'signature'>): Receipt {
  const row = requestRowSchema.parse(JSON.parse(text));
  return {
    object: 'receipt',
    id: row.id,
    row,
    hash: hashOf(text),
    signature: Buffer.from(signature).toString('base64'),
    public_key: pemOf(row.key),
  };
}

/** What is wrong with it, as the end of a sentence that begins with the receipt; null: nothing. */
export function receiptFault({ id, row, hash, signature, public_key }: Receipt): string | null {
  const text = canonicalText(row);
  if (!isSigned(text, Buffer.from(signature, 'base64'), publicKeyOf(row.key))) {
    return 'has been changed: its signature does not fit.';
  }
  if (hash !== hashOf(text)) return 'has another hash than its row.';
  if (id !== row.id) return `is of another request, ${row.id}.`;
  if (public_key.trim() !== pemOf(row.key).trim()) return 'names another key than its row.';
  return null;
}

function pemOf(key: string): string {
  return publicKeyOf(key).export({ format: 'pem', type: 'spki' }).toString();
}
