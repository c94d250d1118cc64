// What takes long: a model that loads for a while, a reader that does not read.
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServerToEngine } from '../../protocol/engine-channel.js';
import { LONG_CYCLE_TEXT, SCRIPTED_SENTENCE } from '../../scripts/test-models/scripts.js';
import type { EngineProcess } from '../engine/spawn.js';
import { join, payloads, startTestServer, type TestServer, user } from '../test-server.js';

let test: TestServer | null = null;
afterEach(async () => {
  await test?.close();
  test = null;
});

/** Holds every message to the engines until `release`, as a slow disk would hold the load. */
function holdBack() {
  const held: (() => void)[] = [];
  let released = false;
  return {
    release: () => {
      released = true;
      for (const send of held.splice(0)) send();
    },
    wrap: (engine: EngineProcess): EngineProcess => ({
      ...engine,
      send: (message: ServerToEngine) => {
        if (released) engine.send(message);
        else held.push(() => engine.send(message));
      },
    }),
  };
}

/** The text of a stream so far, read on until it matches. */
async function readUntil(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  pattern: RegExp,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  while (!pattern.test(text)) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  return text;
}

const request = { model: 'scripted', messages: [user('Hi.')], stream: true };

describe('a model that loads for long', () => {
  it('is told of in comments, and then answers', async () => {
    const gate = holdBack();
    test = await startTestServer({ models: ['scripted'], wrap: gate.wrap });
    // Headers, although nothing has been loaded yet.
    const response = await test.chat(request);
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    if (!reader) throw new Error('no body');
    expect(await readUntil(reader, /\n\n/)).toBe(': loading 0 %\n\n');
    gate.release();
    const rest = await readUntil(reader, /\[DONE\]\n\n$/);
    expect(join(rest).content).toBe(SCRIPTED_SENTENCE);
  });

  it('and then cannot, is an error in the stream', async () => {
    const gate = holdBack();
    test = await startTestServer({ models: ['unknown-arch'], wrap: gate.wrap });
    const response = await test.chat({ ...request, model: 'unknown-arch' });
    expect(response.status).toBe(200);
    gate.release();
    const events = payloads(await response.text());
    expect(events).toHaveLength(1);
    expect(JSON.parse(events[0] ?? '').error).toMatchObject({
      type: 'invalid_request_error',
      param: 'model',
      code: 'model_invalid',
      message: expect.stringContaining('martian'),
    });
  });

  it('keeps nobody who has left', async () => {
    const gate = holdBack();
    test = await startTestServer({ models: ['scripted'], wrap: gate.wrap });
    const controller = new AbortController();
    const leaving = test.chat(request, { signal: controller.signal });
    leaving.catch(() => {});
    await test.until(({ waiting }) => waiting === 1);
    controller.abort();
    await expect(leaving).rejects.toThrow();
    await test.until(({ waiting }) => waiting === 0);
    gate.release();
    const answer = await test.chat({ ...request, stream: false });
    expect(await answer.text()).toContain(SCRIPTED_SENTENCE);
  });
});

describe('a reader that does not read', () => {
  it('is waited for, holds up no other, and gets all of its text when it reads on', async () => {
    const tokens = 3_000;
    test = await startTestServer({
      models: ['scripted-long'],
      config: { contextLength: 4096, parallel: 4 },
    });
    const body = JSON.stringify({ messages: [user('Go.')], stream: true, max_tokens: tokens });
    const socket = net.connect(test.port, '127.0.0.1');
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    socket.pause();
    await test.until(({ running }) => running === 1);
    // Others run to their end meanwhile; the one that is not read is still there after them.
    for (let i = 0; i < 3; i++) {
      const other = await test.chat({ messages: [user('Go.')], max_tokens: 200 });
      expect(((await other.json()) as { usage: object }).usage).toMatchObject({
        completion_tokens: 200,
      });
    }
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    // Without the lines of the chunked encoding.
    const events = text.replace(/\r\n[0-9a-f]+\r\n/g, '');
    const { content, finishReason } = join(events.slice(events.indexOf('data: ')));
    expect(finishReason).toBe('length');
    const whole = LONG_CYCLE_TEXT.repeat(Math.ceil(content.length / LONG_CYCLE_TEXT.length));
    expect(content).toBe(whole.slice(0, content.length));
    expect(content.length).toBeGreaterThan(tokens * 2);
  });
});
