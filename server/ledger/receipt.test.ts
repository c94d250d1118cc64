import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Receipt } from '../../protocol/ledger.js';
import { receiptFault, receiptOf } from './receipt.js';
import { requestDraft, testChain } from './test-chain.js';

function receipt(): Receipt {
  const chain = testChain();
  const client = 'Müller/1.0 "quoted" \\ 模型 \u0085\u2028';
  chain.append(requestDraft('rcpt_0', { client, model: 'größe' }));
  const row = chain.rows().at(-1);
  if (row === undefined) throw new Error('no row');
  return receiptOf(row);
}

describe('a receipt', () => {
  it('has no fault as it is made, nor after a way through JSON', () => {
    const made = receipt();
    expect(receiptFault(made)).toBeNull();
    expect(receiptFault(JSON.parse(JSON.stringify(made, null, 2)))).toBeNull();
  });

  it.each<[string, (made: Receipt) => Receipt, RegExp]>([
    ['row', (made) => ({ ...made, row: { ...made.row, client: 'x' } }), /signature does not fit/],
    ['signature', (made) => ({ ...made, signature: receipt().signature }), /does not fit/],
    ['hash', (made) => ({ ...made, hash: '0'.repeat(64) }), /another hash/],
    ['id', (made) => ({ ...made, id: 'rcpt_1' }), /of another request, rcpt_0/],
    ['key', (made) => ({ ...made, public_key: receipt().public_key }), /another key/],
  ])('shows that its %s was changed', (_, change, fault) => {
    expect(receiptFault(change(receipt()))).toMatch(fault);
  });
});

/** As docs/ledger.md shows it. */
const SCRIPT = `
jq -cjS .row receipt.json > row.json
jq -j .public_key receipt.json > key.pem
jq -j .signature receipt.json | base64 -d > row.sig
openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in row.json -sigfile row.sig
openssl dgst -sha256 row.json`;

const isThere = (program: string) => spawnSync(program, ['--version']).error === undefined;
const hasTools = process.platform !== 'win32' && ['jq', 'openssl'].every(isThere);

describe.runIf(hasTools)('without Pilotlight', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'receipt-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('a receipt is verified with jq and openssl', () => {
    const made = receipt();
    writeFileSync(path.join(folder, 'receipt.json'), JSON.stringify(made));
    const said = execFileSync('sh', ['-ec', SCRIPT], { cwd: folder }).toString();
    expect(said).toContain('Signature Verified Successfully');
    expect(said).toContain(made.hash);
  });
});
