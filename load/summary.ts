/** What a level says together: counts, times and what went wrong. Pure. */
import type { Answer } from './ask.js';
import type { LevelRun } from './run-level.js';
import { ascending, gaps, quantile } from './statistics.js';

export type Outcome = 'ok' | 'failed' | 'protocol_error';

/** Milliseconds; null: nothing to measure. */
export interface Times {
  p50: number | null;
  p95: number | null;
  p99: number | null;
  max: number | null;
  /** From 0 to 100 in steps of one; empty where there is nothing to measure. */
  percentiles: number[];
}

/** Output of a stretch of time that begins so many milliseconds after the level. */
export interface Stretch {
  at_ms: number;
  tokens_per_s: number;
}

/** Something that went wrong, with how often and, of the first time, in words. */
export interface Trouble {
  type: Exclude<Outcome, 'ok'>;
  /** Of a protocol error its violation, else the type of the failure. */
  kind: string;
  message: string;
  requests: number;
  /** In all of them; a violation can come many times in one stream. */
  count: number;
}

/**
 * Who counted the output tokens: the server; the client by events of which each is a token; or the client by events
 * that may hold any number of tokens, which is an estimate.
 */
export type CountedBy = 'server' | 'client' | 'estimate';

export interface RequestRow {
  outcome: Outcome;
  /** Milliseconds since the level began. */
  begun_ms: number;
  /** Null: no output came. */
  ttft_ms: number | null;
  total_ms: number;
  prompt_tokens: number | null;
  output_tokens: number;
  /** Kinds, as in the level's list. */
  troubles: string[];
}

export interface LevelSummary {
  concurrency: number;
  /** All that ended: `ok`, `failed` and `protocol_errors` together. */
  requests: number;
  ok: number;
  failed: number;
  protocol_errors: number;
  /** Answers that only said to come back later (429). */
  busy_answers: number;
  /** See LevelRun. */
  late: number;
  /** Cut off because the level was ended before its time; in no other number. */
  unfinished: number;
  wall_ms: number;
  /** As the server counts them; null: it does not. */
  prompt_tokens: number | null;
  cached_tokens: number | null;
  output_tokens: number;
  output_tokens_per_s: number;
  counted_by: CountedBy;
  ttft: Times;
  inter_token: Times;
  /** From its begin to its end. */
  request: Times;
  /** Share of one core. */
  client_cpu: number;
  throughput: Stretch[];
  troubles: Trouble[];
  rows: RequestRow[];
}

/** @param isTokenEvent each event with output is one token, as in typed streams */
export function summarize(run: LevelRun, isTokenEvent: boolean): LevelSummary {
  const { answers, concurrency, wallMs, begunAt } = run;
  const rows = answers.map((answer) => rowOf(answer, begunAt));
  const n = (outcome: Outcome) => rows.filter((row) => row.outcome === outcome).length;
  const output = rows.reduce((sum, row) => sum + row.output_tokens, 0);
  return {
    ...{ concurrency, requests: rows.length },
    ...{ ok: n('ok'), failed: n('failed'), protocol_errors: n('protocol_error') },
    ...{ busy_answers: run.busy, late: run.late, unfinished: run.unfinished, wall_ms: wallMs },
    prompt_tokens: sumOf(answers.map(({ counts }) => counts?.prompt ?? null)),
    cached_tokens: sumOf(answers.map(({ counts }) => counts?.cached ?? null)),
    output_tokens: output,
    output_tokens_per_s: (output / wallMs) * 1000,
    counted_by: countedBy(answers, isTokenEvent),
    ttft: times(answers.flatMap(({ arrivals }) => arrivals.slice(0, 1))),
    inter_token: times(answers.flatMap(({ arrivals }) => gaps(arrivals))),
    request: times(answers.map(({ endMs }) => endMs)),
    client_cpu: run.clientCpu,
    throughput: throughput(run),
    troubles: troubles(answers),
    rows,
  };
}

function outcomeOf({ violations, failure }: Answer): Outcome {
  if (violations.length > 0) return 'protocol_error';
  return failure === null ? 'ok' : 'failed';
}

function rowOf(answer: Answer, levelBegunAt: number): RequestRow {
  const { begunAt, arrivals, endMs, counts } = answer;
  return {
    outcome: outcomeOf(answer),
    begun_ms: begunAt - levelBegunAt,
    ttft_ms: arrivals[0] ?? null,
    total_ms: endMs,
    prompt_tokens: counts?.prompt ?? null,
    output_tokens: outputTokens(answer),
    troubles: troublesOf(answer).map(({ kind }) => kind),
  };
}

export const outputTokens = ({ counts, arrivals }: Answer) => counts?.output ?? arrivals.length;

/** Null where none is known. */
function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

function countedBy(answers: readonly Answer[], isTokenEvent: boolean): CountedBy {
  const isUncounted = ({ counts, arrivals }: Answer) => counts === null && arrivals.length > 0;
  if (!answers.some(isUncounted)) return 'server';
  return isTokenEvent ? 'client' : 'estimate';
}

function times(values: readonly number[]): Times {
  const sorted = ascending(values);
  const at = (q: number) => (sorted.length === 0 ? null : quantile(sorted, q));
  const percentiles = Array.from({ length: 101 }, (_, i) => quantile(sorted, i / 100));
  return {
    ...{ p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) },
    percentiles: sorted.length === 0 ? [] : percentiles,
  };
}

/** So many stretches at most show how it went, and none is shorter than this, in milliseconds. */
const STRETCHES = 40;
const STRETCH_MS = 500;

/** The tokens of an answer are spread over its events, which may hold several. */
export function throughput({ answers, wallMs, begunAt }: LevelRun): Stretch[] {
  const n_stretches = Math.min(STRETCHES, Math.max(1, Math.floor(wallMs / STRETCH_MS)));
  const widthMs = wallMs / n_stretches;
  const tokens = Array.from({ length: n_stretches }, () => 0);
  for (const answer of answers) {
    const weight = outputTokens(answer) / Math.max(1, answer.arrivals.length);
    for (const atMs of answer.arrivals) {
      const place = Math.floor((answer.begunAt - begunAt + atMs) / widthMs);
      const i = Math.max(0, Math.min(place, n_stretches - 1));
      tokens[i] = (tokens[i] ?? 0) + weight;
    }
  }
  return tokens.map((n, i) => ({ at_ms: i * widthMs, tokens_per_s: (n / widthMs) * 1000 }));
}

type OwnTrouble = Pick<Trouble, 'type' | 'kind' | 'message' | 'count'>;

/** A stream without its end is a protocol error already. */
function troublesOf({ failure, violations }: Answer): OwnTrouble[] {
  const found = violations.map(
    ({ kind, message, count }): OwnTrouble => ({ type: 'protocol_error', kind, message, count }),
  );
  const isTold = failure === null || (failure.type === 'incomplete' && found.length > 0);
  if (isTold) return found;
  return [...found, { type: 'failed', kind: failure.type, message: failure.message, count: 1 }];
}

/** Each kind once, the most frequent first. */
function troubles(answers: readonly Answer[]): Trouble[] {
  const found = new Map<string, Trouble>();
  for (const own of answers.flatMap(troublesOf)) {
    const known = found.get(`${own.type}/${own.kind}`);
    if (known) {
      known.requests++;
      known.count += own.count;
    } else found.set(`${own.type}/${own.kind}`, { ...own, requests: 1 });
  }
  return [...found.values()].sort((a, b) => b.requests - a.requests);
}
