import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngineEvent, FinishReason } from '../../protocol/engine.js';
import type { ChatCompletionChunk } from '../../protocol/openai.js';
import { ChunkEncoder, DONE } from './chunks.js';

const HEADER = {
  id: 'chatcmpl-1',
  created: 1_700_000_000,
  model: 'tést "模型"',
  includeUsage: false,
  choices: 1,
};
const TIMINGS = {
  queueMs: 1,
  prefillMs: 2.34567,
  ttftMs: 3,
  totalMs: 4,
  tokensPerSecond: 5,
  draftedTokens: 7,
  acceptedTokens: 6,
};

const token = (index: number, text: string): EngineEvent => ({
  type: 'token',
  seq: 0,
  index,
  tokenId: 7,
  text,
});
const delta = (content: string, reasoning = ''): EngineEvent => ({
  type: 'delta',
  seq: 0,
  content,
  reasoning,
  toolCalls: [],
});
const done = (finishReason: FinishReason = 'eog'): EngineEvent => ({
  type: 'done',
  seq: 0,
  finishReason,
  promptTokens: 10,
  cachedTokens: 4,
  outputTokens: 3,
  timings: TIMINGS,
});

function chunks(payloads: string[]): ChatCompletionChunk[] {
  return payloads.filter((text) => text !== DONE).map((text) => JSON.parse(text));
}

describe('a stream of chunks', () => {
  const encoder = new ChunkEncoder(HEADER);
  const batches = [
    encoder.encode([token(0, 'Hé'), delta('Hé')]),
    encoder.encode([token(1, '')]),
    encoder.encode([token(2, '"\n')]),
    encoder.encode([delta('"\n'), done()]),
  ];

  it('begins with the role and empty text, at the first token', () => {
    expect(chunks(batches[0] ?? [])).toEqual([
      {
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1_700_000_000,
        model: 'tést "模型"',
        choices: [
          {
            index: 0,
            delta: { role: 'assistant', content: '' },
            logprobs: null,
            finish_reason: null,
          },
        ],
      },
      expect.objectContaining({
        choices: [{ index: 0, delta: { content: 'Hé' }, logprobs: null, finish_reason: null }],
      }),
    ]);
  });

  it('has nothing for a token without text', () => {
    expect(batches[1]).toEqual([]);
    expect(batches[2]).toEqual([]);
  });

  it('ends with an empty delta and the reason, after all text, then [DONE]', () => {
    const last = batches[3] ?? [];
    expect(chunks(last).map(({ choices }) => choices[0])).toEqual([
      { index: 0, delta: { content: '"\n' }, logprobs: null, finish_reason: null },
      { index: 0, delta: {}, logprobs: null, finish_reason: 'stop' },
    ]);
    expect(last.at(-1)).toBe(DONE);
    expect(chunks(last).at(-1)?.timings).toEqual({
      queue_ms: 1,
      prefill_ms: 2.346,
      ttft_ms: 3,
      total_ms: 4,
      tokens_per_s: 5,
      drafted_tokens: 7,
      accepted_tokens: 6,
    });
  });

  it('has one id and no usage anywhere', () => {
    for (const chunk of chunks(batches.flat())) {
      expect(chunk.id).toBe('chatcmpl-1');
      expect(chunk).not.toHaveProperty('usage');
    }
  });
});

describe('usage', () => {
  it('comes in a chunk of its own without choices, and as null in all others', () => {
    const encoder = new ChunkEncoder({ ...HEADER, includeUsage: true });
    const payloads = encoder.encode([token(0, 'a'), delta('a'), done('length')]);
    const all = chunks(payloads);
    expect(all.map(({ usage }) => usage === null)).toEqual([true, true, true, false]);
    expect(all.at(-1)).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'tést "模型"',
      choices: [],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 3,
        total_tokens: 13,
        prompt_tokens_details: { cached_tokens: 4 },
      },
    });
    expect(all.at(-2)?.choices[0]?.finish_reason).toBe('length');
    expect(payloads.at(-1)).toBe(DONE);
  });
});

describe('an answer without text', () => {
  it('still has a role and a finish', () => {
    const all = chunks(new ChunkEncoder(HEADER).encode([done()]));
    expect(all.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: 'assistant', content: '' },
      {},
    ]);
  });
});

describe('reasoning', () => {
  it('goes into reasoning_content, before the content of the same step', () => {
    const all = chunks(new ChunkEncoder(HEADER).encode([delta('answer', 'thought')]));
    expect(all.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'thought' },
      { content: 'answer' },
    ]);
  });
});

