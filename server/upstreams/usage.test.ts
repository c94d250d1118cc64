import { describe, expect, it } from 'vitest';
import { type AnswerKind, UsageReader } from './usage.js';

function read(kind: AnswerKind, ...parts: string[]) {
  const reader = new UsageReader(kind);
  for (const part of parts) reader.push(Buffer.from(part));
  reader.end();
  return reader.counts;
}

const counts = (promptTokens: number, cachedTokens: number, outputTokens: number) => ({
  promptTokens,
  cachedTokens,
  outputTokens,
});

const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;

describe('the counts of an answer in one piece', () => {
  it.each([
    [
      "OpenAI's",
      {
        usage: {
          prompt_tokens: 7,
          completion_tokens: 5,
          prompt_tokens_details: { cached_tokens: 3 },
        },
      },
      counts(7, 3, 5),
    ],
    [
      "OpenAI's with nulls, as vLLM",
      { usage: { prompt_tokens: 7, completion_tokens: 5, prompt_tokens_details: null } },
      counts(7, 0, 5),
    ],
    [
      "OpenAI's Responses",
      { usage: { input_tokens: 7, output_tokens: 5, input_tokens_details: { cached_tokens: 3 } } },
      counts(7, 3, 5),
    ],
    [
      "Anthropic's, whose input is without the cache",
      {
        usage: {
          input_tokens: 4,
          output_tokens: 5,
          cache_read_input_tokens: 3,
          cache_creation_input_tokens: 1,
        },
      },
      counts(8, 3, 5),
    ],
    ["Ollama's", { done: true, prompt_eval_count: 7, eval_count: 5 }, counts(7, 0, 5)],
    ['of embeddings', { usage: { prompt_tokens: 7, total_tokens: 7 } }, counts(7, 0, 0)],
    [
      'typed events',
      { text: '', prompt_tokens: 7, cached_tokens: 3, output_tokens: 5 },
      counts(7, 3, 5),
    ],
    ["llama-server's", { timings: { prompt_n: 4, cache_n: 3, predicted_n: 5 } }, counts(7, 3, 5)],
  ])('are read from %s', (_, answer, expected) => {
    const text = JSON.stringify(answer);
    expect(read('whole', text.slice(0, 9), text.slice(9))).toEqual(expected);
  });

  it.each(['', '[]', '{"usage":', '{"usage":null}', '{"usage":{"prompt_tokens":-1}}', '"usage"'])(
    'are none where it says none: %j',
    (text) => {
      expect(read('whole', text)).toBeNull();
    },
  );
});

describe('the counts of a stream', () => {
  it('are the last that it tells', () => {
    expect(
      read(
        'events',
        event({ usage: { prompt_tokens: 7, completion_tokens: 1 } }),
        event({ usage: { prompt_tokens: 7, completion_tokens: 2 } }) + event({ usage: null }),
        'data: [DONE]\n\n',
      ),
    ).toEqual(counts(7, 0, 2));
  });

  it('come in parts from Anthropic', () => {
    const start = { message: { usage: { input_tokens: 4, cache_read_input_tokens: 3 } } };
    expect(
      read('events', event(start), event({ type: 'message_delta', usage: { output_tokens: 9 } })),
    ).toEqual(counts(7, 3, 9));
  });

  it("come in the response of Responses' last event, and in Ollama's last line", () => {
    const last = { response: { usage: { input_tokens: 7, output_tokens: 5 } } };
    expect(read('events', event({ response: { usage: null } }), event(last))).toEqual(
      counts(7, 0, 5),
    );
    expect(
      read('lines', '{"done":false}\n{"done":true,"prompt_eval_count":7,"eval_count":5}\n'),
    ).toEqual(counts(7, 0, 5));
  });

  it('are none where only its texts speak of usage', () => {
    expect(read('events', event({ text: '"usage": {"prompt_tokens": 1}' }))).toBeNull();
  });
});
