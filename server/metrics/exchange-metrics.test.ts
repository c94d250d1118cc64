import fc from 'fast-check';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../protocol/engine.js';
import { Exchange } from '../exchange/exchange.js';
import { doneEvent } from '../generation/test-generation.js';
import { testModel } from '../library/test-model.js';
import { ExchangeMetrics } from './exchange-metrics.js';
import { numberOf, readExposition } from './test-exposition.js';

/** Exchanges whose clock is set by hand. */
class Trial {
  readonly registry = new Registry();
  ms = 0;
  readonly metrics = new ExchangeMetrics(this.registry, () => this.ms);

  begin(id: string | null, route = '/v1/chat/completions'): Exchange {
    const exchange = new Exchange(
      {
        ...{ id: 'rcpt_1', requestId: 'req_1', method: 'POST', route },
        ...{ client: 'test', isOwner: false, beganAt: 0 },
      },
      () => null,
      [this.metrics],
    );
    exchange.begin();
    if (id !== null) exchange.open(testModel(id), []);
    return exchange;
  }

  async read() {
    return readExposition(await this.registry.metrics());
  }
}

const accepted: EngineEvent = { type: 'accepted', seq: 0, promptTokens: 7 };
const token = (index: number, seq = 0): EngineEvent => ({
  ...{ type: 'token', seq, index, tokenId: 1, text: '' },
});
const whole = { status: 200, complete: true, errorCode: null };

describe('the pace of an answer', () => {
  it('is shared by the tokens of one step', async () => {
    const trial = new Trial();
    const generation = trial.begin('m').follow(0);
    generation.step([accepted]);
    trial.ms = 100;
    generation.step([token(0)]);
    trial.ms = 130;
    generation.step([token(1), token(2), token(3)]);
    trial.ms = 135;
    generation.step([token(4)]);
    const read = await trial.read();
    const name = 'pilotlight_inter_token_latency_seconds';
    expect(numberOf(read, `${name}_count`, { model: 'm' })).toBe(4);
    expect(numberOf(read, `${name}_sum`)).toBeCloseTo(0.035);
    expect(numberOf(read, `${name}_bucket`, { le: '0.005' })).toBe(1);
    expect(numberOf(read, `${name}_bucket`, { le: '0.01' })).toBe(4);
    expect(numberOf(read, 'pilotlight_time_to_first_token_seconds_count')).toBe(1);
  });

  it('is each choice’s own, whatever steps they have in common', async () => {
    const steps = fc.array(
      fc.record({
        ms: fc.integer({ min: 0, max: 500 }),
        choices: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 6 }),
      }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const trial = new Trial();
        const generation = trial.begin('m').follow(0);
        const paces = new Map<number, { first: number; last: number; tokens: number }>();
        let index = 0;
        let sampled = 0;
        for (const { ms, choices } of all) {
          trial.ms += ms;
          generation.step(choices.map((seq) => token(index++, seq)));
          sampled += choices.length;
          for (const seq of new Set(choices)) {
            const before = paces.get(seq);
            const fresh = choices.filter((each) => each === seq).length;
            paces.set(seq, {
              first: before?.first ?? trial.ms,
              last: trial.ms,
              tokens: before === undefined ? 0 : before.tokens + fresh,
            });
          }
        }
        const read = await trial.read();
        const of = (name: string) => (sampled === 0 ? 0 : numberOf(read, `pilotlight_${name}`));
        const total = (pick: (pace: { first: number; last: number; tokens: number }) => number) =>
          [...paces.values()].reduce((sum, pace) => sum + pick(pace), 0);
        expect(of('output_tokens_total')).toBe(sampled);
        const timed = total(({ tokens }) => tokens);
        if (timed === 0) return;
        expect(of('inter_token_latency_seconds_count')).toBe(timed);
        const seconds = total(({ first, last }) => last - first) / 1000;
        expect(of('inter_token_latency_seconds_sum')).toBeCloseTo(seconds, 6);
      }),
    );
  });
});

