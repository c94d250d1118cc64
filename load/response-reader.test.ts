import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseReader } from './response-reader.js';

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
  const { status, body, done, problem, isWhole, isInEvent } = reader;
  return { events, status, body, done, problem, isWhole, isInEvent };
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
        expect(read(response, cuts)).toMatchObject(expected);
      }),
    );
  });

  it('without a body is complete with its head', () => {
    const { done, status } = read('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n');
    expect([done, status]).toEqual([true, 503]);
  });
});

describe('what is not HTTP/1.1', () => {
  it.each([
    ['SSH-2.0-OpenSSH_9.2\r\n', 'it does not speak HTTP/1.1'],
    ['\x15\x03\x01\x00\x02\x02\x16', 'it does not speak HTTP/1.1'],
    ['HTTP/2 200\r\n\r\n', 'it does not speak HTTP/1.1'],
    [`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}`, 'the head of its answer has no end'],
    [`${STREAM_HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 'a chunk of its answer has no size'],
  ])('is told at once', (text, problem) => {
    expect(read(text)).toMatchObject({ problem, done: true });
  });
});

it('is whole where its end says so, or the end of its connection', () => {
  const whole = chunked(['data: one\n\n']);
  expect(read(whole).isWhole).toBe(true);
  expect(read(whole.slice(0, -3)).isWhole).toBe(false);
  expect(read(`${STREAM_HEAD}\r\ndata: one\n\n`).isWhole).toBe(true);
  expect(read(`${STREAM_HEAD}Content-Length: 50\r\n\r\ndata: one\n\n`).isWhole).toBe(false);
});

it('knows of an event that has no end', () => {
  expect(read(chunked(['data: one\n\n'])).isInEvent).toBe(false);
  for (const rest of ['data: two', 'data: two\n']) {
    expect(read(chunked([`data: one\n\n${rest}`])).isInEvent).toBe(true);
  }
});

it('passes over what comes before the response', () => {
  const { status, events } = read(`HTTP/1.1 100 Continue\r\n\r\n${chunked(['data: one\n\n'])}`);
  expect([status, events]).toEqual([200, ['one']]);
});

it('finds headers in any case', () => {
  const reader = new ResponseReader(() => {});
  reader.push('HTTP/1.1 429 Busy\r\nRetry-AFTER:  3 \r\nContent-Length: 0\r\n\r\n');
  expect([reader.header('retry-after'), reader.header('x-other')]).toEqual(['3', null]);
});
