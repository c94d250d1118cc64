/** What is measured: the requests of each workload, and what the raw bound and the servers need to know about it. */
import type { Answer } from '../load/ask.js';
import { gaps, quantile } from '../load/statistics.js';
import { ask, type Measured, measured, runLoad, type Summary } from './load-client.js';
import type { ModelName } from './models.js';
import type { Wave } from './raw-bound.js';
import type { Served } from './servers.js';
import { editText, wordText } from './words.js';

export interface Measurement {
  summary: Summary;
  /** Further numbers of this workload, by name; the unit ends the name. */
  figures: Record<string, number>;
}

export interface Workload {
  /** What it is, for a table's caption. */
  title: string;
  model: ModelName;
  /** Numbers of streams that are measured by default. */
  streams: readonly number[];
  slots(streams: number): number;
  /** Tokens for each slot. */
  context: number;
  /** Compute threads; null: one for each core. */
  threads: number | null;
  speculation: boolean;
  /** Sent once before the measurement, all at the same time. */
  warmUp(streams: number, seed: string): object[];
  /** `seed` differs from round to round, so that no text comes twice. */
  measure(served: Served, streams: number, seed: string): Promise<Measurement>;
  /** The same work for llama-batched-bench; null where it has none. */
  waves: ((streams: number) => Wave[]) | null;
}

/** Tokens that the chat template adds to a user's message, and what comes before it to a system message. */
const TEMPLATE_TOKENS = 8;
/** Slots of a server that expects up to this many clients, as Pilotlight does by default. */
const USUAL_SLOTS = 16;
const slots = (streams: number) => Math.max(USUAL_SLOTS, streams);

function chatBody(text: string, output: number, system: string | null = null): object {
  const messages = [{ role: 'user', content: text }];
  if (system !== null) messages.unshift({ role: 'system', content: system });
  return { messages, temperature: 0, max_tokens: output };
}

const each = <T>(n: number, make: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => make(i));

/** Waves of requests: in each, every stream sends a prompt of its own and gets the same number of tokens. */
function waves(prompt: number, outputs: (streams: number) => number[]) {
  const words = prompt - TEMPLATE_TOKENS;
  return {
    warmUp: (streams: number, seed: string) =>
      each(streams, (s) => chatBody(wordText(`${seed}/warm/${s}`, words), 16)),
    measure: async (served: Served, streams: number, seed: string) => ({
      summary: await runLoad(
        served.target,
        each(streams, (s) =>
          outputs(streams).map((output, wave) =>
            chatBody(wordText(`${seed}/${s}/${wave}`, words), output),
          ),
        ),
        served.pid,
      ),
      figures: {},
    }),
    waves: (streams: number) => outputs(streams).map((output) => ({ streams, prompt, output })),
  };
}

const chat = waves(55, (streams) => (streams > USUAL_SLOTS ? [64, 96] : [48, 64, 96, 128]));
const overhead = waves(55, (streams) => each(streams > 4 ? 4 : 16, () => 128));

const PREFIX = 512;
const PREFIX_QUESTION = 24;
const PREFIX_OUTPUT = 32;
/** Each with another system prompt. */
const PREFIX_TURNS = 2;

function prefixBodies(streams: number, seed: string): object[] {
  const system = wordText(`${seed}/system`, PREFIX - TEMPLATE_TOKENS);
  return each(streams, (s) =>
    chatBody(wordText(`${seed}/${s}`, PREFIX_QUESTION), PREFIX_OUTPUT, system),
  );
}

async function measurePrefix(served: Served, streams: number, seed: string): Promise<Measurement> {
  const summary = await measured(streams, served.pid, async () => {
    const answers: Answer[] = [];
    for (let turn = 0; turn < PREFIX_TURNS; turn++) {
      const bodies = prefixBodies(streams, `${seed}/${turn}`);
      answers.push(...(await Promise.all(bodies.map((body) => ask(served.target, body)))));
    }
    return answers;
  });
  return { summary, figures: {} };
}

const LONG_PROMPT = 4000;
/** Tokens that each stream has got before the long prompt comes, and gets after it is answered. */
const SETTLED = 24;
const AFTERWARDS = 8;

