/** Chains as the ledger writes them, for tests: in a database in memory, with a clock of their own. */
import { generateKeyPairSync } from 'node:crypto';
import { DatabaseSync } from '@photostructure/sqlite';
import type { LedgerDraft, RequestDraft } from '../../protocol/ledger.js';
import type { Connection } from '../store/database.js';
import { MIGRATIONS } from '../store/migrations.js';
import { type Break, Chain } from './chain.js';
import { keyOf, type SigningKey } from './signing-key.js';
import { allRows, appendRow, lastGiven, type StoredRow } from './table.js';

export function newKey(): SigningKey {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' });
  const key = keyOf(pem.toString());
  if (key === null) throw new Error('no key');
  return key;
}

export function requestDraft(id: string, more: Partial<RequestDraft> = {}): RequestDraft {
  return {
    ...{ kind: 'request', id, began_at: 1_000, method: 'POST', route: '/v1/chat/completions' },
    ...{ client: 'tester', model: 'm', model_file: null, outcome: 'answered' },
    ...{ finish_reason: 'eog', error_code: null, tokens: { prompt: 3, cached: 1, output: 2 } },
    timings: { total_us: 9, queue_us: 1, prefill_us: 2, ttft_us: 4 },
    response: { status: 200, bytes: 2, sha256: 'a'.repeat(64), complete: true },
    ...more,
  };
}

export interface TestChain {
  connection: Connection;
  append(draft: LedgerDraft, key?: SigningKey): void;
  rows(): StoredRow[];
  /** Of the rows as they are now. */
  break(): Break | null;
}

export function testChain(key: SigningKey = newKey()): TestChain {
  const connection = new DatabaseSync(':memory:');
  for (const step of MIGRATIONS) connection.exec(step);
  let now = 1_000;
  return {
    connection,
    append: (draft, by = key) => appendRow(connection, draft, by, now++),
    rows: () => [...allRows(connection)],
    break: () => breakOf(allRows(connection), lastGiven(connection)),
  };
}

export function breakOf(rows: Iterable<StoredRow>, given: number): Break | null {
  const chain = new Chain();
  for (const row of rows) {
    const found = chain.push(row);
    if (found !== null) return found;
  }
  return chain.end(given);
}
