// What the desktop asks of its server besides serving: see MainToServer.
import { describe, expect, it } from 'vitest';
import { isLoaded, say, type TestServer, testServers, user } from './test-server.js';

const start = testServers();
const SENTENCE = 'The request was cancelled in Pilotlight.';

/** A long answer that has begun, and how its bytes end. */
async function stream(test: TestServer, requestId: string): Promise<{ rest: Promise<string> }> {
  const response = await test.chat(
    { model: 'scripted-long', messages: [user('Go.')], max_tokens: 30_000, stream: true },
    { headers: { 'content-type': 'application/json', 'x-request-id': requestId } },
  );
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error('the answer has no body');
  let text = '';
  while (!text.includes('"content":"')) text += (await reader.read()).value ?? '';
  const rest = async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
    return text;
  };
  return { rest: rest() };
}

const serving = () =>
  start({ models: ['scripted-long', 'scripted'], config: { contextLength: 32_768 } });

describe('cancelling requests', () => {
  it('ends the one that is meant, whose client is told, and tells the state', async () => {
    const test = await serving();
    const first = await stream(test, 'first');
    const second = await stream(test, 'second');
    const { requests } = await test.until((state) => state.requests.length === 2);
    expect(requests.map(({ id }) => id).sort()).toEqual(['first', 'second']);
    test.server.cancelRequest('nobody');
    test.server.cancelRequest('first');
    expect(await first.rest).toContain(SENTENCE);
    const left = await test.until((state) => state.requests.length === 1);
    expect(left.requests).toMatchObject([
      { id: 'second', model: 'scripted-long', route: '/v1/chat/completions', state: 'running' },
    ]);
    test.server.cancelAllRequests();
    expect(await second.rest).toContain(SENTENCE);
    await test.until((state) => state.requests.length === 0);
    test.server.cancelRequest('first');
    test.server.cancelAllRequests();
    await test.idle();
  });
});

describe('unloading a model', () => {
  it('frees its memory, and the next request loads it again', async () => {
    const test = await serving();
    await test.until(isLoaded('scripted-long'));
    await test.server.unloadModel('scripted-long');
    const { models, current_model } = test.server.state.now();
    expect(models.find(({ id }) => id === 'scripted-long')?.memory_bytes).toBeNull();
    expect(current_model).toBe('scripted-long');
    await say(test);
    await test.until(isLoaded('scripted-long'));
    await test.server.unloadModel('nobody');
  });

  it('waits for the answers it is writing', async () => {
    const test = await serving();
    const { rest } = await stream(test, 'answering');
    const unloaded = test.server.unloadModel('scripted-long');
    expect(isLoaded('scripted-long')(test.server.state.now())).toBe(true);
    test.server.cancelRequest('answering');
    await rest;
    await unloaded;
    expect(isLoaded('scripted-long')(test.server.state.now())).toBe(false);
  });
});
