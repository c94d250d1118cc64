import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer, ResponseReader, summarize, targetOf } from './load-client.js';

const latin1 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const utf8 = (text: string) => Buffer.from(text, 'latin1').toString('utf8');

/** Reads a response cut at these places. */
function read(response: string, cuts: readonly number[] = []) {
  const events: string[] = [];
  const reader = new ResponseReader((data) => events.push(utf8(data)));
  const places = [0, ...cuts.map((cut) => cut % (response.length + 1)), response.length];
  places.sort((a, b) => a - b);
  places.slice(1).forEach((place, i) => {
    reader.push(response.slice(places[i], place));
  });
  return { events, status: reader.status, body: reader.body, done: reader.done };
}

const STREAM_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n';
const chunked = (parts: readonly string[]) =>
  `${STREAM_HEAD}Transfer-Encoding: chunked\r\n\r\n${parts
    .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
    .join('')}0\r\n\r\n`;

describe('a response', () => {
  it('gives the same events wherever the network cuts it and the server divides it', () => {
    const payload = fc.string({ unit: 'binary' }).map((text) => text.replace(/[\r\n]/g, ' '));
    const numbers = fc.array(fc.nat(), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(payload), numbers, numbers, (payloads, divisions, cuts) => {
        const text = latin1(payloads.map((data) => `data: ${data}\n\n`).join(''));
        const places = [0, ...divisions.map((at) => at % (text.length + 1)), text.length];
        places.sort((a, b) => a - b);
        const parts = places.slice(1).map((place, i) => text.slice(places[i], place));
        const response = chunked(parts.filter((part) => part !== ''));
        const { events, done } = read(response, cuts);
        expect(events).toEqual(payloads);
        expect(done).toBe(true);
      }),
    );
  });

  it('is read with CRLF, without the space, with several lines, comments and other fields', () => {
    const text = ': hello\r\nevent: x\r\ndata:one\r\n\r\ndata: two\ndata: three\n\n\nid: 7\n\n';
    expect(read(chunked([text])).events).toEqual(['one', 'two\nthree']);
  });

  it('may be divided by its end instead', () => {
    const { events, done } = read(`${STREAM_HEAD}\r\ndata: one\n\ndata: [DONE]\n\n`);
    expect(events).toEqual(['one', '[DONE]']);
    expect(done).toBe(false);
  });

  it('that is no stream keeps its status and body', () => {
    const body = '{"error":{"message":"data: no"}}';
    const head = 'HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\n';
    const response = `${head}content-length: ${body.length}\r\n\r\n${body}`;
    const expected = { events: [], status: 404, body, done: true };
    fc.assert(
      fc.property(fc.array(fc.nat()), (cuts) => {
        expect(read(response, cuts)).toEqual(expected);
      }),
    );
  });

  it('without a body is complete with its head', () => {
    const { done, status } = read('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n');
    expect([done, status]).toEqual([true, 503]);
  });
});

const answer = (changes: Partial<Answer>): Answer => ({
  begunAt: 0,
  arrivals: [],
  endMs: 0,
  promptTokens: null,
  outputTokens: null,
  cachedTokens: null,
  failure: null,
  ...changes,
});

describe('answers', () => {
  it('are summed up by what the server counted', () => {
    const answers = [
      answer({ arrivals: [10, 20, 40], promptTokens: 5, outputTokens: 4 }),
      answer({ arrivals: [30, 40], promptTokens: 6, outputTokens: 2 }),
    ];
    expect(summarize(answers, 500)).toEqual({
      requests: 2,
      failures: 0,
      failure: null,
      wallMs: 500,
      promptTokens: 11,
      outputTokens: 6,
      isEstimate: false,
      tokensPerSecond: 12,
      ttftMs: { p50: 20, p95: 29, max: 30 },
      itlMs: { p50: 10, p95: 19, max: 20 },
    });
  });

  it('without usage count by their events, which is an estimate', () => {
    const { outputTokens, isEstimate } = summarize([answer({ arrivals: [1, 2, 3] })], 1);
    expect([outputTokens, isEstimate]).toEqual([3, true]);
  });

  it('that failed are counted, and the first reason is kept', () => {
    const answers = [answer({}), answer({ failure: 'a' }), answer({ failure: 'b' })];
    expect(summarize(answers, 1)).toMatchObject({ failures: 2, failure: 'a' });
  });
});

it('takes a URL with or without the path of the API', () => {
  const path = '/v1/chat/completions';
  expect(targetOf('http://127.0.0.1:7411')).toEqual({
    ...{ host: '127.0.0.1', port: 7411, path, key: null },
  });
  expect(targetOf('http://localhost/v1/', 'k')).toEqual({
    ...{ host: 'localhost', port: 80, path, key: 'k' },
  });
});