async function measureArrival(served: Served, streams: number, seed: string): Promise<Measurement> {
  const stop = new AbortController();
  const counts: number[] = each(streams, () => 0);
  let wake = () => {};
  const untilEach = (isEnough: (count: number, stream: number) => boolean) =>
    new Promise<void>((resolve) => {
      wake = () => {
        if (!counts.every(isEnough)) return;
        wake = () => {};
        resolve();
      };
      wake();
    });
  let long: Answer | null = null;
  let answers: Answer[] = [];
  const summary = await measured(streams, served.pid, async () => {
    const running = each(streams, (s) =>
      ask(served.target, chatBody(wordText(`${seed}/${s}`, 47), 4000), {
        signal: stop.signal,
        onOutput: (n) => {
          counts[s] = n;
          wake();
        },
      }),
    );
    await untilEach((count) => count >= SETTLED);
    const text = wordText(`${seed}/long`, LONG_PROMPT - TEMPLATE_TOKENS);
    long = await ask(served.target, chatBody(text, 8));
    const before = [...counts];
    await untilEach((count, s) => count >= (before[s] ?? 0) + AFTERWARDS);
    stop.abort();
    answers = await Promise.all(running);
    return [...answers, long];
  });
  return { summary, figures: arrivalFigures(answers, long) };
}

/**
 * The gaps that lie in the time of the long prompt, at least in part, against those before it, those after it, and all.
 * The streams grow by hundreds of tokens meanwhile, so their own pace is another one after it.
 */
export function arrivalFigures(
  answers: readonly Measured[],
  long: Measured | null,
): Record<string, number> {
  if (long === null) return {};
  const begin = long.begunAt;
  const end = begin + (long.arrivals[0] ?? long.endMs);
  const before: number[] = [];
  const during: number[] = [];
  const after: number[] = [];
  for (const { begunAt, arrivals } of answers) {
    gaps(arrivals).forEach((gap, i) => {
      const from = begunAt + (arrivals[i] ?? 0);
      if (from + gap < begin) before.push(gap);
      else if (from <= end) during.push(gap);
      else after.push(gap);
    });
  }
  const medianOf = (values: number[]) =>
    quantile(
      [...values].sort((a, b) => a - b),
      0.5,
    );
  const worst = Math.max(...during);
  const median = medianOf(before);
  return {
    worst_gap_ms: worst,
    median_gap_before_ms: median,
    median_gap_after_ms: medianOf(after),
    worst_over_median: worst / median,
    worst_over_median_after: worst / medianOf(after),
    worst_over_median_of_all: worst / medianOf([...before, ...during, ...after]),
    long_prompt_ttft_ms: long.arrivals[0] ?? Number.NaN,
  };
}

const EDIT_WORDS = 280;
const EDIT_OUTPUT = 256;
/** One word in this many is wrong in the text that is to be given back. */
const EDIT_EVERY = 40;
const editBody = (seed: string, output: number) =>
  chatBody(editText(seed, EDIT_WORDS, EDIT_EVERY), output);

export const WORKLOADS = {
  chat: {
    title: 'Short chat: prompts of 55 tokens, 48 to 128 tokens each, every stream its own text',
    ...{ model: 'smol', streams: [1, 4, 16, 64], slots, context: 512, threads: null },
    ...{ speculation: false, ...chat },
  },
  prefix: {
    title: 'Shared prefix: one system prompt of 512 tokens, a question of 24 words each',
    ...{ model: 'smol', streams: [16], slots, context: 1024, threads: null, speculation: false },
    warmUp: (streams, seed) => prefixBodies(streams, `${seed}/warm`),
    measure: measurePrefix,
    waves: (streams) =>
      each(PREFIX_TURNS, () => [
        { streams, prompt: PREFIX, output: PREFIX_OUTPUT, isShared: true },
        { streams, prompt: PREFIX_QUESTION + 5, output: 1, isPrefillOnly: true },
      ]).flat(),
  },
  arrival: {
    title: 'A prompt of 4,000 tokens arrives while 8 streams run',
    ...{ model: 'smol', streams: [8], context: 5120, threads: null, speculation: false },
    slots: (streams) => streams + 1,
    warmUp: chat.warmUp,
    measure: measureArrival,
    waves: null,
  },
  overhead: {
    title:
      'Overhead: a tiny model, so that all that is not kernels shows; one compute thread, 128 tokens each',
    ...{ model: 'tiny', streams: [1, 4, 16, 64], slots, context: 512, threads: 1 },
    ...{ speculation: false, ...overhead },
  },
  edit: {
    title: 'Edit: a text of 280 words is given back with its few mistakes corrected, 256 tokens',
    ...{ model: 'edit', streams: [1, 4], slots, context: 1024, threads: null, speculation: true },
    warmUp: (streams, seed) => each(streams, (s) => editBody(`${seed}/warm/${s}`, 16)),
    measure: async (served, streams, seed) => ({
      summary: await runLoad(
        served.target,
        each(streams, (s) => each(2, (turn) => editBody(`${seed}/${s}/${turn}`, EDIT_OUTPUT))),
        served.pid,
      ),
      figures: {},
    }),
    waves: (streams) =>
      each(2, () => ({ streams, prompt: EDIT_WORDS + TEMPLATE_TOKENS, output: EDIT_OUTPUT })),
  },
} as const satisfies Record<string, Workload>;

export type WorkloadName = keyof typeof WORKLOADS;
