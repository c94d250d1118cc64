// Without an engine process: a real one cannot be made to answer in this order.
import { expect, it } from 'vitest';
import type { ServerToEngine } from '../../protocol/engine-channel.js';
import { GenerationError } from '../generation/generation.js';
import { PendingCalls } from './pending-calls.js';

function start() {
  const sent: ServerToEngine[] = [];
  const calls = new PendingCalls((message) => sent.push(message));
  const client = new AbortController();
  const detokenize = () => calls.call('detokenize', { tokenIds: [1] }, client.signal);
  return { sent, calls, client, detokenize };
}

const result = { text: 'a', bytes: new Uint8Array([97]) };

it('answers reach their own call, in any order', async () => {
  const { calls, detokenize } = start();
  const [first, second] = [detokenize(), detokenize()];
  calls.done(2, { ...result, text: 'second' });
  calls.done(1, { ...result, text: 'first' });
  expect([(await first).text, (await second).text]).toEqual(['first', 'second']);
  expect(calls.size).toBe(0);
});

it('an abort rejects at once, tells the engine, and what comes later is nobody’s', async () => {
  const { sent, calls, client, detokenize } = start();
  const call = detokenize();
  client.abort();
  await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  expect(sent.at(-1)).toEqual({ type: 'cancel-call', id: 1 });
  calls.done(1, result);
  calls.failed(1, { code: 'cancelled', message: 'Late.', input: null });
  expect(calls.size).toBe(0);
});

it('an abort after the answer tells nobody', async () => {
  const { sent, calls, client, detokenize } = start();
  const call = detokenize();
  calls.done(1, result);
  expect(await call).toEqual(result);
  client.abort();
  expect(sent).toHaveLength(1);
});

it('nothing is sent for a client that has gone before', async () => {
  const { sent, client, detokenize } = start();
  client.abort();
  await expect(detokenize()).rejects.toMatchObject({ code: 'cancelled' });
  expect(sent).toEqual([]);
});

it('a failure names the input at fault', async () => {
  const { calls, detokenize } = start();
  const call = detokenize();
  calls.failed(1, { code: 'invalid_prompt', message: 'Input 3 is empty.', input: 3 });
  await expect(call).rejects.toMatchObject({ code: 'invalid_prompt', input: 3 });
});

it('the end of the process rejects every call', async () => {
  const { calls, detokenize } = start();
  const pending = [detokenize(), detokenize()];
  calls.rejectAll(new GenerationError('engine_crashed', 'It ended.'));
  for (const call of pending) await expect(call).rejects.toMatchObject({ code: 'engine_crashed' });
});
