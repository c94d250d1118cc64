/** Whether a chain of rows is whole, and if not, where it breaks first. Pure. */
import type { KeyObject } from 'node:crypto';
import { type LedgerRow, ledgerRowSchema } from '../../protocol/ledger.js';
import { canonicalText, hashOf, isSigned, NO_ROW, publicKeyOf } from './row.js';
import type { StoredRow } from './table.js';

export interface Break {
  /** The place in the chain that is at fault, where a row is or should be. */
  seq: number;
  /** Of the request whose row it is, as far as can be told. */
  id: string | null;
  /** The end of a sentence that begins with the row: "has been changed …". */
  fault: string;
}

export interface ChainReport {
  rows: number;
  /** Of requests. */
  requests: number;
  /** Finished requests that rows tell to be lost. */
  lost: number;
  /** Rows that were deleted before the first one, as a checkpoint says. */
  deleted: number;
  first: LedgerRow | null;
  last: LedgerRow | null;
  /** Those that have signed, each with its first row here. */
  keys: { key: string; since: number }[];
}

/** A row that has been read, with its hash. */
interface Link {
  row: LedgerRow;
  hash: string;
}

/** Takes rows in the order of their places. Stops at the first break: what comes behind proves nothing. */
export class Chain {
  #first: Link | null = null;
  #last: Link | null = null;
  #checkpoint: Extract<LedgerRow, { kind: 'checkpoint' }> | null = null;
  #rows = 0;
  #requests = 0;
  #lost = 0;
  readonly #keys: ChainReport['keys'] = [];
  #publicKey: { text: string; key: KeyObject } | null = null;

  /** Null: it fits. */
  push(stored: StoredRow): Break | null {
    const { seq, id } = stored;
    const expected = (this.#last?.row.seq ?? seq - 1) + 1;
    if (seq !== expected) return missing(expected);
    const row = read(stored.text);
    if (row === null) return { seq, id, fault: 'is no row as Pilotlight writes them.' };
    if (!isSigned(stored.text, stored.signature, this.#keyOf(row.key))) {
      return { seq, id, fault: 'has been changed: its signature does not fit.' };
    }
    const fault = columnsFault(stored, row) ?? this.#linkFault(row);
    if (fault !== null) return { seq, id, fault };
    this.#take(row, { row, hash: hashOf(stored.text) });
    return null;
  }

  /**
   * After the last row.
   * @param lastGiven The last place that the database has given.
   */
  end(lastGiven: number): Break | null {
    const first = this.#first?.row;
    const through = this.#checkpoint?.through ?? 0;
    if (first !== undefined && first.seq !== through + 1) return missing(through + 1);
    if (first !== undefined && first.previous !== (this.#checkpoint?.hash ?? NO_ROW)) {
      const fault = 'does not follow the last row that was deleted, as the checkpoint has it.';
      return { seq: first.seq, id: idOf(first), fault };
    }
    const last = this.#last?.row.seq ?? 0;
    return last < lastGiven ? missing(last + 1) : null;
  }

  /** Instead of the next row, where the file is damaged. */
  unread(): Break {
    const fault = 'cannot be read: the database is damaged.';
    if (this.#last !== null) return { seq: this.#last.row.seq + 1, id: null, fault };
    // Those before it may have been deleted by age, which cannot be told without it.
    return { seq: 1, id: null, fault: `or the first one that is kept ${fault}` };
  }

  /** Of what was taken so far. */
  report(): ChainReport {
    return {
      rows: this.#rows,
      requests: this.#requests,
      lost: this.#lost,
      deleted: this.#checkpoint?.through ?? 0,
      first: this.#first?.row ?? null,
      last: this.#last?.row ?? null,
      keys: this.#keys,
    };
  }

  #take(row: LedgerRow, link: Link): void {
    if (this.#keys.at(-1)?.key !== row.key) this.#keys.push({ key: row.key, since: row.seq });
    this.#first ??= link;
    this.#last = link;
    this.#rows++;
    if (row.kind === 'request') this.#requests++;
    if (row.kind === 'loss') this.#lost += row.requests;
    if (row.kind === 'checkpoint') this.#checkpoint = row;
  }

  #linkFault(row: LedgerRow): string | null {
    const last = this.#last;
    if (last === null) {
      if (row.seq > 1 || row.kind === 'key') return null;
      return 'is the first one and does not name its key.';
    }
    if (row.previous !== last.hash) {
      return `does not follow row ${last.row.seq}: there was another row before it when it was signed.`;
    }
    if (row.kind === 'key') {
      return row.former === last.row.key ? null : 'names another key than the one before it.';
    }
    return row.key === last.row.key ? null : 'is signed by another key than the row before it.';
  }

  /** Most rows have the key of the one before. */
  #keyOf(text: string): KeyObject {
    if (this.#publicKey?.text !== text) this.#publicKey = { text, key: publicKeyOf(text) };
    return this.#publicKey.key;
  }
}

/** Null: it is none, or not in its one canonical form. */
export function read(text: string): LedgerRow | null {
  try {
    const row = ledgerRowSchema.parse(JSON.parse(text));
    return canonicalText(row) === text ? row : null;
  } catch {
    return null;
  }
}

function missing(seq: number): Break {
  return { seq, id: null, fault: 'is missing.' };
}

const idOf = (row: LedgerRow) => (row.kind === 'request' ? row.id : null);

/** What is kept beside a row, to find it by. */
function columnsFault(stored: StoredRow, row: LedgerRow): string | null {
  if (row.seq !== stored.seq) return `is row ${row.seq}, which does not belong here.`;
  if (stored.id !== idOf(row)) {
    return `is kept under ${stored.id ?? 'no id'}, but belongs under ${idOf(row) ?? 'no id'}.`;
  }
  if (stored.writtenAt !== row.written_at) return 'is kept under another time than its own.';
  return null;
}
