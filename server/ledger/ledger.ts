/**
 * Writes a row for each request to a model. An open request has a draft in a table of its own, which its row takes the
 * place of in one transaction; drafts of processes that are gone become rows at the next start. What cannot be written
 * waits and never holds up an answer.
 */
import { createHash, type Hash } from 'node:crypto';
import {
  type LedgerDraft,
  type Outcome,
  type RequestDraft,
  requestDraftSchema,
} from '../../protocol/ledger.js';
import type { Exchange, ExchangeEnd, ExchangeObserver } from '../exchange/exchange.js';
import type { Connection, Database } from '../store/database.js';
import { isHeld, ProcessLock, removeStale } from './process-lock.js';
import type { SigningKey } from './signing-key.js';
import { appendRow, findRow, type StoredRow } from './table.js';

/** Rows that wait in memory while nothing can be written: a megabyte or two. What is lost beyond is told by a row. */
const WAITING_LIMIT = 1_000;

/** How often writing is tried again, in milliseconds; each try may wait for another process. */
const RETRY_MS = 5_000;

export interface LedgerOptions {
  dataDir: string;
  database: Database;
  key: SigningKey;
  /** Does more in the transaction of a row, for each request once. What it throws keeps the row from being written. */
  beside?: readonly ((connection: Connection, row: RequestDraft) => void)[];
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** A request that has not ended. */
interface Live {
  draft: RequestDraft;
  hash: Hash;
  bytes: number;
}

interface Loss {
  requests: number;
  first_began_at: number;
  last_began_at: number;
}

export class Ledger implements ExchangeObserver {
  readonly #live = new Map<Exchange, Live>();
  readonly #lock: ProcessLock;
  /** Rows that could not be written yet, oldest first. */
  #waiting: RequestDraft[] = [];
  #loss: Loss | null = null;
  #retry: NodeJS.Timeout | null = null;

  /** Gives the requests of servers that are gone their rows. Never throws. */
  constructor(private readonly options: LedgerOptions) {
    this.#lock = new ProcessLock(options.dataDir);
    options.database.tryWrite('Receipts', (connection) => this.#settle(connection));
  }

  began(exchange: Exchange): void {
    const { id, beganAt, method, route, client } = exchange.head;
    const draft: RequestDraft = {
      ...{ kind: 'request', id, began_at: beganAt, method, route, client },
      ...{ model: null, model_file: null, outcome: 'cut', finish_reason: null, error_code: null },
      ...{ tokens: null, timings: null, response: null },
    };
    this.#live.set(exchange, { draft, hash: createHash('sha256'), bytes: 0 });
    this.#write((connection) => {
      connection
        .prepare('INSERT INTO ledger_open (id, owner, draft) VALUES (?, ?, ?)')
        .run(id, this.#lock.name, JSON.stringify(draft));
    });
  }

