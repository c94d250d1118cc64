// What every dialect says about an answer's length and end, against what the engine has sampled.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestModelName } from '../../scripts/test-models/catalogue.js';
import { BROKEN_UTF8_PIECES } from '../../scripts/test-models/scripts.js';
import { startTestServer, type TestServer } from '../test-server.js';
import { ask, DIALECTS, type Dialect, readAll } from './test-dialects.js';
import { Wiretap } from './test-wiretap.js';

const tap = new Wiretap();
let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({
    models: ['scripted', 'broken-utf8', 'thinking', 'random'],
    wrap: tap.wrap,
  });
});
afterAll(() => test.close());
beforeEach(() => tap.clear());

interface Ending {
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
function toldIn(bytes: string): Told[] {
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

const ENDINGS: Readonly<Record<string, { more?: object; ending(told: readonly Told[]): Ending }>> =
  {
    'chat completions': { more: MORE, ending: openaiEnding },
    completions: { more: MORE, ending: openaiEnding },
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

interface Case {
  model: TestModelName;
  maxTokens: number;
  output: number;
  reason: 'stop' | 'length';
}

const CASES: Readonly<Record<string, Case>> = {
  'one token': { model: 'scripted', maxTokens: 1, output: 1, reason: 'length' },
  'as many as there are': { model: 'scripted', maxTokens: 22, output: 22, reason: 'length' },
  'the end where the last token might come': {
    ...{ model: 'scripted', maxTokens: 23, output: 22, reason: 'stop' },
  },
  'a last token that begins a character': {
    ...{ model: 'broken-utf8', maxTokens: 2, output: 2, reason: 'length' },
  },
  'tokens without text': {
    ...{ model: 'broken-utf8', maxTokens: 100, output: BROKEN_UTF8_PIECES.length, reason: 'stop' },
  },
  'a last token that is no text of the answer': {
    ...{ model: 'thinking', maxTokens: 1, output: 1, reason: 'length' },
  },
};

describe.each(Object.entries(CASES))('%s', (_, { model, maxTokens, output, reason }) => {
  describe.each([true, false])('stream: %s', (stream) => {
    it.each(Object.entries(ENDINGS))('%s', async (name, { more, ending }) => {
      const dialect = DIALECTS[name] as Dialect;
      const body: Dialect['body'] = (question) => ({
        ...dialect.body(question),
        ...(stream ? more : {}),
      });
      // Behind this text, the models say the same as in a chat.
      const question = { model, text: 'Hi', maxTokens, stream };
      const told = toldIn(await readAll(await ask(test, { ...dialect, body }, question)));
      const [done] = tap.ends();
      expect(ending(told)).toEqual({ prompt: done?.promptTokens, output, reason });
      expect(tap.tokens()).toBe(output);
    });
  });
});

it('every dialect is among them', () => {
  expect(Object.keys(ENDINGS).sort()).toEqual(Object.keys(DIALECTS).sort());
});
