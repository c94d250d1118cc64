/** Asks for one stream and follows it to its end. */
import type { Target } from './api.js';
import { type Exchange, type ExchangeOptions, exchange } from './exchange.js';
import { printable } from './printable.js';
import { serverError } from './server-error.js';
import { type Violation, Violations } from './violation.js';

/** What an event brought: part of the answer, the end of the stream, or neither. */
export type Taken = 'output' | 'end' | 'other';

/** Tokens as the server counts them. */
export interface Counts {
  prompt: number;
  output: number;
  /** Of the prompt, not computed again; null: not told. */
  cached: number | null;
}

/** Reads the events of one stream. */
export interface Follower {
  /** @param data of an event, as latin1 */
  take(data: string): Taken;
  /** All has come, in order; not called where the connection broke. */
  end(): void;
  /** Null until they have come. */
  readonly counts: Counts | null;
  /** The failure that the server told in the stream, in its words. */
  readonly failure: string | null;
  /** The stream has had its last event. */
  readonly isComplete: boolean;
  violations(): Violation[];
}

/** Why a request has no whole answer. */
export interface Failure {
  /**
   * `unreachable`: no connection; `broken`: the connection was lost; `refused`: a status other than 200; `failed`: told
   * by the server in its stream; `foreign`: not a server of this kind; `incomplete`: the stream has no end.
   */
  type: 'unreachable' | 'broken' | 'timeout' | 'refused' | 'failed' | 'foreign' | 'incomplete';
  /** For people; what the server said is in its words. */
  message: string;
  /** 0 where there was no response. */
  status: number;
  /** The server's or the system's name for it; empty: none. */
  code: string;
  /** Milliseconds after which the server wants to be asked again; null: it says nothing. */
  retryAfterMs: number | null;
}

/** Times are in milliseconds since the request was begun, which is before the connection is opened. */
export interface Answer {
  /** On the clock of performance.now(). */
  begunAt: number;
  /** When each event with output came. Events that came in one packet share their time. */
  arrivals: number[];
  /** When the connection was over. */
  endMs: number;
  counts: Counts | null;
  /** Null for a whole answer, and for one that the caller's signal stopped. */
  failure: Failure | null;
  violations: Violation[];
  /** The caller's signal ended it before its end. */
  isStopped: boolean;
}

export interface AskOptions extends ExchangeOptions {
  /** Called for each arrival with the number so far. */
  onOutput?: (n: number) => void;
}

/** Sends the body and follows the stream until its end, the limit of time, or until the signal aborts. */
export async function ask(
  target: Target,
  body: object,
  follower: Follower,
  options: AskOptions = {},
): Promise<Answer> {
  const arrivals: number[] = [];
  const { onOutput } = options;
  const take = (data: string, atMs: number) => {
    const taken = follower.take(data);
    if (taken === 'output') {
      arrivals.push(atMs);
      onOutput?.(arrivals.length);
    }
    return taken === 'end';
  };
  const done = await exchange(target, JSON.stringify(body), take, options);
  const { begunAt, endMs, end, response } = done;
  const isInOrder = end.kind === 'whole' || end.kind === 'left-open';
  if (isInOrder && response.status === 200 && response.isEvents) follower.end();
  return {
    ...{ begunAt, arrivals, endMs, counts: follower.counts },
    failure: end.kind === 'stopped' ? null : failureOf(done, follower, target.key),
    violations: [...follower.violations(), ...framing(done)],
    isStopped: end.kind === 'stopped',
  };
}

/** What is wrong around the events. */
function framing({ end, response }: Exchange): Violation[] {
  const found = new Violations();
  if (response.status !== 200 || end.kind === 'foreign') return [];
  const type = response.header('content-type');
  if (!response.isEvents) {
    found.add('content_type', 0, type === null ? 'there is none' : printable(type));
  } else if (end.kind === 'left-open') {
    found.add('left_open', 0, 'the connection was closed from here');
  } else if (end.kind === 'whole' && response.isInEvent) {
    found.add('unfinished_event', 0, 'what came of it counts for nothing');
  }
  return found.list();
}

function failureOf(done: Exchange, follower: Follower, key: string | null): Failure | null {
  const { end, response } = done;
  const { status } = response;
  const failure = (type: Failure['type'], message: string, code = ''): Failure => ({
    ...{ type, message: printable(message, key), status, code, retryAfterMs: null },
  });
  if (end.kind === 'unreachable') {
    return failure('unreachable', `the connection failed: ${end.message || end.code}`, end.code);
  }
  if (end.kind === 'foreign') return failure('foreign', end.problem);
  if (status !== 0 && status !== 200) return refusalOf(done, failure);
  if (follower.failure !== null) return failure('failed', `in the stream: ${follower.failure}`);
  if (follower.isComplete) return null;
  if (end.kind === 'timeout') return failure('timeout', 'the answer took longer than its limit');
  if (end.kind === 'broken')
    return failure('broken', `the connection broke: ${end.message}`, end.code);
  if (end.kind === 'cut') return failure('broken', 'the connection was closed in mid-answer');
  const type = response.header('content-type') ?? '';
  if (type.includes('html')) return failure('foreign', 'it answers with a web page');
  if (!response.isEvents) return failure('incomplete', 'the answer is not a stream of events');
  return failure('incomplete', 'the stream has no end of its own');
}

function refusalOf(
  { response }: Exchange,
  failure: (type: Failure['type'], message: string, code?: string) => Failure,
): Failure {
  const { message, code } = serverError(response.text, response.header('content-type'));
  const retryAfterMs = retryAfter(response.header('retry-after'));
  return { ...failure('refused', `${response.status}: ${message}`, code), retryAfterMs };
}

/** Seconds or a date, as HTTP has it. */
function retryAfter(value: string | null): number | null {
  if (value === null || value === '') return null;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
