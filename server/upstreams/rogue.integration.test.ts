// An upstream that does what no server should: its client gets the truth in words, and nobody else is harmed.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receiptSchema } from '../../protocol/ledger.js';
import { failure, startTestServer, type TestServer, user } from '../test-server.js';
import { json, testRogues } from './test-rogue.js';
import { addUpstream, checkUpstream, listUpstreams } from './test-upstreams.js';

const rogueOf = testRogues();
let near: TestServer;
let names = 0;

beforeAll(async () => {
  near = await startTestServer();
});
afterAll(() => near.close());

async function setUp(options: { key?: string } = {}) {
  // One of each test, so that none meets another's.
  const model = `m${++names}`;
  const rogue = await rogueOf([model]);
  const { id } = await addUpstream(near, { url: rogue.url, name: `rogue ${names}`, ...options });
  const ask = (more: object = {}, path = '/v1/chat/completions', init: RequestInit = {}) =>
    near.post(path, { model, messages: [user('Hi.')], ...more }, init);
  return { rogue, id, model, ask };
}

const event = (text: string) => `data: {"choices":[{"delta":{"content":"${text}"}}]}\n\n`;

function beginStream(res: ServerResponse, type = 'text/event-stream'): void {
  res.writeHead(200, { 'content-type': type });
  res.flushHeaders();
}

/** The last thing that is sent is on its way before the connection goes. */
function cutAfter(res: ServerResponse, text: string): void {
  res.write(text, () => res.socket?.destroySoon());
}

describe('before its first byte', () => {
  it('that it refuses connections is told in words', async () => {
    const { rogue, ask, id, model } = await setUp();
    await rogue.close();
    const told = await failure(await ask());
    expect(told).toMatchObject({ status: 502, param: 'model', code: 'upstream_unreachable' });
    expect(told.message).toContain(`"${model}"`);
    expect(told.message).toContain('Nothing answers at its address.');
    expect(await checkUpstream(near, id)).toMatchObject({
      health: 'unhealthy',
      reason: 'Nothing answers at its address.',
    });
    const entry = await near.client.models.retrieve(model);
    expect(entry).toMatchObject({ status: 'failed' });
    await startAgain(rogue.url, model);
  });

  /** Whoever was away is found again, by a request. */
  async function startAgain(url: string, model: string): Promise<void> {
    const port = Number(new URL(url).port);
    const http = await import('node:http');
    const server = http.createServer((_req, res) => json(res, 200, { back: true }));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    try {
      const answer = await near.chat({ model, messages: [user('Hi.')] });
      expect(await answer.json()).toEqual({ back: true });
      await near.until(({ models }) =>
        models.some(({ id, status }) => id === model && status === 'loaded'),
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it.each<[string, (res: ServerResponse) => void, string]>([
    ['drops the connection', (res) => res.socket?.destroy(), 'closed the connection'],
    [
      'speaks no HTTP',
      (res) => res.socket?.end('SSH-2.0-OpenSSH_9.6\r\n\r\n'),
      'does not speak HTTP',
    ],
    [
      'sends headers without end',
      (res) => {
        const line = `x-a: ${'a'.repeat(60_000)}\r\n`;
        res.socket?.write(`HTTP/1.1 200 OK\r\n${line}${line}\r\n`);
      },
      'too large',
    ],
  ])('that it %s is told in words', async (_, act, words) => {
    const { rogue, ask } = await setUp();
    rogue.answer = (_req, res) => act(res);
    const told = await failure(await ask());
    expect(told).toMatchObject({ status: 502, code: 'upstream_unreachable' });
    expect(told.message).toContain(words);
  });

  it.each([400, 404, 413, 422, 429, 500, 503])('its %i is passed on as it is', async (status) => {
    const { rogue, ask } = await setUp();
    const body = { error: { message: 'No.', type: 'x', param: null, code: 'y', more: [1] } };
    rogue.answer = (_req, res) =>
      json(res, status, body, { 'retry-after': '7', 'x-request-id': 'theirs', 'set-cookie': 'a' });
    const answer = await ask({ stream: true });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(answer.headers.get('x-pilotlight-upstream-request-id')).toBe('theirs');
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(await answer.text()).toBe(JSON.stringify(body));
  });

  it.each([401, 403])('its %i is about our key, and no business of the client', async (status) => {
    const { rogue, ask } = await setUp({ key: 'sk-secret' });
    rogue.answer = (req, res) => json(res, status, { error: req.headers.authorization });
    const text = await (await ask()).text();
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'upstream_refused' } });
    expect(text).not.toContain('secret');
  });

  it('a redirect is not followed', async () => {
    const { rogue, ask } = await setUp({ key: 'sk-secret' });
    const elsewhere = await rogueOf();
    const location = `${elsewhere.url}/v1/chat/completions`;
    rogue.answer = (_req, res) => json(res, 307, {}, { location });
    expect(await failure(await ask())).toMatchObject({ code: 'upstream_refused' });
    expect(elsewhere.asked).toEqual([]);
  });
});

