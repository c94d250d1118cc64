/** What each dialect says about an answer's length and end, for tests of all of them. */
import { DIALECTS, type Dialect } from './test-dialects.js';

export interface Ending {
  prompt: number | undefined;
  output: number | undefined;
  reason: string | undefined;
}

interface Told {
  usage?: Record<string, number> | null;
  choices?: { finish_reason: string | null }[];
  response?: Told;
  status?: string;
  stop_reason?: string;
  delta?: Told;
  prompt_eval_count?: number;
  eval_count?: number;
  done_reason?: string;
  prompt_tokens?: number;
  output_tokens?: number;
  finish_reason?: string;
}

/** All JSON of an answer, streamed or not, in whatever frame. */
export function toldIn(bytes: string): Told[] {
  const lines = bytes.split('\n').map((line) => line.replace(/^data: /, ''));
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
}

const last = (told: readonly Told[]): Told => told.at(-1) ?? {};

function openaiEnding(told: readonly Told[]): Ending {
  const usage = told.findLast((each) => each.usage)?.usage;
  const reasons = told.map(({ choices }) => choices?.[0]?.finish_reason);
  return {
    prompt: usage?.prompt_tokens,
    output: usage?.completion_tokens,
    reason: reasons.findLast((reason) => reason) ?? undefined,
  };
}

function ollamaEnding(told: readonly Told[]): Ending {
  const { prompt_eval_count: prompt, eval_count: output, done_reason: reason } = last(told);
  return { prompt, output, reason };
}

const MORE = { stream_options: { include_usage: true } };
const REASONS: Record<string, string> = { max_tokens: 'length', end_turn: 'stop' };

/** `more`: what a stream must be asked for, so that it tells. */
export const ENDINGS: Readonly<
  Record<string, { more?: object; ending(told: readonly Told[]): Ending }>
> = {
  'chat completions': { more: MORE, ending: openaiEnding },
  completions: { more: MORE, ending: openaiEnding },
  'token ids': { more: MORE, ending: openaiEnding },
  generate: {
    ending: (told) => {
      const { prompt_tokens: prompt, output_tokens: output, finish_reason: reason } = last(told);
      return { prompt, output, reason };
    },
  },
  responses: {
    ending: (told) => {
      const { usage, status } = last(told).response ?? last(told);
      const reason = status === 'completed' ? 'stop' : 'length';
      return { prompt: usage?.input_tokens, output: usage?.output_tokens, reason };
    },
  },
  messages: {
    ending: (told) => {
      const { usage, delta, stop_reason } = told.findLast((each) => each.usage) ?? {};
      const reason = REASONS[delta?.stop_reason ?? stop_reason ?? ''];
      const prompt = (usage?.input_tokens ?? 0) + (usage?.cache_read_input_tokens ?? 0);
      return { prompt, output: usage?.output_tokens, reason };
    },
  },
  'Ollama chat': { ending: ollamaEnding },
  'Ollama generate': { ending: ollamaEnding },
};

/** The dialect, asked for the usage where a stream does not tell it by itself. */
export function withUsage(name: string): Dialect {
  const dialect = DIALECTS[name];
  if (!dialect) throw new RangeError(`there is no dialect ${name}`);
  return {
    ...dialect,
    body: (question) => ({
      ...dialect.body(question),
      ...(question.stream ? ENDINGS[name]?.more : {}),
    }),
  };
}
