/**
 * Writes a row for each request to a model. An open request has a draft in a table of its own, which its row takes the
 * place of in one transaction; drafts of processes that are gone become rows at the next start. What cannot be written
 * waits and never holds up an answer.
 */
import { createHash, type Hash } from 'node:crypto';
import type { LedgerDraft, ModelFile, RequestDraft } from '../../protocol/ledger.js';
import type { Exchange, ExchangeEnd, ExchangeObserver } from '../exchange/exchange.js';
import { outcomeOf } from '../exchange/outcome.js';
import type { Connection, Database } from '../store/database.js';
import type { ModelFiles } from './model-files.js';
import { isOpen, openRequests, putOpen, removeOpen } from './open-requests.js';
import { isHeld, ProcessLock, removeStale } from './process-lock.js';
import { type LedgerRetention, prune } from './retention.js';
import type { SigningKey } from './signing-key.js';
import { appendRow, findRow, lastKey, type StoredRow } from './table.js';

/** Rows that wait in memory while nothing can be written: a megabyte or two. What is lost beyond is told by a row. */
const WAITING_LIMIT = 1_000;

/** Bytes of an answer that are hashed in one go: a call for each token costs more than the hash. */
const HASHED_AT_ONCE = 4096;

/** How soon what could not be done is tried again, in milliseconds; each try may wait for another process. */
const RETRY_MS = 5_000;

/** How often it is looked for rows that are due to go, and for servers that are gone, in milliseconds. */
const CARE_MS = 60 * 60 * 1000;

export interface LedgerOptions {
  dataDir: string;
  database: Database;
  key: SigningKey;
  modelFiles: ModelFiles;
  retention: LedgerRetention;
  /** Does more in the transaction of a row, for each request once. What it throws keeps the row from being written. */
  beside?: readonly ((connection: Connection, row: RequestDraft) => void)[];
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** A request that has not ended. */
interface Live {
  draft: RequestDraft;
  /** What is known of it at the end counts. */
  modelFile: Readonly<ModelFile> | null;
  hash: Hash;
  bytes: number;
  /** The last of these bytes, which are not in the hash yet. */
  unhashed: Uint8Array[];
  unhashedBytes: number;
}

type Loss = Extract<LedgerDraft, { kind: 'loss' }>;

export class Ledger implements ExchangeObserver {
  readonly #live = new Map<Exchange, Live>();
  readonly #lock: ProcessLock;
  /** Rows that could not be written yet, oldest first. */
  #waiting: RequestDraft[] = [];
  #loss: Loss | null = null;
  #retry: NodeJS.Timeout | null = null;
  #care: NodeJS.Timeout | null = null;
  #notice: string | null = null;

  /** Gives the requests of servers that are gone their rows. Never throws. */
  constructor(private readonly options: LedgerOptions) {
    this.#lock = new ProcessLock(options.dataDir);
    this.#takeCare();
    this.#lookAtKey();
  }

  /** Sentences for people. */
  notices(): string[] {
    return this.#notice === null ? [] : [this.#notice];
  }

  began(exchange: Exchange): void {
    const { id, beganAt, method, route, client } = exchange.head;
    const draft: RequestDraft = {
      ...{ kind: 'request', id, began_at: beganAt, method, route, client },
      ...{ model: null, model_file: null, outcome: 'cut', finish_reason: null, error_code: null },
      ...{ tokens: null, timings: null, response: null },
    };
    const live: Live = {
      ...{ draft, modelFile: null },
      ...{ hash: createHash('sha256'), bytes: 0, unhashed: [], unhashedBytes: 0 },
    };
    this.#live.set(exchange, live);
    this.#keepOpen(live);
  }

  opened(exchange: Exchange): void {
    const live = this.#live.get(exchange);
    const { model, local, upstream } = exchange;
    if (live === undefined || model === null) return;
    live.modelFile = local && this.options.modelFiles.find(local);
    live.draft = {
      ...live.draft,
      ...{ model, model_file: copyOf(live.modelFile) },
      ...(upstream === null ? {} : { upstream }),
    };
    this.#keepOpen(live);
  }

  sent(exchange: Exchange, bytes: Uint8Array): void {
    const live = this.#live.get(exchange);
    if (live === undefined) return;
    live.bytes += bytes.length;
    live.unhashed.push(bytes);
    live.unhashedBytes += bytes.length;
    if (live.unhashedBytes >= HASHED_AT_ONCE) hashRest(live);
  }