describe('several choices', () => {
  const of = (seq: number, event: EngineEvent): EngineEvent => ({ ...event, seq });
  const encoder = new ChunkEncoder({ ...HEADER, includeUsage: true, choices: 2 });
  const payloads = [
    encoder.encode([of(1, token(0, 'b')), of(1, delta('b'))]),
    encoder.encode([of(0, token(0, 'a')), of(0, delta('a')), of(1, done('length'))]),
    encoder.encode([of(0, done())]),
  ].flat();

  it('have a role, text and a finish each, in any order', () => {
    const told = (index: number) =>
      chunks(payloads).flatMap(({ choices }) => choices.filter((choice) => choice.index === index));
    for (const [index, text, reason] of [
      [0, 'a', 'stop'],
      [1, 'b', 'length'],
    ] as const) {
      expect(told(index).map((choice) => choice.delta)).toEqual([
        { role: 'assistant', content: '' },
        { content: text },
        {},
      ]);
      expect(told(index).at(-1)?.finish_reason).toBe(reason);
    }
  });

  it('have one usage and one [DONE], after the last of them', () => {
    expect(payloads.filter((payload) => payload === DONE)).toHaveLength(1);
    expect(payloads.at(-1)).toBe(DONE);
    expect(chunks(payloads).at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 10, completion_tokens: 6, total_tokens: 16 },
    });
  });
});

describe('log probabilities', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const likely = (index: number, text: string): EngineEvent => ({
    ...(token(index, text) as Extract<EngineEvent, { type: 'token' }>),
    logprobs: [
      { tokenId: 1, logprob: -0.5, bytes: bytes(text) },
      { tokenId: 2, logprob: Number.NEGATIVE_INFINITY, bytes: new Uint8Array([0xc3]) },
    ],
  });

  it('come once for each token, with the text that the token completes or at the end', () => {
    const encoder = new ChunkEncoder(HEADER);
    const all = chunks([
      ...encoder.encode([likely(0, 'a')]),
      ...encoder.encode([likely(1, 'b'), delta('ab')]),
      ...encoder.encode([likely(2, '')]),
      ...encoder.encode([done()]),
    ]);
    const tokens = all.map(({ choices }) => choices[0]?.logprobs?.content.map((t) => t.token));
    expect(tokens).toEqual([undefined, ['a', 'b'], ['']]);
    expect(all[1]?.choices[0]?.logprobs?.content[0]).toEqual({
      token: 'a',
      logprob: -0.5,
      bytes: [97],
      top_logprobs: [{ token: '\ufffd', logprob: -9999, bytes: [0xc3] }],
    });
  });
});

describe('tool calls', () => {
  it('have their id and name in the first piece only', () => {
    const call = (toolCalls: object[]): EngineEvent => ({ ...delta(''), toolCalls }) as EngineEvent;
    const all = chunks(
      new ChunkEncoder(HEADER).encode([
        call([{ index: 0, id: 'call1', name: 'weather', arguments: '' }]),
        call([
          { index: 0, arguments: '{"a":' },
          { index: 0, arguments: '1}' },
        ]),
        done('tool_calls'),
      ]),
    );
    expect(all.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: 'assistant', content: '' },
      {
        tool_calls: [
          { index: 0, id: 'call1', type: 'function', function: { name: 'weather', arguments: '' } },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '1}' } }] },
      {},
    ]);
    expect(all.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
  });
});

describe('an error in mid-stream', () => {
  it('is one error object of four keys, with no [DONE] after it', () => {
    const payloads = new ChunkEncoder(HEADER).encode([
      { type: 'error', seq: 0, code: 'engine_crashed', message: 'The engine ended.' },
    ]);
    expect(payloads.map((text) => JSON.parse(text))).toEqual([
      {
        error: {
          message: 'The engine ended.',
          type: 'server_error',
          param: null,
          code: 'engine_crashed',
        },
      },
    ]);
  });
});

it('loses no text, whatever it is and however it is cut', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 });
  fc.assert(
    fc.property(fc.array(fc.array(text)), (steps) => {
      const encoder = new ChunkEncoder(HEADER);
      const payloads = steps.flatMap((step) => encoder.encode(step.map((part) => delta(part))));
      expect(payloads.every((payload) => !payload.includes('\n'))).toBe(true);
      const joined = chunks(payloads).map(({ choices }) => choices[0]?.delta.content ?? '');
      expect(joined.join('')).toBe(steps.flat().join(''));
      // Only the role chunk may carry no text.
      expect(joined.slice(1).every((part) => part !== '')).toBe(true);
    }),
  );
});
