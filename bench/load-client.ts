/**
 * A load client for any server with OpenAI's chat completions: plain sockets, its own reading of HTTP/1.1, chunked
 * bodies and server-sent events, a new connection for each request. It shares the machine with the server it measures,
 * so it does as little as it can for each token, and tells how much processor time it took itself.
 *
 *   npx tsx bench/load-client.ts http://127.0.0.1:7411 --streams 1,4,16,64 --pid PID --json FILE
 */
import { writeFileSync } from 'node:fs';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { machineBusyMs, processUse } from './process-use.js';
import { gaps, type Quantiles, quantiles } from './statistics.js';
import { megabytes, ms, percent, table } from './table.js';

/** Times of one request, milliseconds since it was begun: before the connection is opened. */
export interface Answer {
  /** When it was begun, on the clock of performance.now(). */
  begunAt: number;
  /** When each event with text arrived. Events that came in one packet share their time. */
  arrivals: number[];
  /** When the connection was over. */
  endMs: number;
  /** As the server counts it; null where it sent no usage. */
  promptTokens: number | null;
  outputTokens: number | null;
  cachedTokens: number | null;
  /** Null for a whole answer; else what was wrong. A request that was stopped by its signal is not a failure. */
  failure: string | null;
}

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

/** Turns the bytes of one response into events. Give it latin1 text, which keeps bytes as they are. */
export class ResponseReader {
  /** 0 until the head is there. */
  status = 0;
  /** What came instead of events. */
  body = '';
  private state: 'head' | 'size' | 'data' | 'gap' | 'raw' | 'end' = 'head';
  private rest = '';
  /** Bytes of the current chunk, or of the whole body, that are still to come. */
  private left = 0;
  private line = '';
  private data: string | null = null;
  private isEvents = false;

  /** @param onEvent gets the data of each event, still as latin1 */
  constructor(private readonly onEvent: (data: string) => void) {}

  /** The response is complete. */
  get done(): boolean {
    return this.state === 'end';
  }

  push(text: string): void {
    let input = this.rest === '' ? text : this.rest + text;
    this.rest = '';
    while (input !== '' && this.state !== 'end') {
      if (this.state === 'data' || this.state === 'raw') {
        const part = input.length > this.left ? input.slice(0, this.left) : input;
        input = input.slice(part.length);
        this.left -= part.length;
        this.take(part);
        if (this.left === 0) this.state = this.state === 'data' ? 'gap' : 'end';
        continue;
      }
      const ending = this.state === 'head' ? '\r\n\r\n' : '\r\n';
      const at = input.indexOf(ending);
      if (at < 0) {
        this.rest = input;
        return;
      }
      const piece = input.slice(0, at);
      input = input.slice(at + ending.length);
      if (this.state === 'head') this.readHead(piece);
      else if (this.state === 'gap') this.state = 'size';
      else {
        this.left = Number.parseInt(piece, 16);
        this.state = this.left > 0 ? 'data' : 'end';
      }
    }
  }

  private readHead(head: string): void {
    this.status = Number(head.slice(9, 12));
    const value = (name: string) =>
      new RegExp(`\r\n${name}: *([^\r]*)`, 'i').exec(head)?.[1] ?? null;
    this.isEvents = (value('content-type') ?? '').startsWith('text/event-stream');
    if (value('transfer-encoding')?.toLowerCase() === 'chunked') {
      this.state = 'size';
      return;
    }
    this.left = Number(value('content-length') ?? Number.POSITIVE_INFINITY);
    this.state = this.left === 0 ? 'end' : 'raw';
  }

  private take(text: string): void {
    if (!this.isEvents) {
      this.body += text;
      return;
    }
    let from = 0;
    for (;;) {
      const at = text.indexOf('\n', from);
      if (at < 0) break;
      const line = this.line + text.slice(from, at);
      this.line = '';
      from = at + 1;
      this.takeLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    this.line += text.slice(from);
  }

  private takeLine(line: string): void {
    if (line.startsWith('data:')) {
      const value = line.slice(line[5] === ' ' ? 6 : 5);
      this.data = this.data === null ? value : `${this.data}\n${value}`;
    } else if (line === '' && this.data !== null) {
      this.onEvent(this.data);
      this.data = null;
    }
  }
}

/** A delta that brings text. JSON escapes quotes inside texts, so these cannot be found in one. */
const TEXT = /"(?:content|reasoning_content|text)":"(?!")/;

export interface Target {
  host: string;
  port: number;
  /** Such as "/v1/chat/completions". */
  path: string;
  key: string | null;
}

export function targetOf(url: string, key: string | null = null): Target {
  const { hostname, port, pathname } = new URL(url);
  const base = pathname === '/' ? '/v1' : pathname.replace(/\/$/, '');
  return { host: hostname, port: Number(port) || 80, path: `${base}/chat/completions`, key };
}

