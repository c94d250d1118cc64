import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLoaded, say, type TestServer, testServers, user } from '../test-server.js';
import { keyOf, numberOf, readExposition } from './test-exposition.js';

const start = testServers();

async function scrape(test: TestServer, headers: Record<string, string> = {}) {
  const response = await fetch(`${test.server.url}/metrics`, { headers });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return readExposition(await response.text());
}

describe('a scrape', () => {
  it('tells what was asked of each model, and how it went', async () => {
    const test = await start({ models: ['scripted', 'embed'] });
    await test.streamed({ messages: [user('Hi.')], max_tokens: 10 });
    await test.streamed({ messages: [user('Hi.')], max_tokens: 10 });
    await test.post('/v1/embeddings', { input: ['a', 'b'] }).then((response) => response.text());
    expect((await test.chat({ messages: 1 })).status).toBe(400);
    await test.idle();
    const read = await scrape(test);
    const of = (name: string, labels = {}) => numberOf(read, `pilotlight_${name}`, labels);
    const chats = { route: '/v1/chat/completions', model: 'scripted' };
    expect(of('requests_total', { ...chats, outcome: 'answered' })).toBe(2);
    expect(of('requests_total', { model: '', outcome: 'failed' })).toBe(1);
    expect(of('requests_total', { route: '/v1/embeddings', model: 'embed' })).toBe(1);
    expect(of('output_tokens_total', { model: 'scripted' })).toBe(20);
    expect(of('inter_token_latency_seconds_count', { model: 'scripted' })).toBe(18);
    expect(of('time_to_first_token_seconds_count', { model: 'scripted' })).toBe(2);
    expect(of('queue_seconds_count', { model: 'scripted' })).toBe(2);
    expect(of('prompt_tokens_total', { model: 'embed' })).toBeGreaterThan(0);
    // The same prompt again.
    const prompt = of('prompt_tokens_total', { model: 'scripted' }) / 2;
    expect(of('cached_prompt_tokens_total', { model: 'scripted' })).toBe(prompt - 1);
    expect(of('prefix_hits_total', { model: 'scripted' })).toBe(1);
    expect(of('prefix_misses_total', { model: 'scripted' })).toBe(1);
    expect(of('prefilled_tokens_total', { model: 'scripted' })).toBe(prompt + 1);
    for (const model of ['scripted', 'embed']) {
      expect(of('model_loaded', { model })).toBe(1);
      expect(of('model_loads_total', { model })).toBe(1);
      expect(of('engine_crashes_total', { model })).toBe(0);
      expect(of('engine_responding', { model })).toBe(1);
      expect(of('requests_running', { model })).toBe(0);
      expect(of('engine_resident_memory_bytes', { model })).toBeGreaterThan(1e6);
    }
    const cells = of('kv_cache_tokens', { model: 'scripted', state: 'kept' });
    expect(cells).toBeGreaterThanOrEqual(prompt + 9);
    expect(cells).toBeLessThanOrEqual(of('kv_cache_capacity_tokens', { model: 'scripted' }));
    expect(of('slots', { model: 'scripted' })).toBe(16);
    expect(of('build_info', { version: test.server.state.now().version })).toBe(1);
    expect(numberOf(read, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
  });

  it('shows what runs while it runs, and what waits', async () => {
    const test = await start({ models: ['scripted-long'], config: { parallel: 1 } });
    const leaving = new AbortController();
    const ask = () =>
      test.chat({ messages: [user('Go.')], stream: true }, { signal: leaving.signal });
    const running = await ask();
    ask().catch(() => {});
    await test.until((state) => state.running === 1 && state.waiting === 1);
    const of = async (name: string, labels = {}) =>
      numberOf(await scrape(test), `pilotlight_${name}`, { model: 'scripted-long', ...labels });
    expect(await of('requests_running')).toBe(1);
    expect(await of('requests_waiting')).toBe(1);
    expect(await of('slots_busy')).toBe(1);
    expect(await of('kv_cache_tokens', { state: 'busy' })).toBeGreaterThan(0);
    // Tokens of an answer that has not ended.
    expect(await of('output_tokens_total')).toBeGreaterThan(0);
    expect(running.status).toBe(200);
    leaving.abort();
    await test.idle();
    expect(await of('requests_running')).toBe(0);
    expect(await of('requests_total', { outcome: 'left' })).toBe(2);
  });

  it('never counts back, whatever becomes of the engines', async () => {
    const test = await start({ models: ['scripted', 'random'] });
    const seen = new Map<string, number>();
    const look = async () => {
      for (const { type, samples } of (await scrape(test)).values()) {
        if (type === 'gauge') continue;
        for (const sample of samples) {
          // Buckets, counts and sums of what cannot be negative grow as counters do.
          const before = seen.get(keyOf(sample)) ?? 0;
          expect([sample, sample.value >= before]).toEqual([sample, true]);
          seen.set(keyOf(sample), sample.value);
        }
      }
      return seen.size;
    };
    await say(test, 'scripted');
    const series = await look();
    await say(test, 'random');
    expect(await look()).toBeGreaterThan(series);
    process.kill(test.engines[0]?.pid ?? 0, 'SIGKILL');
    await test.until(({ models }) => models.some(({ status }) => status === 'crashed'));
    await look();
    await say(test, 'scripted');
    await look();
    const loads = numberOf(await scrape(test), 'pilotlight_model_loads_total', {
      model: 'scripted',
    });
    expect(loads).toBe(2);
    expect(
      [...seen].filter(([key]) => key.includes('engine_crashes') && key.includes('scripted')),
    ).toEqual([[expect.any(String), 1]]);
  });

  it('says which engine does not respond, and the rest all the same', async () => {
    const test = await start({ models: ['scripted'] });
    await test.until(isLoaded('scripted'));
    const pid = test.engines[0]?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      const read = await scrape(test);
      expect(numberOf(read, 'pilotlight_engine_responding', { model: 'scripted' })).toBe(0);
      expect(numberOf(read, 'pilotlight_model_loaded', { model: 'scripted' })).toBe(1);
      expect(read.get('pilotlight_slots')?.samples).toEqual([]);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    const read = await scrape(test);
    expect(numberOf(read, 'pilotlight_engine_responding', { model: 'scripted' })).toBe(1);
  });

  it('has models of any name', async () => {
    const test = await start({ models: ['scripted'] });
    const name = 'a "b"\\n\nc, d="e"} 模型 😀';
    const [from, to] = ['scripted', name].map((file) => path.join(test.modelsDir, `${file}.gguf`));
    await copyFile(from ?? '', to ?? '');
    await test.until(({ models }) => models.some(({ id }) => id === name));
    await say(test, name);
    const read = await scrape(test);
    const labels = { model: name, outcome: 'answered' };
    expect(numberOf(read, 'pilotlight_requests_total', labels)).toBe(1);
    expect(numberOf(read, 'pilotlight_model_loaded', { model: name })).toBe(1);
  });
});

describe('the route', () => {
  it('needs a key where the others do, as Prometheus sends it', async () => {
    const test = await start({ config: { apiKeys: ['secret'] } });
    const refused = await fetch(`${test.server.url}/metrics`);
    expect(refused.status).toBe(401);
    expect(await refused.text()).not.toContain('pilotlight_build_info');
    expect((await scrape(test, { authorization: 'Bearer secret' })).size).toBeGreaterThan(20);
  });

  it('answers HEAD, and refuses other methods', async () => {
    const test = await start();
    const url = `${test.server.url}/metrics`;
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const post = await fetch(url, { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('names no client: what strangers call themselves makes no series', async () => {
    const test = await start({ models: ['scripted'] });
    for (const name of ['curious/1', 'curious/2']) {
      await test.chat(
        { messages: [user('Hi.')], max_tokens: 1 },
        { headers: { 'content-type': 'application/json', 'user-agent': name } },
      );
    }
    const text = await (await fetch(`${test.server.url}/metrics`)).text();
    expect(text).toContain('pilotlight_requests_total');
    expect(text).not.toContain('curious');
  });
});
