// Real requests of every dialect, however they end, and their rows.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RECEIPT_HEADER, type Receipt, receiptSchema } from '../../protocol/ledger.js';
import { ask, DIALECTS, type Dialect, readAll, readUntil } from '../dialects/test-dialects.js';
import { ENDINGS, toldIn } from '../dialects/test-endings.js';
import { Wiretap } from '../dialects/test-wiretap.js';
import { mountDisk } from '../test-disk.js';
import { startTestServer, type TestServer, testServers, user } from '../test-server.js';
import { receiptFault } from './receipt.js';
import { breakIn, openIds, type Row, requestRows, rowsOf, settledRows } from './test-rows.js';

const tap = new Wiretap();
let test: TestServer;
/** Rows of requests before the test. */
let before: number;
beforeAll(async () => {
  test = await startTestServer({
    models: ['scripted', 'scripted-long', 'embed', 'rerank'],
    wrap: tap.wrap,
    config: { parallel: 4, windowKey: 'w' },
  });
});
afterAll(async () => {
  const { dataDir } = test;
  expect(breakIn(dataDir)).toBeNull();
  await test.close();
});
beforeEach(() => {
  tap.clear();
  before = requestRows(test.dataDir).length;
});

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

async function receiptOf(response: Response): Promise<Receipt> {
  const id = response.headers.get(RECEIPT_HEADER);
  const found = await fetch(`${test.server.url}/v1/receipts/${id}`);
  expect(found.status).toBe(200);
  return receiptSchema.parse(await found.json());
}

/** The one row that has come since the test began. */
async function onlyRow(): Promise<Row> {
  const rows = await settledRows(test.dataDir, before + 1);
  expect(rows.length).toBe(before + 1);
  return rows.at(-1) as Row;
}

const long = { model: 'scripted-long', text: 'Go.', maxTokens: 8_000 };