/** Sends one request and reads its stream to the end, or until `signal` aborts. `onText` is called for each arrival. */
export function ask(
  target: Target,
  body: object,
  options: { signal?: AbortSignal; onText?: (n: number) => void } = {},
): Promise<Answer> {
  const answer: Answer = {
    begunAt: performance.now(),
    arrivals: [],
    endMs: 0,
    promptTokens: null,
    outputTokens: null,
    cachedTokens: null,
    failure: null,
  };
  const payload = Buffer.from(
    JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
  );
  const head =
    `POST ${target.path} HTTP/1.1\r\nHost: ${target.host}:${target.port}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${payload.length}\r\n` +
    `${target.key === null ? '' : `Authorization: Bearer ${target.key}\r\n`}Connection: close\r\n\r\n`;
  const { signal, onText } = options;
  return new Promise((resolve) => {
    const began = answer.begunAt;
    let now = began;
    let isComplete = false;
    const reader = new ResponseReader((data) => {
      if (TEXT.test(data)) {
        answer.arrivals.push(now - began);
        onText?.(answer.arrivals.length);
      } else if (data === '[DONE]') isComplete = true;
      else readNumbers(data, answer);
    });
    const socket = net.connect({ host: target.host, port: target.port, noDelay: true });
    const stop = () => socket.destroy();
    signal?.addEventListener('abort', stop);
    socket.on('connect', () => {
      socket.write(head);
      socket.write(payload);
    });
    socket.on('data', (bytes) => {
      now = performance.now();
      reader.push(bytes.toString('latin1'));
      if (reader.done) socket.destroy();
    });
    socket.on('error', (error) => {
      answer.failure ??= `the connection failed: ${error.message}`;
    });
    socket.on('close', () => {
      signal?.removeEventListener('abort', stop);
      answer.endMs = performance.now() - began;
      if (reader.status !== 200 && reader.status !== 0) {
        answer.failure = `${reader.status}: ${reader.body.slice(0, 300)}`;
      } else if (!isComplete && !signal?.aborted) {
        answer.failure ??= 'the stream ended without [DONE]';
      }
      resolve(answer);
    });
    if (signal?.aborted) stop();
  });
}

/** The few events that are worth parsing: usage and errors. */
function readNumbers(data: string, answer: Answer): void {
  if (!data.includes('"usage":{') && !data.includes('"error":')) return;
  const { usage, error } = JSON.parse(Buffer.from(data, 'latin1').toString('utf8'));
  if (error) answer.failure = `in the stream: ${error.message}`;
  if (!usage) return;
  answer.promptTokens = usage.prompt_tokens;
  answer.outputTokens = usage.completion_tokens;
  answer.cachedTokens = usage.prompt_tokens_details?.cached_tokens ?? null;
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

export function summarize(answers: readonly Answer[], wallMs: number): Omit<Summary, Use> {
  const failures = answers.filter(({ failure }) => failure !== null);
  const isEstimate = answers.some(({ outputTokens }) => outputTokens === null);
  const sum = (value: (answer: Answer) => number | null) =>
    answers.reduce((total, answer) => total + (value(answer) ?? 0), 0);
  const outputTokens = sum(({ outputTokens, arrivals }) => outputTokens ?? arrivals.length);
  return {
    requests: answers.length,
    failures: failures.length,
    failure: failures[0]?.failure ?? null,
    wallMs,
    promptTokens: sum(({ promptTokens }) => promptTokens),
    outputTokens,
    isEstimate,
    tokensPerSecond: (outputTokens / wallMs) * 1000,
    ttftMs: quantiles(answers.flatMap(({ arrivals }) => arrivals.slice(0, 1))),
    itlMs: quantiles(answers.flatMap(({ arrivals }) => gaps(arrivals))),
  };
}

const PROMPT =
  'Tell me a short story about the sea, a small lighthouse on a rock far from the land, and its keeper.';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      streams: { type: 'string', default: '1,4,16,64' },
      requests: { type: 'string', default: '4' },
      'max-tokens': { type: 'string', default: '96' },
      model: { type: 'string' },
      key: { type: 'string' },
      pid: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const [url] = positionals;
  if (url === undefined || positionals.length > 1 || !URL.canParse(url)) {
    console.error(
      'Usage: npx tsx bench/load-client.ts URL [--streams 1,4,16,64] [--requests N] [--max-tokens N] [--model ID] [--key KEY] [--pid SERVER] [--json FILE]',
    );
    process.exitCode = 2;
    return;
  }
  const target = targetOf(url, values.key ?? null);
  const results: Summary[] = [];
  for (const n of values.streams.split(',').map(Number)) {
    const bodies = Array.from({ length: n }, (_, stream) =>
      Array.from({ length: Number(values.requests) }, (_, request) => ({
        ...(values.model === undefined ? {} : { model: values.model }),
        messages: [{ role: 'user', content: `${n}/${stream}/${request}: ${PROMPT}` }],
        temperature: 0,
        max_tokens: Number(values['max-tokens']),
      })),
    );
    results.push(await runLoad(target, bodies, values.pid ? Number(values.pid) : null));
  }
  console.log(summaryTable(results));
  for (const { failure, failures } of results) {
    if (failure) console.log(`${failures} failed; the first: ${failure}`);
  }
  if (values.json) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
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

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