  opened(exchange: Exchange): void {
    const live = this.#live.get(exchange);
    if (live === undefined || exchange.model === null) return;
    live.draft = { ...live.draft, model: exchange.model.id };
    this.#write((connection) => {
      connection
        .prepare('UPDATE ledger_open SET draft = ? WHERE id = ?')
        .run(JSON.stringify(live.draft), live.draft.id);
    });
  }

  sent(exchange: Exchange, bytes: Uint8Array): void {
    const live = this.#live.get(exchange);
    if (live === undefined) return;
    live.hash.update(bytes);
    live.bytes += bytes.length;
  }

  ended(exchange: Exchange, end: ExchangeEnd): void {
    const live = this.#live.get(exchange);
    if (live === undefined) return;
    this.#live.delete(exchange);
    this.#waiting.push(endedDraft(exchange, end, live));
    if (this.#waiting.length > WAITING_LIMIT) this.#lose();
    if (this.#retry === null) this.#flush();
  }

  /** The request's row; "open" while it is under way; null: there is none of this id. */
  find(id: string): StoredRow | 'open' | null {
    return this.options.database.read((connection) => {
      const row = findRow(connection, id);
      if (row !== null) return row;
      const open = connection.prepare('SELECT 1 FROM ledger_open WHERE id = ?').get(id);
      return open === undefined ? null : 'open';
    });
  }

  /** To be called when all requests have ended; what has not gets its row at the next start. */
  close(): void {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#flush();
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#lock.release();
  }

  /** Where nothing can be written, drafts do without: their rows matter, and those wait. */
  #write(work: (connection: Connection) => void): void {
    if (this.#retry === null && !this.options.database.tryWrite('Receipts', work)) this.#tryLater();
  }

  #tryLater(): void {
    this.#retry = setTimeout(() => this.#flush(), RETRY_MS);
    this.#retry.unref();
  }

  #flush(): void {
    this.#retry = null;
    if (this.#waiting.length === 0 && this.#loss === null) return;
    const { database } = this.options;
    const isWritten = database.tryWrite('Receipts', (connection) => {
      if (this.#loss !== null) this.#append(connection, { kind: 'loss', ...this.#loss });
      for (const draft of this.#waiting) this.#close(connection, draft);
    });
    if (isWritten) {
      this.#waiting = [];
      this.#loss = null;
    } else {
      this.#tryLater();
    }
  }

  /** The row of a request, in place of its draft. */
  #close(connection: Connection, draft: RequestDraft): void {
    connection.prepare('DELETE FROM ledger_open WHERE id = ?').run(draft.id);
    // Where locks do not work, as on some network folders, another server may have taken this one for gone.
    if (findRow(connection, draft.id) !== null) return;
    this.#append(connection, draft);
    for (const work of this.options.beside ?? []) work(connection, draft);
  }

  #append(connection: Connection, draft: LedgerDraft): void {
    appendRow(connection, draft, this.options.key, (this.options.now ?? Date.now)());
  }

  #lose(): void {
    const lost = this.#waiting.shift();
    if (lost === undefined) return;
    this.#loss = {
      requests: (this.#loss?.requests ?? 0) + 1,
      first_began_at: Math.min(this.#loss?.first_began_at ?? lost.began_at, lost.began_at),
      last_began_at: Math.max(this.#loss?.last_began_at ?? lost.began_at, lost.began_at),
    };
  }

  /** The lock is taken within the transaction, so that no other server looks at locks meanwhile. */
  #settle(connection: Connection): void {
    const { dataDir } = this.options;
    this.#lock.take();
    const open = connection.prepare('SELECT id, owner, draft FROM ledger_open').all();
    const gone = new Set(open.map(({ owner }) => owner as string));
    for (const owner of gone) if (isHeld(dataDir, owner)) gone.delete(owner);
    for (const { id, owner, draft } of open) {
      if (!gone.has(owner)) continue;
      const found = draftOf(draft);
      if (found !== null) this.#close(connection, found);
      else connection.prepare('DELETE FROM ledger_open WHERE id = ?').run(id);
    }
    removeStale(dataDir);
  }
}

function endedDraft(exchange: Exchange, end: ExchangeEnd, live: Live): RequestDraft {
  const { timings } = end;
  return {
    ...live.draft,
    outcome: outcomeOf(exchange, end),
    finish_reason: end.finishReason,
    error_code: end.errorCode,
    tokens: { prompt: end.promptTokens, cached: end.cachedTokens, output: end.outputTokens },
    timings: {
      total_us: microseconds(end.totalMs),
      queue_us: timings && microseconds(timings.queueMs),
      prefill_us: timings && microseconds(timings.prefillMs),
      ttft_us: timings && microseconds(timings.ttftMs),
    },
    response: {
      status: end.status,
      bytes: live.bytes,
      sha256: live.hash.digest('hex'),
      complete: end.complete,
    },
  };
}

function outcomeOf({ isCancelled }: Exchange, end: ExchangeEnd): Outcome {
  if (isCancelled) return 'cancelled';
  if (!end.complete) return 'left';
  return end.errorCode === null && end.status < 400 ? 'answered' : 'failed';
}

const microseconds = (ms: number) => Math.max(0, Math.round(ms * 1000));

function draftOf(text: string): RequestDraft | null {
  try {
    return requestDraftSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
