import { expect, test } from 'vitest';
import type { EngineEvent } from '../../protocol/engine.js';
import { LONG_CYCLE_TEXT, SCRIPTED_SENTENCE } from '../../scripts/test-models/scripts.js';
import type { Generation } from '../generation/generation.js';
import { chatPrompt, greedy } from '../generation/test-generation.js';
import { testPools } from './test-pool.js';

const { start, model } = testPools();

const input = (maxTokens: number | null, text = 'Hello') => greedy(chatPrompt(text), maxTokens);

async function collect(generation: Generation): Promise<EngineEvent[]> {
  await generation.accepted;
  const events: EngineEvent[] = [];
  for await (const batch of generation.events) events.push(...batch);
  return events;
}

const textOf = (events: EngineEvent[]) =>
  events.map((event) => (event.type === 'delta' ? event.content : '')).join('');

const never = () => new AbortController().signal;

test('a request loads its model and is answered', async () => {
  const { pool } = start();
  const events = await collect(pool.generate(model('scripted'), input(null), never()));
  expect(textOf(events)).toBe(SCRIPTED_SENTENCE);
  expect(events.at(-1)).toMatchObject({ type: 'done', finishReason: 'eog', outputTokens: 22 });
  expect(pool.status(model('scripted'))).toMatchObject({ status: 'loaded', contextLength: 2048 });
});

test('sixteen requests share one process and all are answered', async () => {
  const { pool, processes } = start({ parallel: 16 });
  const all = await Promise.all(
    Array.from({ length: 16 }, () =>
      collect(pool.generate(model('scripted-long'), input(50), never())),
    ),
  );
  expect(processes).toHaveLength(1);
  for (const events of all) {
    expect(textOf(events)).toBe(textOf(all[0] ?? []));
    expect(LONG_CYCLE_TEXT.repeat(50)).toContain(textOf(events).slice(1));
  }
});

test('killed in mid-stream: an error event, crashed with its reason, and the next request loads it again', async () => {
  const { pool, processes, until } = start();
  const generation = pool.generate(model('scripted-long'), input(null), never());
  await generation.accepted;
  const events: EngineEvent[] = [];
  for await (const batch of generation.events) {
    events.push(...batch);
    if (events.length === batch.length) process.kill(processes[0]?.pid ?? 0, 'SIGKILL');
  }
  expect(events.at(-1)).toMatchObject({ type: 'error', code: 'engine_crashed' });
  await until(() => pool.status(model('scripted-long')).status === 'crashed');
  expect(pool.status(model('scripted-long')).reason).toMatch(/killed/);
  expect(pool.counts()).toEqual({ running: 0, waiting: 0 });

  const again = await collect(pool.generate(model('scripted-long'), input(5), never()));
  expect(again.at(-1)).toMatchObject({ type: 'done', finishReason: 'length' });
  expect(processes).toHaveLength(2);
});

test('an abort ends the sequence and frees its slot for the one that waits', async () => {
  const { pool } = start({ parallel: 1 });
  const client = new AbortController();
  const first = pool.generate(model('scripted-long'), input(null), client.signal);
  await first.accepted;
  const second = pool.generate(model('scripted-long'), input(5), never());
  await second.accepted;
  client.abort();
  expect((await collect(first)).at(-1)).toMatchObject({ type: 'done', finishReason: 'cancelled' });
  expect((await collect(second)).at(-1)).toMatchObject({ type: 'done', finishReason: 'length' });
});

test('an aborted request that waits never starts', async () => {
  const { pool } = start({ parallel: 1 });
  const running = new AbortController();
  const first = pool.generate(model('scripted-long'), input(null), running.signal);
  await first.accepted;
  const queued = new AbortController();
  const second = pool.generate(model('scripted-long'), input(null), queued.signal);
  await second.accepted;
  queued.abort();
  expect(await collect(second)).toMatchObject([
    { type: 'done', finishReason: 'cancelled', outputTokens: 0 },
  ]);
  running.abort();
});

