// The built command line, beside a server that runs all the while and after it has stopped.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RECEIPT_HEADER, receiptSchema } from '../protocol/ledger.js';
import { type TestServer, testServers, user } from '../server/test-server.js';
import { runCli } from './test-cli.js';

const start = testServers();

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'verify-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function verify(...args: string[]) {
  // A person's own data folder is none of the tests' business.
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: '', APPDATA: folder };
  return runCli(['verify', ...args], env);
}

const CHAT = { messages: [user('Hi.')], max_tokens: 4 };

/** Asks, and saves what a person would: the answer's bytes, and the receipt. */
async function asked(test: TestServer, stream: boolean) {
  const response = await test.chat({ ...CHAT, stream });
  const id = response.headers.get(RECEIPT_HEADER) ?? '';
  const files = {
    response: path.join(folder, `${id}.txt`),
    receipt: path.join(folder, `${id}.json`),
  };
  await writeFile(files.response, new Uint8Array(await response.arrayBuffer()));
  const receipt = await fetch(`${test.server.url}/v1/receipts/${id}`);
  await writeFile(files.receipt, await receipt.text());
  return { id, ...files };
}

/** Changes the database as nobody should. */
function tamper(test: TestServer, sql: string): void {
  const database = new DatabaseSync(path.join(test.dataDir, 'pilotlight.sqlite'));
  database.exec(sql);
  database.close();
}

describe('verify', () => {
  it('finds a ledger whole, beside its server and without it', async () => {
    const test = await start({ models: ['scripted'] });
    expect(await verify('--data', test.dataDir)).toMatchObject({
      code: 0,
      stdout: 'The ledger is empty.\n',
    });
    await asked(test, false);
    await asked(test, true);
    const beside = await verify('--data', test.dataDir);
    expect(beside.stderr).toBe('');
    expect(beside.stdout).toMatch(
      /^The ledger is whole: 3 rows, 2 of them of requests, from row 1 /,
    );
    const key = /^Signed with (\S+) from row 1 on\.$/m.exec(beside.stdout)?.[1] ?? '';
    await test.stop();
    const alone = await verify('--data', test.dataDir, '--key', key);
    expect(alone).toEqual({ ...beside });
    const wrong = `${key.startsWith('b') ? 'c' : 'b'}${key.slice(1)}`;
    expect(await verify('--data', test.dataDir, '--key', wrong)).toMatchObject({
      ...{ code: 2, stdout: '' },
      stderr: `Row 1 and what follows is signed by another key, ${key}.\n`,
    });
    for (const receipt of [[], ['--receipt', 'rcpt_0']]) {
      expect(await verify('--data', test.dataDir, '--key', 'xyz', ...receipt)).toMatchObject({
        ...{ code: 1, stdout: '' },
        stderr: expect.stringMatching(/^--key must be a public key /),
      });
    }
  });

  it.each([
    [
      'UPDATE ledger SET row = replace(row, \'"output":4\', \'"output":3\') WHERE seq = 3',
      3,
      'has been changed: its signature does not fit.',
    ],
    ['DELETE FROM ledger WHERE seq = 2', 2, 'is missing.'],
    ['DELETE FROM ledger WHERE seq = 4', 4, 'is missing.'],
    ['DELETE FROM ledger WHERE seq < 3', 1, 'is missing. Rows 3 to 4 are as they were signed.\\n$'],
    ['DELETE FROM ledger WHERE seq = 3', 3, 'is missing. Rows 1 to 2 are as they were signed.\\n$'],
    [
      "UPDATE ledger SET id = 'rcpt_0' WHERE seq = 2",
      2,
      'is kept under rcpt_0, but belongs under rcpt_[0-9a-f]{24}. Row 1 is as it was signed.\\n$',
    ],
    ['UPDATE ledger SET seq = seq + 100 WHERE seq = 4', 4, 'is missing.'],
    ["UPDATE ledger SET row = 'x' WHERE seq = 1", 1, 'is no row as Pilotlight writes them.'],
    [
      "UPDATE ledger SET signature = x'00' WHERE seq = 2",
      2,
      'has been changed: its signature does not fit.',
    ],
  ])('points at the first broken row: %s', async (sql, seq, fault) => {
    const test = await start({ models: ['scripted'] });
    for (let i = 0; i < 3; i++) await asked(test, false);
    await test.stop();
    tamper(test, sql);
    const said = await verify('--data', test.dataDir);
    expect([said.code, said.stdout]).toEqual([2, '']);
    expect(said.stderr).toMatch(
      new RegExp(`^The ledger is broken: row ${seq}( \\(rcpt_\\w+\\))? ${fault}`),
    );
  });

  it('says why it cannot look', async () => {
    const none = { code: 1, stderr: `There is no ledger in ${folder} yet.\n` };
    expect(await verify('--data', folder)).toMatchObject(none);
    await writeFile(path.join(folder, 'pilotlight.sqlite'), '');
    expect(await verify('--data', folder)).toMatchObject(none);
    await writeFile(path.join(folder, 'pilotlight.sqlite'), 'x'.repeat(10_000));
    expect(await verify('--data', folder)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/ cannot be read: .+\n$/),
    });
    expect(await verify()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^There is no ledger in .+ yet\. Where the server was started with --data, name the same folder here\.\n$/,
      ),
    });
    expect(await verify('--receipt', 'nofile.json')).toMatchObject({
      code: 1,
      stderr: 'There is no file nofile.json.\n',
    });
    const alone = await verify('--response', 'x');
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('add --receipt')]);
    expect((await verify('--receipt', 'rcpt_0', '--data', folder)).code).toBe(1);
  });
});