describe.each(Object.entries(DIALECTS))('%s', (name, dialect) => {
  describe.each([true, false])('stream: %s', (stream) => {
    it('ends in one row that is there with the last byte, with its hash and its counts', async () => {
      const question = { model: 'scripted', text: 'Hi', maxTokens: 5, stream };
      const { more, ending } = ENDINGS[name] ?? {};
      const body = { ...dialect.body(question), ...(stream ? more : {}) };
      const headers = { 'user-agent': 'tester/1', 'content-type': 'application/json' };
      const response = await test.post(dialect.path, body, { headers });
      const bytes = await bytesOf(response);
      const receipt = await receiptOf(response);
      expect(receiptFault(receipt)).toBeNull();
      expect(receipt.row).toEqual(await onlyRow());
      const told = ending?.(toldIn(Buffer.from(bytes).toString()));
      const [done] = tap.ends();
      expect(receipt.row).toMatchObject({
        ...{ id: receipt.id, method: 'POST', route: dialect.path, client: 'tester/1' },
        ...{ model: 'scripted', outcome: 'answered', finish_reason: 'length', error_code: null },
        tokens: { prompt: told?.prompt, cached: done?.cachedTokens, output: told?.output },
        response: { status: 200, bytes: bytes.length, sha256: sha256(bytes), complete: true },
      });
      expect(receipt.row.timings?.total_us).toBeGreaterThanOrEqual(
        receipt.row.timings?.ttft_us ?? Number.NaN,
      );
    });

    it('ends in one row where its client leaves', async () => {
      const leaving = new AbortController();
      const asked = ask(test, dialect, { ...long, stream }, leaving.signal);
      asked.catch(() => {});
      if (stream) await readUntil(await asked, dialect.flowing);
      else await tap.until(() => tap.tokens() > 0);
      leaving.abort();
      expect(await onlyRow()).toMatchObject({
        ...{ model: 'scripted-long', outcome: 'left', finish_reason: 'cancelled' },
        tokens: { output: tap.tokens() },
        response: { complete: false, status: stream ? 200 : 0 },
      });
    });

    it('ends in one row where the person here cancels it', async () => {
      const asked = ask(test, dialect, { ...long, stream });
      if (stream) await readUntil(await asked, dialect.flowing);
      else await tap.until(() => tap.tokens() > 0);
      const [open] = openIds(test.dataDir);
      const cancelled = await fetch(
        `${test.server.url}/pilotlight/inspector/requests/${open?.id}/cancel`,
        { method: 'POST', headers: { authorization: 'Bearer w' } },
      );
      expect(cancelled.status).toBe(200);
      const bytes = Buffer.from(await readAll(await asked));
      const row = await onlyRow();
      expect(row).toMatchObject({
        ...{ id: open?.id, outcome: 'cancelled', error_code: 'request_cancelled' },
        ...{ finish_reason: 'cancelled', tokens: { output: tap.tokens() } },
        response: { complete: true, status: stream ? 200 : 400 },
      });
      if (!stream) expect(row.response?.sha256).toBe(sha256(bytes));
    });

    it('ends in one row where its engine is lost', async () => {
      // After an answer, the next crash is a first one: nobody waits before the model is loaded again.
      await test.answer({ model: long.model, messages: [user('Hi.')], max_tokens: 1 });
      before++;
      tap.clear();
      const asked = ask(test, dialect, { ...long, stream });
      if (stream) await readUntil(await asked, dialect.flowing);
      else await tap.until(() => tap.tokens() > 0);
      test.engines.at(-1)?.kill();
      const response = await asked;
      await readAll(response);
      const row = await onlyRow();
      expect(row).toMatchObject({
        ...{ model: 'scripted-long', outcome: 'failed', error_code: 'engine_crashed' },
        ...{ finish_reason: null, response: { complete: true, status: stream ? 200 : 503 } },
      });
      expect(response.headers[RECEIPT_HEADER]).toBe(row.id);
    });
  });

  it.each<[string, string, number]>([
    ['is no JSON', '{', 400],
    ['is not understood', '{"model": 5}', 400],
    ['is no object', '[]', 400],
    ['is nothing', '', 400],
    ['names no model that is there', 'nobody', 404],
  ])('ends in one row where its body %s', async (_, text, status) => {
    const question = { ...long, model: 'nobody', stream: true };
    const body = text === 'nobody' ? JSON.stringify(dialect.body(question)) : text;
    const headers = { 'content-type': 'application/json' };
    const response = await test.post(dialect.path, null, { body, headers });
    const bytes = await bytesOf(response);
    expect(response.status).toBe(status);
    const { row } = await receiptOf(response);
    expect(row).toEqual(await onlyRow());
    expect(row).toMatchObject({
      ...{ outcome: 'failed', model: null, model_file: null, finish_reason: null },
      tokens: { prompt: 0, cached: 0, output: 0 },
      response: { status, bytes: bytes.length, sha256: sha256(bytes), complete: true },
    });
  });
});

describe('other routes', () => {
  const texts = ['a', 'b'];
  it.each<[string, object, Partial<Row>]>([
    ['/v1/embeddings', { model: 'embed', input: texts }, { model: 'embed' }],
    ['/api/embed', { model: 'embed', input: texts }, { model: 'embed' }],
    ['/api/embeddings', { model: 'embed', prompt: 'a' }, { model: 'embed' }],
    ['/v1/rerank', { model: 'rerank', query: 'a', documents: texts }, { model: 'rerank' }],
    ['/tokenize', { content: 'a' }, {}],
    ['/v1/messages/count_tokens', { messages: [user('a')] }, {}],
    ['/v1/responses/input_tokens', { input: 'a' }, {}],
    ['/inference/v1/generate', { token_ids: [40], sampling_params: { max_tokens: 2 } }, {}],
  ])('%s ends in one row', async (route, body, more) => {
    const response = await test.post(route, body);
    const bytes = await bytesOf(response);
    expect(response.status).toBe(200);
    const { row } = await receiptOf(response);
    expect(row).toEqual(await onlyRow());
    const told = JSON.parse(Buffer.from(bytes).toString());
    const prompt = told.usage?.prompt_tokens ?? told.prompt_eval_count;
    expect(row).toMatchObject({
      ...{ route, outcome: 'answered', ...more },
      ...(prompt === undefined ? {} : { tokens: { prompt } }),
      response: { sha256: sha256(bytes) },
    });
  });

  it.each(['/v1/models', '/health', '/v1/receipts/rcpt_0'])('%s has no row', async (route) => {
    const response = await fetch(test.server.url + route);
    await response.text();
    expect(response.headers.has(RECEIPT_HEADER)).toBe(false);
    expect(requestRows(test.dataDir).length).toBe(before);
  });
});