describe('in the middle of its answer', () => {
  it.each([
    ['/v1/chat/completions', /^data: (\{"error":.*"upstream_failed"\}\})\n\n$/],
    ['/v1/messages', /^event: error\ndata: (\{"type":"error".*)\n\n$/],
    ['/v1/responses', /^event: error\ndata: (\{"type":"error".*"sequence_number":5\})\n\n$/],
    ['/v1/generate', /^data: (\{"type":"error","code":"upstream_failed".*)\n\n$/],
  ])(
    'it breaks off a stream of %s: what is whole stays, and an error ends it',
    async (path, end) => {
      const { rogue, ask } = await setUp();
      const whole = `${event('one')}event: x\ndata: {"sequence_number":4}\n\n`;
      rogue.answer = (_req, res) => {
        beginStream(res);
        cutAfter(res, `${whole}data: {"choices":[{"del`);
      };
      const answer = await ask({ stream: true }, path);
      const text = await answer.text();
      expect(text.slice(0, whole.length)).toBe(whole);
      const [, data = ''] = end.exec(text.slice(whole.length)) ?? [];
      expect(JSON.parse(data)).toBeDefined();
      const receipt = answer.headers.get('x-pilotlight-receipt');
      const row = await (await fetch(`${near.server.url}/v1/receipts/${receipt}`)).json();
      expect(receiptSchema.parse(row).row).toMatchObject({
        ...{ outcome: 'failed', error_code: 'upstream_failed', tokens: null },
        upstream: `rogue ${names}`,
      });
    },
  );

  it('the error is a line in the manner of Ollama', async () => {
    const { rogue, ask } = await setUp();
    rogue.answer = (_req, res) => {
      beginStream(res, 'application/x-ndjson');
      cutAfter(res, '{"response":"a"}\n{"resp');
    };
    const lines = (await (await ask({}, '/api/generate')).text()).trimEnd().split('\n');
    expect(lines[0]).toBe('{"response":"a"}');
    expect(JSON.parse(lines[1] ?? '')).toEqual({ error: expect.stringContaining('broke off') });
  });

  it('a stream that had ended is whole', async () => {
    const { rogue, ask } = await setUp();
    const whole = `${event('one')}data: [DONE]\n\n`;
    rogue.answer = (_req, res) => {
      beginStream(res);
      cutAfter(res, whole);
    };
    expect(await (await ask({ stream: true })).text()).toBe(whole);
  });

  it('an answer in one piece is cut off too', async () => {
    const { rogue, ask } = await setUp();
    rogue.answer = (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      cutAfter(res, '{"choices":');
    };
    await expect(ask().then((answer) => answer.text())).rejects.toThrow();
  });

  it('an answer in one piece that ends before its first byte is a refusal in words', async () => {
    const { rogue, ask } = await setUp();
    rogue.answer = (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      res.flushHeaders();
      res.socket?.destroySoon();
    };
    expect(await failure(await ask())).toMatchObject({ status: 502, code: 'upstream_failed' });
  });
});

describe('bytes', () => {
  it.each<[string, string]>([
    ['text/html', '<p>A captive portal'],
    ['text/event-stream', ': hello\r\n\r\ndata: ü\r\n\r\nno event at all'],
    ['application/octet-stream', '\u0000\u0001'],
    ['application/json', 'not { json'],
  ])('of %s go on unchanged, whatever they are', async (type, body) => {
    const { rogue, ask } = await setUp();
    rogue.answer = (_req, res) => {
      res.writeHead(200, { 'content-type': type });
      res.end(body);
    };
    const answer = await ask({ stream: true });
    expect(answer.headers.get('content-type')).toBe(type);
    expect(await answer.text()).toBe(body);
  });

  it('of the request go on unchanged, with our key and none of the client', async () => {
    const { rogue, model } = await setUp({ key: 'sk-secret' });
    const body = ` {"model" : "${model}",\n "messages": [ ], "seed": 12345678901234567890, "x": 1.0}`;
    await fetch(`${near.server.url}/v1/chat/completions?beta=1`, {
      method: 'POST',
      body,
      headers: {
        ...{ 'content-type': 'application/json', authorization: 'Bearer theirs', cookie: 'a=b' },
        ...{ 'x-api-key': 'theirs', 'openai-beta': 'x', 'x-request-id': 'r1' },
      },
    });
    expect(rogue.asked).toHaveLength(1);
    const [{ path, headers, body: got } = { path: '', headers: {}, body: '' }] = rogue.asked;
    expect(got).toBe(body);
    expect(path).toBe('/v1/chat/completions?beta=1');
    expect(headers).toMatchObject({
      ...{ authorization: 'Bearer sk-secret', 'openai-beta': 'x', 'x-request-id': 'r1' },
      ...{ 'content-type': 'application/json', 'accept-encoding': 'identity' },
    });
    expect(JSON.stringify(headers)).not.toContain('theirs');
    expect(headers).not.toHaveProperty('cookie');
  });

  it('wait for a client that does not read', async () => {
    const { rogue, ask } = await setUp();
    const part = event('x'.repeat(64 * 1024));
    let isHeldUp: () => void = () => {};
    const heldUp = new Promise<void>((resolve) => {
      isHeldUp = resolve;
    });
    let sent = 0;
    rogue.answer = (_req, res) => {
      beginStream(res);
      // It goes on for as long as what it says is taken from it.
      const write = () => {
        while (sent < 400) {
          sent++;
          if (!res.write(part)) {
            const timer = setTimeout(isHeldUp, 1_000);
            res.once('drain', () => {
              clearTimeout(timer);
              write();
            });
            return;
          }
        }
        res.end();
      };
      write();
    };
    const answer = await ask({ stream: true });
    await heldUp;
    expect(sent).toBeLessThan(400);
    const text = await answer.text();
    expect(text.length).toBe(400 * part.length);
  });
});

it('a stream that begins late is waited for with comments, and nothing is added after', async () => {
  const { rogue, ask } = await setUp();
  const whole = `${event('one')}data: [DONE]\n\n`;
  let go: () => void = () => {};
  rogue.answer = (_req, res) => {
    res.setHeader('content-length', whole.length);
    beginStream(res);
    go = () => res.end(whole);
  };
  const answer = await ask({ stream: true });
  expect(answer.headers.get('content-length')).toBeNull();
  let text = '';
  for await (const chunk of answer.body ?? []) {
    if (text === '') go();
    text += new TextDecoder().decode(chunk);
  }
  expect(text).toMatch(/^(: keep-alive\n\n)+data/);
  expect(text.replace(/^(: keep-alive\n\n)+/, '')).toBe(whole);
});

describe('what is seen and kept', () => {
  it('a stall ends when the client leaves', async () => {
    const { rogue, ask } = await setUp();
    const left = new Promise<void>((resolve) => {
      rogue.answer = (_req, res) => res.once('close', resolve);
    });
    const leaving = new AbortController();
    const asked = ask({}, '/v1/chat/completions', { signal: leaving.signal });
    await near.until(({ running }) => running === 1);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await left;
    await near.idle();
  });

  it('a person here can cancel it, and its client is told', async () => {
    const { rogue, ask } = await setUp();
    const left = new Promise<void>((resolve) => {
      rogue.answer = (_req, res) => {
        beginStream(res);
        res.write(event('one'));
        res.once('close', resolve);
      };
    });
    const answer = await ask({ stream: true });
    const { requests } = await near.until(({ requests }) => requests.length === 1);
    expect(requests).toMatchObject([{ state: 'running' }]);
    near.server.cancelRequest(requests[0]?.id ?? '');
    expect(await answer.text()).toContain('"request_cancelled"');
    await left;
  });

  it('counts are what it says, in metrics and receipts', async () => {
    const { rogue, ask, model } = await setUp();
    const usage = {
      ...{ prompt_tokens: 7, completion_tokens: 5 },
      prompt_tokens_details: { cached_tokens: 3 },
    };
    rogue.answer = (_req, res) => {
      beginStream(res);
      res.end(`${event('a')}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
    };
    const answer = await ask({ stream: true });
    await answer.text();
    const id = answer.headers.get('x-pilotlight-receipt');
    const { row } = receiptSchema.parse(
      await (await fetch(`${near.server.url}/v1/receipts/${id}`)).json(),
    );
    expect(row).toMatchObject({
      ...{ model, model_file: null, outcome: 'answered' },
      tokens: { prompt: 7, cached: 3, output: 5 },
    });
    const metrics = await (await fetch(`${near.server.url}/metrics`)).text();
    expect(metrics).toContain(`pilotlight_output_tokens_total{model="${model}"} 5`);
  });

  it('its key is told nowhere', async () => {
    const { id } = await setUp({ key: 'sk-secret' });
    const listed = JSON.stringify(await listUpstreams(near));
    expect(listed).not.toContain('secret');
    expect(listed).toContain(`"id":"${id}"`);
    expect((await listUpstreams(near)).find((each) => each.id === id)).toMatchObject({
      has_key: true,
    });
  });
});
