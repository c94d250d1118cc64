// The client against servers that do what no server should, over real sockets.
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { apiOf, type Protocol, targetOf } from './api.js';
import { type Answer, ask } from './ask.js';
import { followerOf } from './follower.js';
import {
  chatChunks,
  type RogueAnswer,
  rogueServers,
  sendEvents,
  typedEvents,
} from './test-rogue-server.js';
import type { ViolationKind } from './violation.js';

const start = rogueServers();

async function answerOf(
  answer: RogueAnswer,
  {
    protocol = 'chat',
    key = null,
    ...options
  }: { protocol?: Protocol; key?: string | null; timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<Answer> {
  const { url } = await start(answer);
  const body = { max_tokens: 3, stream: true, stream_options: { include_usage: true } };
  return ask(targetOf(apiOf(url, key), protocol), body, followerOf(protocol, body), options);
}

const chat =
  (change: (chunks: Record<string, unknown>[]) => (object | string)[]): RogueAnswer =>
  (res) => {
    sendEvents(res, [...change(chatChunks()), '[DONE]']);
    res.end();
  };
const typed =
  (change: (events: Record<string, unknown>[]) => (object | string)[]): RogueAnswer =>
  (res) => {
    sendEvents(res, change(typedEvents()));
    res.end();
  };
const first = (change: object) => chat(([chunk, ...rest]) => [{ ...chunk, ...change }, ...rest]);
const whole = chat((chunks) => chunks);
const calls = (call: object) => [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }];

describe('each violation is found on the wire:', () => {
  const ROGUES: Record<ViolationKind, RogueAnswer> = {
    content_type: (res) => {
      sendEvents(res, [...chatChunks(), '[DONE]'], 'text/plain');
      res.end();
    },
    not_utf8: chat((chunks) => ['{"x":"\xff"}', ...chunks]),
    not_json: chat((chunks) => ['{"x":', ...chunks]),
    bad_shape: chat((chunks) => [{ object: 'chat.completion.chunk' }, ...chunks]),
    unfinished_event: (res) => {
      sendEvents(res, chatChunks());
      res.end('data: [DONE]\n');
    },
    left_open: (res) => sendEvents(res, [...chatChunks(), '[DONE]']),
    id_changed: first({ id: 'other' }),
    model_changed: first({ model: 'other' }),
    created_changed: first({ created: 2 }),
    choice_index: first({ choices: [{ index: 1, delta: {}, finish_reason: null }] }),
    tool_index: first({ choices: calls({ index: 3, id: 'x', function: { name: 'f' } }) }),
    empty_choices: first({ choices: [] }),
    finish_missing: chat((chunks) => chunks.toSpliced(-2, 1)),
    finish_twice: chat((chunks) => chunks.toSpliced(-1, 0, ...chunks.slice(-2, -1))),
    after_finish: chat((chunks) => chunks.toSpliced(-1, 0, ...chunks.slice(1, 2))),
    usage_missing: chat((chunks) => chunks.slice(0, -1)),
    usage_unasked: whole,
    usage_twice: chat((chunks) => [...chunks, ...chunks.slice(-1)]),
    usage_misplaced: chat((chunks) => [...chunks.slice(-1), ...chunks.slice(0, -1)]),
    usage_wrong: chat((chunks) => [
      ...chunks.slice(0, -1),
      { ...chunks.at(-1), usage: { prompt_tokens: 4, completion_tokens: 3, total_tokens: 8 } },
    ]),
    done_missing: (res) => {
      sendEvents(res, chatChunks());
      res.end();
    },
    after_done: chat((chunks) => [...chunks, '[DONE]']),
    after_error: chat((chunks) => [{ error: { message: 'Broken.' } }, ...chunks]),
    index_gap: typed((events) => events.toSpliced(1, 1)),
    count_wrong: typed((events) => events.toSpliced(2, 1)),
    end_missing: typed((events) => events.slice(0, -1)),
    after_end: typed((events) => [...events, ...events.slice(-1)]),
  };
  const typedKinds = ['index_gap', 'count_wrong', 'end_missing', 'after_end'];

  it.each(Object.entries(ROGUES))('%s', async (kind, rogue) => {
    const { url } = await start(rogue);
    const protocol = typedKinds.includes(kind) ? 'typed' : 'chat';
    const usage = kind === 'usage_unasked' ? {} : { stream_options: { include_usage: true } };
    const body = { max_tokens: 3, ...usage };
    const { violations } = await ask(
      targetOf(apiOf(url), protocol),
      body,
      followerOf(protocol, body),
    );
    expect(violations.map((violation) => violation.kind)).toContain(kind);
  });

  it('and none in a stream as it should be', async () => {
    const answer = await answerOf(whole);
    expect(answer).toMatchObject({
      ...{ violations: [], failure: null, isStopped: false },
      counts: { prompt: 4, output: 3, cached: null },
    });
    expect(answer.arrivals).toHaveLength(3);
    expect(
      await answerOf(
        typed((events) => events),
        { protocol: 'typed' },
      ),
    ).toMatchObject({
      ...{ violations: [], failure: null, counts: { prompt: 4, output: 3, cached: 0 } },
    });
  });
});

describe('a failure is told in words:', () => {
  it.each<[string, RogueAnswer, object]>([
    [
      'an error body, with its code',
      (res) => {
        res.writeHead(404, { 'content-type': 'application/json' });
        res.end('{"error":{"message":"No such model.","code":"model_not_found"}}');
      },
      { type: 'refused', status: 404, message: '404: No such model.', code: 'model_not_found' },
    ],
    [
      'a server that is too busy, with when to come back',
      (res) => {
        res.writeHead(429, { 'retry-after': '3' });
        res.end('{"error":"busy"}');
      },
      { type: 'refused', status: 429, message: '429: busy', retryAfterMs: 3000 },
    ],
    [
      'a web page',
      (res) => {
        res.writeHead(200, { 'content-type': 'text/html' });
        res.end('<!doctype html><title>Hello</title>');
      },
      { type: 'foreign', message: 'it answers with a web page' },
    ],
    [
      'an error in the stream',
      (res) => {
        sendEvents(res, [...chatChunks().slice(0, 2), { error: { message: 'Out of memory.' } }]);
        res.end();
      },
      { type: 'failed', message: 'in the stream: Out of memory.' },
    ],
    [
      'a connection that is lost in mid-stream',
      (res) => {
        sendEvents(res, chatChunks().slice(0, 2));
        setImmediate(() => res.socket?.destroy());
      },
      { type: 'broken' },
    ],
    [
      'what is not HTTP',
      (res) => {
        res.socket?.end('SSH-2.0-OpenSSH_9.2\r\n');
      },
      { type: 'foreign', message: 'it does not speak HTTP/1.1' },
    ],
  ])('%s', async (_, rogue, expected) => {
    const { failure, violations } = await answerOf(rogue);
    expect(failure).toMatchObject(expected);
    expect(violations.map(({ kind }) => kind)).toEqual(
      failure?.type === 'foreign' && failure.message.includes('page') ? ['content_type'] : [],
    );
  });

  it('an answer that takes too long', async () => {
    const { failure } = await answerOf((res) => sendEvents(res, chatChunks().slice(0, 2)), {
      timeoutMs: 50,
    });
    expect(failure?.type).toBe('timeout');
  });

  it('nobody listens', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const target = targetOf(apiOf(`http://127.0.0.1:${port}`), 'chat');
    const { failure } = await ask(target, {}, followerOf('chat', {}));
    expect(failure).toMatchObject({ type: 'unreachable', code: 'ECONNREFUSED' });
  });

  it('without the key, and without what a terminal would obey', async () => {
    const key = 'sk-secret-0123456789';
    const { failure } = await answerOf(
      (res, request) => {
        res.writeHead(401, { 'content-type': 'application/json' });
        res.end(JSON.stringify({ error: { message: `Wrong \u001b[31mkey ${request.key}.\n` } }));
      },
      { key },
    );
    expect(failure?.message).toBe('401: Wrong [31mkey [key].');
  });
});

it('goes when its signal says so, which is no failure', async () => {
  const stop = new AbortController();
  const going = answerOf(
    (res) => {
      sendEvents(res, chatChunks().slice(0, 2));
      stop.abort();
    },
    { signal: stop.signal },
  );
  expect(await going).toMatchObject({ failure: null, violations: [], isStopped: true });
});