it('64 requests at once end in a row each, in one chain', async () => {
  const dialects = Object.values(DIALECTS);
  const asked = Array.from({ length: 64 }, async (_, i) => {
    const dialect = dialects[i % dialects.length] as Dialect;
    const stream = i % 2 === 0;
    const question = { model: 'scripted', text: `Hi ${i}`, maxTokens: 8, stream };
    const response = await test.post(dialect.path, dialect.body(question));
    const bytes = await bytesOf(response);
    return { bytes, receipt: await receiptOf(response) };
  });
  const ended = await Promise.all(asked);
  for (const { bytes, receipt } of ended) {
    expect(receipt.row.response?.sha256).toBe(sha256(bytes));
  }
  expect(new Set(ended.map(({ receipt }) => receipt.id)).size).toBe(64);
  expect(requestRows(test.dataDir).length).toBe(before + 64);
  expect(breakIn(test.dataDir)).toBeNull();
});

it('names the file of the model, by its whole hash as soon as that is known', async () => {
  const bytes = await readFile(path.join(test.modelsDir, 'scripted.gguf'));
  const file = () => requestRows(test.dataDir).findLast((row) => row.model === 'scripted');
  // The hash is computed in the background.
  while (file()?.model_file?.sha256 == null)
    await (await test.chat({ messages: [user('Hi')] })).text();
  expect(file()?.model_file).toEqual({
    bytes: bytes.length,
    head_sha256: sha256(bytes.subarray(0, 1024 * 1024)),
    sha256: sha256(bytes),
  });
});

it('says what there is not', async () => {
  const response = await fetch(`${test.server.url}/v1/receipts/rcpt_000000000000000000000000`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { code: 'receipt_not_found' } });
});

it('says that a receipt is not ready', async () => {
  const asked = await ask(test, DIALECTS['chat completions'] as Dialect, { ...long, stream: true });
  const id = asked.headers[RECEIPT_HEADER];
  const response = await fetch(`${test.server.url}/v1/receipts/${id}`);
  expect([response.status, await response.json()]).toMatchObject([
    404,
    { error: { code: 'receipt_not_ready' } },
  ]);
  asked.destroy();
  await onlyRow();
});