  ended(exchange: Exchange, end: ExchangeEnd): void {
    const live = this.#live.get(exchange);
    if (live === undefined) return;
    this.#live.delete(exchange);
    this.#waiting.push(endedDraft(exchange, end, live));
    if (this.#waiting.length > WAITING_LIMIT) this.#lose();
    if (this.#retry === null) this.#flush();
  }

  /**
   * The request's row; "open" while there is none yet, because it has not ended or nothing can be written; null: there
   * is none of this id.
   * @throws the error of SQLite.
   */
  find(id: string): StoredRow | 'open' | null {
    if (this.#waiting.some((draft) => draft.id === id)) return 'open';
    // Where nothing can be written, it has no draft.
    for (const { head } of this.#live.keys()) if (head.id === id) return 'open';
    return this.options.database.read(
      (connection) => findRow(connection, id) ?? (isOpen(connection, id) ? 'open' : null),
    );
  }

  /** To be called when all requests have ended; what has not gets its row at the next start. */
  close(): void {
    this.#flush();
    for (const timer of [this.#retry, this.#care]) if (timer !== null) clearTimeout(timer);
    this.#lock.release();
  }

  /** Where nothing can be written, drafts do without: their rows matter, and those wait. */
  #keepOpen({ draft }: Live): void {
    if (this.#retry !== null) return;
    const isWritten = this.#write((connection) => {
      this.#takeLock();
      putOpen(connection, this.#lock.name, draft);
    });
    if (!isWritten) this.#tryLater();
  }

  /** Nobody else sees a database in memory, and where it stands in for a file, a lock's can often not be made either. */
  #takeLock(): void {
    if (!this.options.database.isInMemory) this.#lock.take();
  }

  #write(work: (connection: Connection) => void): boolean {
    return this.options.database.tryWrite('Receipts', work);
  }

  #tryLater(): void {
    this.#retry = setTimeout(() => this.#flush(), RETRY_MS).unref();
  }

  #flush(): void {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    if (this.#waiting.length === 0) return;
    const isWritten = this.#write((connection) => {
      if (this.#loss !== null) this.#append(connection, this.#loss);
      for (const draft of this.#waiting) this.#close(connection, draft);
      if (this.#loss !== null) this.#removeLost(connection);
    });
    if (!isWritten) {
      this.#tryLater();
      return;
    }
    this.#waiting = [];
    this.#loss = null;
  }

  /** Drafts of requests that a row tells to be lost: they would become rows at the next start. */
  #removeLost(connection: Connection): void {
    const live = new Set([...this.#live.keys()].map(({ head }) => head.id));
    for (const { id, owner } of openRequests(connection)) {
      if (owner === this.#lock.name && !live.has(id)) removeOpen(connection, id);
    }
  }

  /** The row of a request, in place of its draft. */
  #close(connection: Connection, draft: RequestDraft): void {
    removeOpen(connection, draft.id);
    // Where locks do not work, as on some network folders, another server may have taken this one for gone.
    if (findRow(connection, draft.id) !== null) return;
    this.#append(connection, draft);
    for (const work of this.options.beside ?? []) work(connection, draft);
  }

  #append(connection: Connection, draft: LedgerDraft): void {
    appendRow(connection, draft, this.options.key, this.#now());
  }

  #lose(): void {
    const lost = this.#waiting.shift();
    if (lost !== undefined) this.#loss = lossOf(this.#loss, lost.began_at);
  }

  #takeCare(): void {
    let isMore = true;
    this.#write((connection) => {
      const { retention, key } = this.options;
      this.#settle(connection);
      isMore = prune(connection, retention, key, this.#now());
    });
    this.#care = setTimeout(() => this.#takeCare(), isMore ? RETRY_MS : CARE_MS).unref();
  }

  #lookAtKey(): void {
    try {
      const former = this.options.database.read(lastKey);
      if (former === null || former === this.options.key.text) return;
      this.#notice =
        'The key that signed receipts so far is not there any more, so another one signs from now on. Receipts that were signed stay valid.';
    } catch {
      // What cannot be read is told by whoever writes to it.
    }
  }

  /** The lock is taken within the transaction, so that no other server looks at locks meanwhile. */
  #settle(connection: Connection): void {
    const { dataDir, database } = this.options;
    if (database.isInMemory) return;
    this.#takeLock();
    const open = openRequests(connection);
    const owners = new Set(open.map(({ owner }) => owner));
    owners.delete(this.#lock.name);
    const gone = new Set([...owners].filter((owner) => !isHeld(dataDir, owner)));
    let unreadable: Loss | null = null;
    for (const { id, owner, draft } of open) {
      if (!gone.has(owner)) continue;
      if (draft !== null) {
        this.#close(connection, draft);
      } else {
        removeOpen(connection, id);
        unreadable = lossOf(unreadable, this.#now());
      }
    }
    if (unreadable !== null) this.#append(connection, unreadable);
    removeStale(dataDir);
  }

  #now(): number {
    return (this.options.now ?? Date.now)();
  }
}

function lossOf(before: Loss | null, beganAt: number): Loss {
  return {
    kind: 'loss',
    requests: (before?.requests ?? 0) + 1,
    first_began_at: Math.min(before?.first_began_at ?? beganAt, beganAt),
    last_began_at: Math.max(before?.last_began_at ?? beganAt, beganAt),
  };
}

function endedDraft(exchange: Exchange, end: ExchangeEnd, live: Live): RequestDraft {
  const { timings } = end;
  return {
    ...live.draft,
    model_file: copyOf(live.modelFile),
    ...(exchange.upstream === null ? {} : { upstream: exchange.upstream }),
    outcome: outcomeOf(exchange, end),
    finish_reason: end.finishReason,
    error_code: end.errorCode,
    tokens: exchange.isCounted
      ? { prompt: end.promptTokens, cached: end.cachedTokens, output: end.outputTokens }
      : null,
    timings: {
      total_us: microseconds(end.totalMs),
      queue_us: timings && microseconds(timings.queueMs),
      prefill_us: timings && microseconds(timings.prefillMs),
      ttft_us: timings && microseconds(timings.ttftMs),
    },
    response: {
      status: end.status,
      bytes: live.bytes,
      sha256: hashRest(live).digest('hex'),
      complete: end.complete,
    },
  };
}

function hashRest(live: Live): Hash {
  live.hash.update(Buffer.concat(live.unhashed, live.unhashedBytes));
  live.unhashed = [];
  live.unhashedBytes = 0;
  return live.hash;
}

/** As it is now, and without what else is known of it. */
function copyOf(file: Readonly<ModelFile> | null): ModelFile | null {
  if (file === null) return null;
  const { bytes, head_sha256, sha256 } = file;
  return { bytes, head_sha256, sha256 };
}

const microseconds = (ms: number) => Math.max(0, Math.round(ms * 1000));