describe('counts', () => {
  it('are there while the answer runs, and once only at its end', async () => {
    const trial = new Trial();
    const exchange = trial.begin('m');
    const generation = exchange.follow(0);
    generation.step([accepted]);
    generation.step([token(0)]);
    const early = await trial.read();
    expect(numberOf(early, 'pilotlight_prompt_tokens_total', { model: 'm' })).toBe(7);
    expect(numberOf(early, 'pilotlight_output_tokens_total', { model: 'm' })).toBe(1);
    const timings = {
      ...{ queueMs: 20, prefillMs: 300, ttftMs: 320, totalMs: 400, tokensPerSecond: 1 },
      ...{ draftedTokens: 10, acceptedTokens: 4 },
    };
    generation.step([token(1), doneEvent({ cachedTokens: 5, timings })]);
    generation.end();
    exchange.close(whole);
    const read = await trial.read();
    expect(numberOf(read, 'pilotlight_prompt_tokens_total')).toBe(7);
    expect(numberOf(read, 'pilotlight_cached_prompt_tokens_total')).toBe(5);
    expect(numberOf(read, 'pilotlight_output_tokens_total')).toBe(2);
    expect(numberOf(read, 'pilotlight_prefix_hits_total')).toBe(1);
    expect(numberOf(read, 'pilotlight_drafted_tokens_total')).toBe(10);
    expect(numberOf(read, 'pilotlight_accepted_draft_tokens_total')).toBe(4);
    expect(numberOf(read, 'pilotlight_queue_seconds_sum')).toBeCloseTo(0.02);
    expect(numberOf(read, 'pilotlight_prefill_seconds_sum')).toBeCloseTo(0.3);
    const labels = { route: '/v1/chat/completions', model: 'm' };
    expect(numberOf(read, 'pilotlight_requests_total', { ...labels, outcome: 'answered' })).toBe(1);
    expect(numberOf(read, 'pilotlight_request_duration_seconds_count', labels)).toBe(1);
  });

  it('tell how requests end', async () => {
    const trial = new Trial();
    trial.begin(null).close({ status: 400, complete: true, errorCode: null });
    trial.begin('m').close({ status: 503, complete: true, errorCode: 'out_of_memory' });
    trial.begin('m').close({ status: 0, complete: false, errorCode: null });
    const cancelled = trial.begin('m');
    cancelled.cancel();
    cancelled.close({ status: 400, complete: true, errorCode: 'request_cancelled' });
    const vectors = trial.begin('m', '/v1/embeddings');
    vectors.countPrompt(12);
    vectors.close(whole);
    const read = await trial.read();
    const requests = read.get('pilotlight_requests_total')?.samples ?? [];
    expect(requests.map(({ labels, value }) => [labels.model, labels.outcome, value])).toEqual([
      ['', 'failed', 1],
      ['m', 'failed', 1],
      ['m', 'left', 1],
      ['m', 'cancelled', 1],
      ['m', 'answered', 1],
    ]);
    expect(numberOf(read, 'pilotlight_request_errors_total', { code: '400' })).toBe(1);
    expect(numberOf(read, 'pilotlight_request_errors_total', { code: 'out_of_memory' })).toBe(1);
    expect(numberOf(read, 'pilotlight_prompt_tokens_total', { model: 'm' })).toBe(12);
    expect(numberOf(read, 'pilotlight_request_duration_seconds_count')).toBe(1);
    expect(numberOf(read, 'pilotlight_prefix_misses_total', { model: 'm' })).toBe(0);
  });
});

describe('a name', () => {
  it('of any characters comes through', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (id) => {
        const trial = new Trial();
        trial.begin(id).close(whole);
        expect(numberOf(await trial.read(), 'pilotlight_requests_total', { model: id })).toBe(1);
      }),
    );
  });
});
