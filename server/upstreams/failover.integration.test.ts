// Several upstreams with one model: who is asked when, and what the client gets.
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure, startTestServer, type TestServer, user } from '../test-server.js';
import { json, type Rogue, testRogues } from './test-rogue.js';
import { addUpstream, checkUpstream } from './test-upstreams.js';

const rogueOf = testRogues();
let near: TestServer;
let first: Rogue;
let second: Rogue;
let ids: { first: string; second: string };

beforeEach(async () => {
  near = await startTestServer();
  first = await rogueOf(['m', 'only-first']);
  second = await rogueOf(['m']);
  ids = {
    first: (await addUpstream(near, { url: first.url, name: 'first' })).id,
    second: (await addUpstream(near, { url: second.url, name: 'second' })).id,
  };
  for (const [name, rogue] of Object.entries({ first, second })) {
    rogue.answer = (_req, res) => json(res, 200, { by: name });
  }
});
afterEach(() => near.close());

const ask = (model = 'm', more: object = {}) =>
  near.chat({ model, messages: [user('Hi.')], ...more });

async function answerer(model?: string): Promise<string | null> {
  const answer = await ask(model);
  expect(await answer.json()).toEqual({ by: answer.headers.get('x-pilotlight-upstream') });
  return answer.headers.get('x-pilotlight-upstream');
}

const status = (code: number) => (_req: unknown, res: ServerResponse) =>
  json(res, code, { from: 'first' });

describe('the first one in order is asked', () => {
  it('as it was added, and as it is set', async () => {
    expect(await answerer()).toBe('first');
    const set = await fetch(`${near.server.url}/pilotlight/upstreams/order`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ids: [ids.second] }),
    });
    expect(await set.json()).toEqual({ ids: [ids.second, ids.first] });
    expect(await answerer()).toBe('second');
  });

  it('by its name, it is the only one', async () => {
    expect(await answerer('second/m')).toBe('second');
    expect(JSON.parse(second.asked[0]?.body ?? '')).toMatchObject({ model: 'm' });
    await second.close();
    expect(await failure(await ask('second/m'))).toMatchObject({ status: 502 });
    expect(first.asked).toEqual([]);
  });
});

describe('the next one is asked', () => {
  it('where the first one hangs until it is not well, by all who wait, without a warning', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on('warning', warned);
    const allWait = new Promise<void>((resolve) => {
      first.answer = () => {
        if (first.asked.length === 12) resolve();
      };
    });
    const asking = Array.from({ length: 12 }, () => answerer());
    await allWait;
    first.list = status(500);
    await checkUpstream(near, ids.first);
    expect(new Set(await Promise.all(asking))).toEqual(new Set(['second']));
    process.off('warning', warned);
    expect(warnings).toEqual([]);
  });

  it.each([404, 408, 429, 500, 503])('after a %i', async (code) => {
    first.answer = status(code);
    expect(await answerer()).toBe('second');
    expect(first.asked).toHaveLength(1);
  });

  it('where nothing answers, and first from then on', async () => {
    await first.close();
    expect(await answerer()).toBe('second');
    await near.until(({ models }) =>
      models.some(({ id, status: s }) => id === 'only-first' && s === 'failed'),
    );
    expect(await answerer()).toBe('second');
    const entry = await near.client.models.retrieve('m');
    expect(entry).toMatchObject({ status: 'loaded', owned_by: 'first' });
  });

  it('where a key is refused', async () => {
    first.answer = status(401);
    expect(await answerer()).toBe('second');
  });

  it('where it has said nothing yet and turns out not to be well', async () => {
    const reached = new Promise<void>((resolve) => {
      first.answer = () => resolve();
    });
    const asked = answerer();
    await reached;
    first.list = (_req, res) => json(res, 500, {});
    expect(await checkUpstream(near, ids.first)).toMatchObject({ health: 'unhealthy' });
    expect(await asked).toBe('second');
  });
});

describe('nobody else is asked', () => {
  it.each([400, 413, 422])('after a %i, which is about the request', async (code) => {
    first.answer = status(code);
    const answer = await ask();
    expect([answer.status, await answer.json()]).toEqual([code, { from: 'first' }]);
    expect(second.asked).toEqual([]);
  });

  it('after the first byte', async () => {
    first.answer = (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: {}\n\n', () => res.socket?.destroySoon());
    };
    expect(await (await ask('m', { stream: true })).text()).toMatch(
      /^data: \{\}\n\ndata: \{"error":.*\n\n$/,
    );
    expect(second.asked).toEqual([]);
  });

  it('while an answer that has begun is silent, though checks fail', async () => {
    let go: () => void = () => {};
    first.answer = (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: {}\n\n');
      go = () => res.end('data: [DONE]\n\n');
    };
    const answer = await ask('m', { stream: true });
    first.list = (_req, res) => json(res, 500, {});
    expect(await checkUpstream(near, ids.first)).toMatchObject({ health: 'unhealthy' });
    go();
    expect(await answer.text()).toBe('data: {}\n\ndata: [DONE]\n\n');
  });
});

it('a stream is told that the server stops', async () => {
  first.answer = (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write('data: {}\n\n');
  };
  const answer = await ask('m', { stream: true });
  const stopped = near.stop();
  expect(await answer.text()).toMatch(/^data: \{\}\n\ndata: \{"error":.*"shutting_down"\}\}\n\n$/);
  await stopped;
});

describe('where nobody has a good answer', () => {
  it('the last refusal is told as it came', async () => {
    first.answer = status(500);
    second.answer = (_req, res) => json(res, 429, { from: 'second' }, { 'retry-after': '3' });
    const answer = await ask();
    expect([answer.status, await answer.json()]).toEqual([429, { from: 'second' }]);
    expect(answer.headers.get('retry-after')).toBe('3');
  });

  it('a refusal is told rather than that another one is away', async () => {
    first.answer = status(503);
    await second.close();
    const answer = await ask();
    expect([answer.status, await answer.json()]).toEqual([503, { from: 'first' }]);
    expect(answer.headers.get('x-pilotlight-upstream')).toBe('first');
  });

  it('each of them is named', async () => {
    await first.close();
    await second.close();
    const { message, code } = await failure(await ask());
    expect(code).toBe('upstream_unreachable');
    expect(message).toMatch(/first: Nothing answers.*second: Nothing answers/);
  });
});
