import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../protocol/engine.js';
import { Exchange } from '../exchange/exchange.js';
import { chatPrompt, doneEvent, greedy } from '../generation/test-generation.js';
import type { LibraryModel } from '../library/model.js';
import { BASE_BYTES } from './capture.js';
import { Inspector } from './inspector.js';

const MODEL = { id: 'm' } as LibraryModel;
const INPUT = greedy(chatPrompt('Hi.'), 9);

function inspecting(maxBytes?: number) {
  let status: 'loading' | 'loaded' = 'loaded';
  const pool = {
    status: () => ({
      ...{ status, progress: 0.25, reason: null, contextLength: null, devices: null },
      ...{ memoryBytes: null, lastUsedAt: null, running: 0, waiting: 0 },
      ...{ isPinned: false, isStale: false },
    }),
  };
  const inspector = new Inspector({ pool, ...(maxBytes === undefined ? {} : { maxBytes }) });
  inspector.switch(true, 3);
  let last = 0;
  const begin = (body: unknown = { messages: [] }) => {
    last++;
    const exchange = new Exchange(
      {
        ...{ id: `rcpt_${last}`, requestId: `req_${last}`, method: 'POST', route: '/v1/x' },
        ...{ client: 'test', isOwner: false, beganAt: 1 },
      },
      () => body,
      [inspector],
    );
    exchange.begin();
    return exchange;
  };
  const rowOf = ({ head }: Exchange) => inspector.state().live.find(({ id }) => id === head.id);
  return {
    ...{ inspector, begin, rowOf },
    isLoading: (value: boolean) => {
      status = value ? 'loading' : 'loaded';
    },
  };
}

const accepted = (text: string): EngineEvent => ({
  ...{ type: 'accepted', seq: 0, promptTokens: 2 },
  prompt: { text, tokenIds: new Int32Array([1, 2]) },
});

const token = (index: number, text = 'x'): EngineEvent => ({
  ...{ type: 'token', seq: 0, index, tokenId: 7, text },
});

const close = (exchange: Exchange) =>
  exchange.close({ status: 200, complete: true, errorCode: null });

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

describe('what is kept', () => {
  it('is the last ones, in order of their ends', () => {
    const { inspector, begin } = inspecting();
    const [slow, ...others] = Array.from({ length: 5 }, () => begin());
    for (const exchange of others) close(exchange);
    if (slow) close(slow);
    expect(idsOf(inspector.state().kept)).toEqual(['rcpt_4', 'rcpt_5', 'rcpt_1']);
    inspector.switch(true, 1);
    expect(idsOf(inspector.state().kept)).toEqual(['rcpt_1']);
    expect(inspector.find('rcpt_5')).toBeNull();
  });

  it('takes no more memory than there is for it; the oldest go first', () => {
    const room = 2 * (BASE_BYTES + 10_000);
    const { inspector, begin } = inspecting(room);
    for (let i = 0; i < 3; i++) {
      close(begin({ text: 'x'.repeat(9_000) }));
      expect(inspector.state().bytes).toBeLessThanOrEqual(room);
    }
    expect(idsOf(inspector.state().kept)).toEqual(['rcpt_2', 'rcpt_3']);
    // What has no room at all pushes nobody out.
    close(begin({ text: 'x'.repeat(room) }));
    const last = inspector.find('rcpt_4');
    expect(idsOf(inspector.state().kept)).toEqual(['rcpt_3', 'rcpt_4']);
    expect(last && inspector.detail(last)).toMatchObject({ body: null, left_out: ['body'] });
  });

  it('is cut where an answer is too long, and says so', () => {
    const { inspector, begin } = inspecting(BASE_BYTES + 20_000);
    const exchange = begin();
    exchange.open(MODEL, ['foo'], [INPUT]);
    const following = exchange.follow(0);
    following.step([accepted('p')]);
    for (let i = 0; i < 1000; i++) following.step([token(i)]);
    following.step([doneEvent({ outputTokens: 1000 })]);
    following.end();
    close(exchange);
    const capture = inspector.find('rcpt_1');
    if (!capture) throw new TypeError('expected a capture');
    const detail = inspector.detail(capture);
    expect(detail.left_out).toEqual(['answers']);
    const [answer] = detail.answers;
    expect(answer?.token_ids.length).toBeGreaterThan(100);
    expect(answer?.text).toBe('x'.repeat(answer?.token_ids.length ?? 0));
    expect(detail.end).toMatchObject({ output_tokens: 1000 });
    expect(detail.prompts).toEqual([{ text: 'p', token_ids: [1, 2] }]);
  });

  it('is gone as soon as it is switched off, also of what still runs', () => {
    const { inspector, begin } = inspecting();
    close(begin());
    const running = begin();
    running.open(MODEL, [], [INPUT]);
    const following = running.follow(0);
    following.step([accepted('secret')]);
    const { on } = inspector;
    inspector.switch(false, 3);
    expect(on?.aborted).toBe(true);
    expect(inspector.state()).toMatchObject({ enabled: false, bytes: 0, kept: [] });
    inspector.switch(true, 3);
    following.step([token(0, 'secret')]);
    expect(inspector.find('rcpt_2')).toBeNull();
    following.step([doneEvent()]);
    following.end();
    close(running);
    expect(inspector.state()).toMatchObject({ enabled: true, bytes: 0, kept: [], live: [] });
  });

  it('asks the engine for the prompt, and only while it is on', () => {
    const { inspector, begin } = inspecting();
    const shown = begin();
    shown.open(MODEL, [], [INPUT]);
    inspector.switch(false, 3);
    const unshown = begin();
    unshown.open(MODEL, [], [INPUT]);
    expect([shown.showsPrompt, unshown.showsPrompt]).toEqual([true, false]);
  });
});

describe('what runs', () => {
  it('is told stage by stage, also while the inspector is off', () => {
    const { inspector, begin, rowOf, isLoading } = inspecting();
    inspector.switch(false, 3);
    const exchange = begin();
    expect(rowOf(exchange)).toMatchObject({ stage: 'reading', model: null, inspected: false });
    isLoading(true);
    exchange.open(MODEL, [], [INPUT]);
    expect(rowOf(exchange)).toMatchObject({ stage: 'loading', progress: 0.25, model: 'm' });
    isLoading(false);
    expect(rowOf(exchange)).toMatchObject({ stage: 'queued', ahead: null });
    const following = exchange.follow(0);
    const progress = {
      type: 'progress',
      seq: 0,
      queued: 0,
      prefilled: 0,
      promptTokens: 8,
    } as const;
    following.step([
      { type: 'accepted', seq: 0, promptTokens: 8 },
      { ...progress, queued: 2 },
    ]);
    expect(rowOf(exchange)).toMatchObject({ stage: 'queued', ahead: 2, prompt_tokens: 8 });
    following.step([{ ...progress, prefilled: 2 }]);
    expect(rowOf(exchange)).toMatchObject({ stage: 'prefill', progress: 0.25, ahead: null });
    following.step([token(0)]);
    expect(rowOf(exchange)).toMatchObject({ stage: 'running', output_tokens: 1, tokens_per_s: 0 });
    exchange.cancel();
    expect(rowOf(exchange)).toMatchObject({ cancelled: true });
    following.step([doneEvent({ finishReason: 'cancelled' })]);
    following.end();
    close(exchange);
    expect(inspector.state().live).toEqual([]);
  });

  it('has no queue where there is nothing to generate', () => {
    const { begin, rowOf } = inspecting();
    const exchange = begin();
    exchange.open(MODEL, []);
    expect(rowOf(exchange)).toMatchObject({ stage: 'running', inspected: true });
  });
});
