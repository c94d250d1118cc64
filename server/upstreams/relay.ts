/**
 * The answer of an upstream on its way to the client: the same status and the same bytes, no faster than the client
 * takes them. Whole events go on at a time, so that a connection that breaks leaves none half told.
 */
import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import type { ExchangeCounts } from '../exchange/exchange.js';
import { ApiError } from '../http/errors.js';
import { drained, KEEP_ALIVE_MS } from '../http/response-stream.js';
import { type FrameKind, Frames } from './frames.js';
import { RENAMED, UPSTREAM_HEADER } from './headers.js';
import { hasEnded, streamError } from './stream-error.js';
import { UsageReader } from './usage.js';

/** What of an answer's headers is for the client. All else is between this server and the upstream. */
const PASSED =
  /^(content-(type|length|encoding|language)|cache-control|retry-after(-ms)?|x-should-retry|x-accel-buffering|x-pilotlight-ignored|openai-[a-z-]+|(x|anthropic)-ratelimit-[a-z-]+)$/;

/** So much of what was told last is looked at when a stream breaks, in bytes. */
const TAIL_BYTES = 16 * 1024;

export interface RelayOptions {
  /** For people. */
  upstream: string;
  /** Of the route. */
  path: string;
  requestId: string;
  /** Aborts where nobody wants more of it; the upstream's request ends with it too. */
  over: AbortSignal;
  /** Why it is over, where the client is still there to be told; null: it is not. */
  whyOver: () => ApiError | null;
  /** Called before the last bytes leave, where the answer says its counts. */
  onCounts: (counts: Readonly<ExchangeCounts>) => void;
  /** It has failed after its first byte. */
  onFailure: (error: ApiError) => void;
}

/**
 * Resolves when the client has the answer, or is gone.
 * @throws ApiError where it breaks before its first byte.
 */
export async function relay(
  answer: IncomingMessage,
  res: Response,
  options: RelayOptions,
): Promise<void> {
  const kind = kindOf(answer);
  const frames = kind === 'whole' ? null : new Frames(kind);
  const usage = new UsageReader(kind);
  let tail: Buffer = Buffer.alloc(0);
  const send = async (bytes: Buffer) => {
    if (bytes.length === 0) return;
    if (!res.headersSent) copyHead(answer, res, options.upstream);
    usage.push(bytes);
    if (kind !== 'whole') tail = lastOf(tail, bytes);
    if (!res.write(bytes)) await drained(res);
  };
  const stopKeepAlive = beginStream(kind, answer, res, options.upstream);
  try {
    for await (const chunk of answer) {
      stopKeepAlive();
      await send(frames === null ? chunk : frames.push(chunk));
      if (res.destroyed) return;
    }
    await send(frames?.rest() ?? Buffer.alloc(0));
  } catch (thrown) {
    const error = whyBroken(thrown, options);
    if (error === null || res.destroyed) return;
    if (!res.headersSent) throw error;
    options.onFailure(error);
    if (kind === 'whole' || frames?.isBroken) {
      res.destroy();
      return;
    }
    const told = tail.toString('utf8');
    if (!hasEnded(kind, told)) {
      res.write(streamError(kind, options.path, error, options.requestId, told));
    }
  } finally {
    stopKeepAlive();
  }
  if (res.destroyed) return;
  usage.end();
  if (usage.counts !== null) options.onCounts(usage.counts);
  if (!res.headersSent) copyHead(answer, res, options.upstream);
  res.end();
}

/** @returns null: its client has gone. */
function whyBroken(thrown: unknown, { over, whyOver, upstream }: RelayOptions): ApiError | null {
  if (over.aborted) return whyOver();
  if (thrown instanceof Error && 'code' in thrown) {
    return new ApiError(502, `The upstream "${upstream}" broke off its answer.`, {
      code: 'upstream_failed',
    });
  }
  throw thrown;
}

/** A stream's headers leave at once; until its first byte comes, the client is told that it is waited for. */
function beginStream(
  kind: FrameKind | 'whole',
  answer: IncomingMessage,
  res: Response,
  upstream: string,
): () => void {
  if (kind === 'whole') return () => {};
  copyHead(answer, res, upstream);
  res.flushHeaders();
  if (kind === 'lines') return () => {};
  const timer = setInterval(() => {
    if (!res.destroyed && !res.writableNeedDrain) res.write(': keep-alive\n\n');
  }, KEEP_ALIVE_MS);
  return () => clearInterval(timer);
}

function kindOf({ statusCode = 0, headers }: IncomingMessage): FrameKind | 'whole' {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (statusCode !== 200 || encoding !== 'identity') return 'whole';
  const type = headers['content-type'] ?? '';
  if (/^text\/event-stream\b/i.test(type)) return 'events';
  return /^application\/(x-)?ndjson\b/i.test(type) ? 'lines' : 'whole';
}

function copyHead(answer: IncomingMessage, res: Response, upstream: string): void {
  res.status(answer.statusCode ?? 502);
  // What is said in a stream besides has no place in a length.
  const isWhole = kindOf(answer) === 'whole';
  for (const [name, value] of Object.entries(answer.headers)) {
    if (name === 'content-length' && !isWhole) continue;
    const told = PASSED.test(name) ? name : RENAMED[name];
    if (told !== undefined && value !== undefined) res.setHeader(told, value);
  }
  res.setHeader(UPSTREAM_HEADER, encodeURIComponent(upstream));
}

function lastOf(tail: Buffer, bytes: Buffer): Buffer {
  const both = bytes.length >= TAIL_BYTES ? bytes : Buffer.concat([tail, bytes]);
  return both.subarray(Math.max(0, both.length - TAIL_BYTES));
}
