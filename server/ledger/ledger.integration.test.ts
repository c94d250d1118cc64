// Real requests and their rows, over all dialects.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECEIPT_HEADER, type Receipt, receiptSchema } from '../../protocol/ledger.js';
import { DIALECTS } from '../dialects/test-dialects.js';
import { startTestServer, type TestServer } from '../test-server.js';
import { canonicalText, hashOf, isSigned, publicKeyOf } from './row.js';

let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({ models: ['scripted'] });
});
afterAll(() => test.close());

async function receiptOf(response: Response): Promise<Receipt> {
  const id = response.headers.get(RECEIPT_HEADER);
  const found = await fetch(`${test.server.url}/v1/receipts/${id}`);
  expect(found.status).toBe(200);
  return receiptSchema.parse(await found.json());
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe.each(Object.entries(DIALECTS))('%s', (_, dialect) => {
  it.each([true, false])('stream: %s: has a receipt as soon as it is whole', async (stream) => {
    const question = { model: 'scripted', text: 'Hi', maxTokens: 5, stream };
    const headers = { 'user-agent': 'tester/1', 'content-type': 'application/json' };
    const response = await test.post(dialect.path, dialect.body(question), { headers });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { id, row, hash, signature } = await receiptOf(response);
    expect(row).toMatchObject({
      id,
      route: dialect.path,
      client: 'tester/1',
      model: 'scripted',
      outcome: 'answered',
      finish_reason: 'length',
      tokens: { output: 5 },
      response: { status: 200, bytes: bytes.length, sha256: sha256(bytes), complete: true },
    });
    const text = canonicalText(row);
    expect(hashOf(text)).toBe(hash);
    expect(isSigned(text, Buffer.from(signature, 'base64'), publicKeyOf(row.key))).toBe(true);
  });

  it('has one for a refusal', async () => {
    const response = await test.post(dialect.path, { model: 5 });
    expect(response.status).toBe(400);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { row } = await receiptOf(response);
    expect(row).toMatchObject({ outcome: 'failed', model: null, finish_reason: null });
    expect(row.response).toMatchObject({ status: 400, sha256: sha256(bytes) });
  });
});

it('chains the rows', async () => {
  const body = { messages: [] };
  const first = await receiptOf(await test.chat(body));
  const second = await receiptOf(await test.chat(body));
  expect([second.row.seq, second.row.previous]).toEqual([first.row.seq + 1, first.hash]);
});

it('says what there is not', async () => {
  const response = await fetch(`${test.server.url}/v1/receipts/rcpt_000000000000000000000000`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { code: 'receipt_not_found' } });
});