test('an abort while the model loads leaves the model alone', async () => {
  const { pool } = start();
  const client = new AbortController();
  const generation = pool.generate(model('scripted'), input(null), client.signal);
  client.abort();
  await expect(generation.accepted).rejects.toMatchObject({ code: 'cancelled' });
  await pool.load(model('scripted'));
  expect(pool.status(model('scripted')).status).toBe('loaded');
});

test('a reader that stops pauses its own sequence and no other', async () => {
  const { pool } = start({ parallel: 2 });
  const client = new AbortController();
  const slow = pool.generate(model('scripted-long'), input(1500), client.signal);
  await slow.accepted;
  const reader = slow.events[Symbol.asyncIterator]();
  await reader.next();
  // the other one runs to its end while nobody reads the first
  const other = await collect(pool.generate(model('scripted-long'), input(1500), never()));
  expect(other.at(-1)).toMatchObject({ type: 'done', outputTokens: 1500 });
  expect(pool.counts().running).toBe(1);

  let tokens = 1;
  for (let next = await reader.next(); !next.done; next = await reader.next()) {
    tokens += next.value.filter((event) => event.type === 'token').length;
  }
  expect(tokens).toBe(1500);
});

test.each([
  ['truncated', 'truncated'],
  ['not-a-model', 'not_a_gguf'],
  ['unknown-arch', 'unsupported_architecture'],
  ['bad-template', 'bad_chat_template'],
] as const)('%s fails to load with %s and a sentence', async (id, code) => {
  const { pool } = start();
  const generation = pool.generate(model(id), input(1), never());
  await expect(generation.accepted).rejects.toMatchObject({ code, message: /\w{3,}.*\./ });
  expect(pool.status(model(id))).toMatchObject({
    status: 'failed',
    reason: expect.stringMatching(/\./),
  });
});

test('a prompt that does not fit is refused with both counts', async () => {
  const { pool } = start();
  const generation = pool.generate(model('random'), input(1, 'word '.repeat(5000)), never());
  await expect(generation.accepted).rejects.toMatchObject({
    code: 'context_length_exceeded',
    message: expect.stringMatching(/prompt is too long: \d+ tokens > 2048 maximum/),
  });
});

test('closing ends every stream and every process', async () => {
  const { pool, processes } = start();
  const generation = pool.generate(model('scripted-long'), input(null), never());
  await generation.accepted;
  await pool.close();
  expect((await collect(generation)).at(-1)).toMatchObject({ type: 'error' });
  expect(() => process.kill(processes[0]?.pid ?? 0, 0)).toThrow(/ESRCH/);
});

test('closing gives up a load that is under way', async () => {
  const { pool, processes, until } = start();
  const loading = pool.load(model('slow'));
  const ended = expect(loading).rejects.toMatchObject({
    code: expect.stringMatching(/^(cancelled|shutting_down)$/),
  });
  await until(() => processes.length === 1 || pool.status(model('slow')).status === 'loaded');
  await pool.close();
  await ended;
  expect(pool.status(model('slow')).status).toBe('unloaded');
});

test('an unloaded model ends its streams as shutting down, not as a crash', async () => {
  const { pool } = start();
  const generation = pool.generate(model('scripted-long'), input(null), never());
  await generation.accepted;
  const ending = collect(generation);
  await pool.close();
  expect((await ending).at(-1)).toMatchObject({ type: 'error', code: 'shutting_down' });
});

test('an engine that dies with every answer is not started in a tight loop', async () => {
  const { pool, processes, until } = start();
  for (let i = 0; i < 2; i++) {
    const generation = pool.generate(model('scripted-long'), input(null), never());
    await generation.accepted;
    process.kill(processes.at(-1)?.pid ?? 0, 'SIGKILL');
    await collect(generation);
    await until(() => pool.status(model('scripted-long')).status === 'crashed');
  }
  const client = new AbortController();
  const waiting = pool.generate(model('scripted-long'), input(1), client.signal);
  await until(() => pool.status(model('scripted-long')).status === 'loading');
  // the first crash was followed by a start at once, the second one is not
  await new Promise((resolve) => setImmediate(resolve));
  expect(processes).toHaveLength(2);
  client.abort();
  await expect(waiting.accepted).rejects.toMatchObject({ code: 'cancelled' });
  // Who unloads it does not wait for that start.
  const loading = pool.load(model('scripted-long'));
  const released = pool.release(model('scripted-long'));
  await expect(loading).rejects.toMatchObject({ code: 'cancelled' });
  await released;
  expect(pool.status(model('scripted-long'))).toMatchObject({ status: 'unloaded', reason: null });
  expect(processes).toHaveLength(2);
});

