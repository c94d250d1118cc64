/**
 * The load of the comparisons: requests of chat completions through the client in load/, and what they and the server
 * took of the machine. The streams are only read, not validated, so that the client takes as little as it can.
 */
import { z } from 'zod';
import { apiOf, type Target, targetOf as targetIn } from '../load/api.js';
import {
  type Answer,
  type AskOptions,
  ask as askFollowed,
  type Counts,
  type Follower,
  type Taken,
} from '../load/ask.js';
import { jsonOf } from '../load/event-data.js';
import { gaps, type Quantiles, quantiles } from '../load/statistics.js';
import { megabytes, ms, percent, table } from '../load/table.js';
import { machineBusyMs, processUse } from './process-use.js';

export interface Summary {
  streams: number;
  requests: number;
  failures: number;
  /** The first one, in words. */
  failure: string | null;
  /** From the first request until the last answer is complete. */
  wallMs: number;
  promptTokens: number;
  outputTokens: number;
  /** No usage was sent: events were counted instead of tokens. */
  isEstimate: boolean;
  /** Output tokens over the wall time. */
  tokensPerSecond: number;
  ttftMs: Quantiles;
  itlMs: Quantiles;
  /** Share of one core. Null: not known. */
  serverCpu: number | null;
  clientCpu: number;
  /** Share of one core that everything else on the machine took, which should be near 0. Null: not known. */
  otherCpu: number | null;
  /** Bytes. Null: not known. */
  serverRss: number | null;
}

/** What an answer's numbers are made of. */
export type Measured = Pick<Answer, 'begunAt' | 'arrivals' | 'endMs' | 'counts' | 'failure'>;

const numbersSchema = z.object({
  usage: z
    .object({
      prompt_tokens: z.number(),
      completion_tokens: z.number(),
      prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
  error: z.object({ message: z.string() }).nullish(),
});

/** A delta that brings text. JSON escapes quotes inside texts, so these cannot be found in one. */
const TEXT = /"(?:content|reasoning_content|text)":"(?!")/;

/** Parses the few events that are worth it, usage and errors, and trusts the rest. */
class TextFollower implements Follower {
  counts: Counts | null = null;
  failure: string | null = null;
  isComplete = false;

  take(data: string): Taken {
    if (TEXT.test(data)) return 'output';
    if (data === '[DONE]') {
      this.isComplete = true;
      return 'end';
    }
    if (data.includes('"usage":{') || data.includes('"error":')) this.readNumbers(data);
    return 'other';
  }

  end(): void {}

  violations(): [] {
    return [];
  }

  private readNumbers(data: string): void {
    const { usage, error } = numbersSchema.parse(jsonOf(Buffer.from(data, 'latin1').toString()));
    if (error) this.failure = error.message;
    if (!usage) return;
    this.counts = {
      prompt: usage.prompt_tokens,
      output: usage.completion_tokens,
      cached: usage.prompt_tokens_details?.cached_tokens ?? null,
    };
  }
}

export const targetOf = (url: string) => targetIn(apiOf(url), 'chat');

/** Sends one request and reads its stream to the end, or until `signal` aborts. */
export function ask(target: Target, body: object, options: AskOptions = {}): Promise<Answer> {
  const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
  return askFollowed(target, streamed, new TextFollower(), options);
}

/** `bodies[s][r]`: what stream s sends as its request r. Streams run beside each other, each one request at a time. */
export function runLoad(
  target: Target,
  bodies: readonly (readonly object[])[],
  serverPid: number | null = null,
): Promise<Summary> {
  return measured(bodies.length, serverPid, async () => {
    const streams = bodies.map(async (requests) => {
      const own: Answer[] = [];
      for (const body of requests) own.push(await ask(target, body));
      return own;
    });
    return (await Promise.all(streams)).flat();
  });
}

/** Runs `work` and sums its answers up, with what it took of the machine. */
export async function measured(
  streams: number,
  serverPid: number | null,
  work: () => Promise<Answer[]>,
): Promise<Summary> {
  const look = () => ({
    server: serverPid === null ? null : processUse(serverPid),
    own: process.cpuUsage(),
    busyMs: machineBusyMs(),
    time: performance.now(),
  });
  const before = look();
  const answers = await work();
  const after = look();
  const wallMs = after.time - before.time;
  const own = (after.own.user + after.own.system - before.own.user - before.own.system) / 1000;
  const server = before.server && after.server ? after.server.cpuMs - before.server.cpuMs : null;
  const busy =
    before.busyMs !== null && after.busyMs !== null ? after.busyMs - before.busyMs : null;
  return {
    ...summarize(answers, wallMs),
    streams,
    serverCpu: server === null ? null : server / wallMs,
    clientCpu: own / wallMs,
    otherCpu: busy === null || server === null ? null : Math.max(0, busy - server - own) / wallMs,
    serverRss: after.server?.rssBytes ?? null,
  };
}

type Use = 'streams' | 'serverCpu' | 'clientCpu' | 'otherCpu' | 'serverRss';

export function summarize(answers: readonly Measured[], wallMs: number): Omit<Summary, Use> {
  const failures = answers.filter(({ failure }) => failure !== null);
  const isEstimate = answers.some(({ counts }) => counts === null);
  const sum = (value: (answer: Measured) => number | null) =>
    answers.reduce((total, answer) => total + (value(answer) ?? 0), 0);
  const outputTokens = sum(({ counts, arrivals }) => counts?.output ?? arrivals.length);
  return {
    requests: answers.length,
    failures: failures.length,
    failure: failures[0]?.failure?.message ?? null,
    wallMs,
    promptTokens: sum(({ counts }) => counts?.prompt ?? 0),
    outputTokens,
    isEstimate,
    tokensPerSecond: (outputTokens / wallMs) * 1000,
    ttftMs: quantiles(answers.flatMap(({ arrivals }) => arrivals.slice(0, 1))),
    itlMs: quantiles(answers.flatMap(({ arrivals }) => gaps(arrivals))),
  };
}

export function summaryTable(results: readonly Summary[]): string {
  const three = ({ p50, p95, max }: Quantiles) => `${ms(p50)} / ${ms(p95)} / ${ms(max)}`;
  return table(
    [
      ...['streams', 'requests', 'tokens/s', 'TTFT p50 / p95 / max ms', 'ITL p50 / p95 / max ms'],
      ...['server CPU', 'client CPU', 'other CPU', 'server MB'],
    ],
    results.map((result) => [
      String(result.streams),
      `${result.requests}${result.failures > 0 ? ` (${result.failures} failed)` : ''}`,
      `${result.tokensPerSecond.toFixed(1)}${result.isEstimate ? ' (estimate)' : ''}`,
      three(result.ttftMs),
      three(result.itlMs),
      percent(result.serverCpu),
      percent(result.clientCpu),
      percent(result.otherCpu),
      megabytes(result.serverRss),
    ]),
  );
}