describe('a receipt', () => {
  it.each([true, false])('belongs to the bytes that were sent, stream: %s', async (stream) => {
    const test = await start({ models: ['scripted'] });
    const { id, response, receipt } = await asked(test, stream);
    for (const name of [id, receipt]) {
      const args = ['--receipt', name, '--response', response, '--data', test.dataDir];
      const said = await verify(...args);
      expect([said.code, said.stderr]).toEqual([0, '']);
      expect(said.stdout).toContain(
        `The receipt ${id} is genuine: POST /v1/chat/completions, answered by scripted`,
      );
      expect(said.stdout).toContain('The response is the one that it was made for.');
    }
    await writeFile(response, `${await readFile(response, 'utf8')}!`);
    const other = await verify('--receipt', receipt, '--response', response);
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(
      /^The response is not the one of this receipt: .* has \d+ bytes, and \d+ bytes were sent\.\n$/,
    );
  });

  it('is verified alone, and no change of it is', async () => {
    const test = await start({ models: ['scripted'] });
    const { receipt } = await asked(test, false);
    await test.close();
    expect((await verify('--receipt', receipt)).code).toBe(0);
    const whole = receiptSchema.parse(JSON.parse(await readFile(receipt, 'utf8')));
    const { row } = whole;
    for (const changed of [
      { ...whole, id: 'rcpt_other' },
      { ...whole, hash: 'a'.repeat(64) },
      { ...whole, public_key: whole.public_key.replace(/[A-Z]/, 'x') },
      { ...whole, row: { ...row, tokens: { prompt: 1, cached: 0, output: 1 } } },
      { ...whole, row: { ...row, began_at: row.began_at + 1 } },
    ]) {
      await writeFile(receipt, JSON.stringify(changed));
      expect(await verify('--receipt', receipt)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^The receipt /),
      });
    }
    await writeFile(receipt, '{"object": "receipt"}');
    expect((await verify('--receipt', receipt)).code).toBe(1);
  });

  it('is missed in a ledger that has lost its row, and in another one', async () => {
    const test = await start({ models: ['scripted'] });
    const first = await asked(test, false);
    await asked(test, false);
    const inIts = await verify('--receipt', first.receipt, '--data', test.dataDir);
    expect(inIts.stdout).toContain('It is row 2 of the ledger.');
    await test.stop();
    // Whoever rewrites the whole ledger has no receipt that says so.
    tamper(test, "DELETE FROM ledger; DELETE FROM sqlite_sequence WHERE name = 'ledger'");
    expect((await verify('--data', test.dataDir)).code).toBe(0);
    const lost = await verify('--receipt', first.receipt, '--data', test.dataDir);
    expect([lost.code, lost.stderr]).toEqual([2, expect.stringContaining('row 2 is missing')]);

    const other = await start({ models: ['scripted'] });
    await asked(other, false);
    const foreign = await verify('--receipt', first.receipt, '--data', other.dataDir);
    expect([foreign.code, foreign.stderr]).toEqual([
      2,
      expect.stringContaining('row 2 is another one'),
    ]);
  });
});