test('a replaced file is loaded anew, and who runs on the old one is not cut off', async () => {
  const { pool, processes } = start();
  const old = { ...model('scripted-long'), id: 'm' };
  const client = new AbortController();
  const running = pool.generate(old, input(null), client.signal);
  await running.accepted;
  const replaced = { ...model('scripted'), id: 'm', created: 1 };
  expect(textOf(await collect(pool.generate(replaced, input(null), never())))).toBe(
    SCRIPTED_SENTENCE,
  );
  expect(processes).toHaveLength(2);
  client.abort();
  expect((await collect(running)).at(-1)).toMatchObject({ finishReason: 'cancelled' });
});

test('a request that the addon cannot read fails alone', async () => {
  const { pool, processes } = start();
  const running = pool.generate(model('scripted-long'), input(200), never());
  await running.accepted;
  const templateKwargs = { '\0': '1' };
  const odd = { ...input(1), prompt: { ...chatPrompt('Hello'), templateKwargs } };
  const refused = pool.generate(model('scripted-long'), odd, never());
  await expect(refused.accepted).rejects.toMatchObject({ code: 'engine_failed' });
  expect((await collect(running)).at(-1)).toMatchObject({ type: 'done', outputTokens: 200 });
  expect(processes).toHaveLength(1);
});

test('a queue that is full refuses', async () => {
  const { pool } = start({ parallel: 1 });
  const clients = Array.from({ length: 513 }, () => new AbortController());
  const generations = clients.map(({ signal }) =>
    pool.generate(model('scripted-long'), input(null), signal),
  );
  const refused = pool.generate(model('scripted-long'), input(1), never());
  await expect(refused.accepted).rejects.toMatchObject({ code: 'queue_full' });
  for (const client of clients) client.abort();
  await Promise.allSettled(generations.map(({ accepted }) => accepted));
});

test('the prompt is shown as the model reads it, once, to who asks for it', async () => {
  const { pool } = start();
  const seen: EngineEvent[] = [];
  const observer = {
    step: (events: readonly EngineEvent[]) => seen.push(...events),
    end: () => {},
  };
  const asked = { ...input(1, 'Grüße, 模型'), choices: 2, showPrompt: true };
  await collect(pool.generate(model('scripted'), asked, never(), observer));
  const [first, second] = seen.filter((event) => event.type === 'accepted');
  expect(second?.prompt).toBeUndefined();

  const { prompt } = asked;
  if (prompt.kind !== 'chat') throw new TypeError('expected a chat');
  const rendered = await pool.call(model('scripted'), 'apply-template', prompt, never());
  expect(rendered.text).toContain('Grüße, 模型');
  expect(first?.prompt?.text).toBe(rendered.text);
  const request = { text: rendered.text, addSpecial: true, parseSpecial: true, withPieces: false };
  const { tokenIds } = await pool.call(model('scripted'), 'tokenize', request, never());
  expect([...(first?.prompt?.tokenIds ?? [])]).toEqual(tokenIds);
  expect(first?.promptTokens).toBe(tokenIds.length);

  seen.length = 0;
  const ids = { ...greedy({ kind: 'tokens', tokenIds: [40, 41] }, 1), showPrompt: true };
  await collect(pool.generate(model('scripted'), ids, never(), observer));
  await collect(pool.generate(model('scripted'), input(1), never(), observer));
  const [given, unasked] = seen.filter((event) => event.type === 'accepted');
  expect(given?.prompt).toEqual({ text: '', tokenIds: new Int32Array([40, 41]) });
  expect(unasked?.prompt).toBeUndefined();
});