describe('with a server of its own', () => {
  const start = testServers();

  it('names the client by its key, and keeps who is refused at the door out', async () => {
    const own = await start({ models: ['scripted'], config: { apiKeys: ['one', 'two'] } });
    const body = JSON.stringify({ messages: [user('Hi.')], max_tokens: 1 });
    for (const key of ['one', 'two', 'three']) {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
      await (await own.chat(null, { body, headers })).text();
    }
    expect(requestRows(own.dataDir).map(({ client }) => client)).toEqual(['api-key', 'api-key-2']);
  });

  it('keeps no text of prompts and answers in any file', async () => {
    const own = await start({ models: ['scripted'] });
    const canary = 'zebra-quagga-4711';
    const said = 'every word of it';
    for (const dialect of Object.values(DIALECTS)) {
      for (const stream of [true, false]) {
        const question = { model: 'scripted', text: canary, maxTokens: 50, stream };
        // What a client wants to be kept is: responses are, unless it says so.
        const body = {
          ...dialect.body(question),
          ...(dialect.path === '/v1/responses' ? { store: false } : {}),
        };
        const answer = await (await own.post(dialect.path, body)).text();
        expect(dialect[stream ? 'streamed' : 'collected'](answer)).toContain(said);
      }
      await (
        await own.post(dialect.path, { prompt: canary, messages: canary, model: canary })
      ).text();
    }
    const files = await readdir(own.dataDir, { recursive: true, withFileTypes: true });
    const names = files
      .filter((file) => file.isFile() && !file.name.endsWith('.gguf'))
      .map((file) => path.join(file.parentPath, file.name));
    expect(names.map((file) => path.basename(file))).toEqual(
      expect.arrayContaining(['pilotlight.sqlite', 'pilotlight.sqlite-wal', 'server.log']),
    );
    for (const file of names) {
      const text = await readFile(file, 'latin1');
      expect([file, text.includes(canary), text.includes(said)]).toEqual([file, false, false]);
    }
    expect(requestRows(own.dataDir).length).toBe(3 * Object.keys(DIALECTS).length);
  });

  it('goes on answering on a full disk, and catches up when there is room', async ({ skip }) => {
    const disk = mountDisk();
    if (!disk) return skip('nobody but root can mount a small disk');
    const dataDir = path.join(disk.folder, 'data');
    const own = await startTestServer({ models: ['scripted'], dataDir });
    const body = { messages: [user('Hi.')], max_tokens: 3 };
    try {
      await own.answer(body);
      disk.fill();
      const asked = Array.from({ length: 20 }, () => own.chat(body));
      const ids = [];
      for (const response of await Promise.all(asked)) {
        expect(response.status).toBe(200);
        await response.text();
        ids.push(response.headers.get(RECEIPT_HEADER));
      }
      const { notices } = await own.until((state) => state.notices.length > 0);
      expect(notices).toEqual([expect.stringMatching(/^Receipts cannot be kept .*full/)]);
      const early = await fetch(`${own.server.url}/v1/receipts/${ids[0]}`);
      expect(await early.json()).toMatchObject({ error: { code: 'receipt_not_ready' } });
      disk.clear();
      // It is tried again by itself.
      const rows = await settledRows(dataDir, 21);
      expect(
        rows
          .map(({ id }) => id)
          .slice(1)
          .sort(),
      ).toEqual(ids.sort());
      await own.until((state) => state.notices.length === 0);
      expect(breakIn(dataDir)).toBeNull();
    } finally {
      await own.close();
      disk.remove();
    }
  });

  it('gives receipts and usage on a disk that can only be read', async ({ skip }) => {
    const disk = mountDisk();
    if (!disk) return skip('nobody but root can mount a small disk');
    disk.protect();
    const own = await startTestServer({ models: ['scripted'], config: { dataDir: disk.folder } });
    try {
      const response = await own.chat({ messages: [user('Hi.')], max_tokens: 3 });
      await response.text();
      const at = `${own.server.url}/v1`;
      const found = await fetch(`${at}/receipts/${response.headers.get(RECEIPT_HEADER)}`);
      expect(receiptFault(receiptSchema.parse(await found.json()))).toBeNull();
      const usage = await fetch(`${at}/usage`);
      expect(await usage.json()).toMatchObject({ total: { requests: 1, output_tokens: 3 } });
      const { notices } = own.server.state.now();
      expect(notices.filter((notice) => /receipts/i.test(notice))).toEqual([
        expect.stringMatching(
          /chats, responses and receipts are kept until Pilotlight stops only\.$/,
        ),
        expect.stringMatching(/^The key that signs receipts cannot be kept/),
      ]);
    } finally {
      await own.close();
      disk.remove();
    }
  });

  it('goes on where the last one stopped, with the same key', async () => {
    const first = await start({ models: ['scripted'] });
    await first.answer({ messages: [user('Hi.')] });
    await first.stop();
    const second = await start({ models: ['scripted'], dataDir: first.dataDir });
    await second.answer({ messages: [user('Hi.')] });
    expect(rowsOf(first.dataDir).map(({ kind }) => kind)).toEqual(['key', 'request', 'request']);
    expect(breakIn(first.dataDir)).toBeNull();
  });
});
