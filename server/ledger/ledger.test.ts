import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RequestDraft } from '../../protocol/ledger.js';
import { Exchange } from '../exchange/exchange.js';
import { Database, databaseFileOf } from '../store/database.js';
import { Ledger, type LedgerOptions } from './ledger.js';
import { LedgerFile } from './ledger-file.js';
import { ModelFiles } from './model-files.js';
import { ledgerRetention } from './retention.js';
import { newKey } from './test-chain.js';
import { breakIn, openIds, requestRows, rowsOf } from './test-rows.js';

const KEY = newKey();
let dataDir: string;
let database: Database;
const opened: Ledger[] = [];
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'ledger-'));
  database = new Database(dataDir);
});
afterEach(async () => {
  vi.useRealTimers();
  for (const ledger of opened.splice(0)) ledger.close();
  database.close();
  await rm(dataDir, { recursive: true, force: true });
});

function open(options: Partial<LedgerOptions> = {}): Ledger {
  const modelFiles = new ModelFiles(database);
  const ledger = new Ledger({
    ...{ dataDir, database, key: KEY, modelFiles, retention: ledgerRetention(400) },
    ...options,
  });
  opened.push(ledger);
  return ledger;
}

let made = 0;

/** A request that has begun. */
function begin(ledger: Ledger, beganAt = 1_000): Exchange {
  const head = {
    ...{ id: `rcpt_${made++}`, requestId: 'r', method: 'POST', route: '/v1/generate' },
    ...{ client: 'tester', isOwner: false, beganAt },
  };
  const exchange = new Exchange(head, () => null, [ledger]);
  exchange.begin();
  return exchange;
}

const close = (exchange: Exchange, more: object = {}) =>
  exchange.close({ status: 200, complete: true, errorCode: null, ...more });

/** A request that is answered. */
function answer(ledger: Ledger, beganAt?: number): string {
  const exchange = begin(ledger, beganAt);
  close(exchange);
  return exchange.head.id;
}

const ids = () => requestRows(dataDir).map(({ id }) => id);

/** Lets nothing be written until it is undone, as on a full disk. */
function fill(): () => void {
  database.read((connection) => connection.exec('PRAGMA query_only = ON'));
  return () => database.read((connection) => connection.exec('PRAGMA query_only = OFF'));
}

describe('a row tells', () => {
  it.each<[string, (exchange: Exchange) => void, Partial<RequestDraft>]>([
    ['that all went well', (exchange) => close(exchange), { outcome: 'answered' }],
    [
      'that the person here cancelled it',
      (exchange) => {
        exchange.cancel();
        close(exchange, { status: 400, errorCode: 'request_cancelled' });
      },
      { outcome: 'cancelled', error_code: 'request_cancelled' },
    ],
    [
      'that it failed in the middle of its stream',
      (exchange) => close(exchange, { errorCode: 'engine_crashed' }),
      { outcome: 'failed', error_code: 'engine_crashed' },
    ],
    ['that it was refused', (exchange) => close(exchange, { status: 400 }), { outcome: 'failed' }],
    [
      'that its client left',
      (exchange) => close(exchange, { complete: false, status: 0 }),
      { outcome: 'left' },
    ],
  ])('%s', (_, end, expected) => {
    end(begin(open()));
    expect(requestRows(dataDir)).toMatchObject([expected]);
  });
});

describe('a request that is open', () => {
  it('gets its row at the next start where its server is gone', () => {
    const first = open();
    const [one, two] = [begin(first), begin(first)];
    answer(first);
    first.close();
    expect(openIds(dataDir).map(({ id }) => id)).toEqual([one.head.id, two.head.id]);
    open();
    expect(openIds(dataDir)).toEqual([]);
    expect(requestRows(dataDir).slice(1)).toMatchObject(
      [one, two].map(({ head }) => ({
        ...{ id: head.id, outcome: 'cut', tokens: null, timings: null, response: null },
        ...{ client: 'tester', began_at: 1_000 },
      })),
    );
    expect(breakIn(dataDir)).toBeNull();
  });

  it('stays open while its server lives, whoever else starts', () => {
    const [first, second] = [open(), open()];
    const exchange = begin(first);
    open();
    answer(second);
    expect(openIds(dataDir).map(({ id }) => id)).toEqual([exchange.head.id]);
    close(exchange);
    expect(requestRows(dataDir).map(({ outcome }) => outcome)).toEqual(['answered', 'answered']);
  });

  it('has one row also where another server has taken its own for gone', () => {
    const ledger = open();
    const exchange = begin(ledger);
    // What a folder without locks looks like.
    database.write((connection) => connection.exec("UPDATE ledger_open SET owner = 'nobody'"));
    open();
    close(exchange);
    expect(requestRows(dataDir)).toMatchObject([{ id: exchange.head.id, outcome: 'cut' }]);
  });

  it('is told as lost where nobody can read what was kept of it', () => {
    const first = open();
    begin(first);
    first.close();
    database.write((connection) => connection.exec("UPDATE ledger_open SET draft = '{'"));
    open({ now: () => 5_000 });
    expect(rowsOf(dataDir).map(({ kind }) => kind)).toEqual(['key', 'loss']);
    expect(rowsOf(dataDir)[1]).toMatchObject({ requests: 1, first_began_at: 5_000 });
  });
});

describe('while nothing can be written', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });

  it('rows wait, and come in order when it works again', () => {
    const ledger = open();
    const before = [answer(ledger), answer(ledger)];
    const undo = fill();
    const waiting = [answer(ledger), answer(ledger), answer(ledger)];
    expect(ids()).toEqual(before);
    expect(waiting.map((id) => ledger.find(id))).toEqual(['open', 'open', 'open']);
    const running = begin(ledger);
    expect(ledger.find(running.head.id)).toBe('open');
    waiting.push(running.head.id);
    close(running);
    expect(database.notices()).toEqual([expect.stringMatching(/^Receipts cannot be kept/)]);
    vi.advanceTimersByTime(60_000);
    expect(ids()).toEqual(before);
    undo();
    vi.advanceTimersByTime(10_000);
    expect(ids()).toEqual([...before, ...waiting]);
    expect(database.notices()).toEqual([]);
    expect(breakIn(dataDir)).toBeNull();
    expect(ids().concat(answer(ledger))).toEqual(ids());
  });

  it('rows are written at the end, where it works by then', () => {
    const ledger = open();
    const undo = fill();
    const waiting = answer(ledger);
    undo();
    ledger.close();
    expect(ids()).toEqual([waiting]);
  });

  it('the oldest beyond a thousand are lost, and a row says how many', () => {
    const ledger = open();
    const early = [0, 1, 2].map((beganAt) => begin(ledger, beganAt));
    const lasting = begin(ledger, 3);
    const undo = fill();
    for (const exchange of early) close(exchange);
    for (let i = 3; i < 1_007; i++) answer(ledger, i);
    undo();
    vi.advanceTimersByTime(10_000);
    // Those that are lost are not found cut off at the next start.
    expect(openIds(dataDir).map(({ id }) => id)).toEqual([lasting.head.id]);
    expect(rowsOf(dataDir).slice(0, 2)).toMatchObject([
      { kind: 'key' },
      { kind: 'loss', requests: 7, first_began_at: 0, last_began_at: 6 },
    ]);
    expect(requestRows(dataDir).length).toBe(1_000);
    expect(breakIn(dataDir)).toBeNull();
  });
});

describe('what else is done in the transaction of a row', () => {
  it('is done for each request once, those of other servers included', () => {
    const seen: string[] = [];
    const first = open();
    const cut = begin(first);
    first.close();
    const ledger = open({ beside: [(_, { id, outcome }) => seen.push(`${id} ${outcome}`)] });
    const id = answer(ledger);
    expect(seen).toEqual([`${cut.head.id} cut`, `${id} answered`]);
  });

  it('is undone with the row', () => {
    const ledger = open({
      beside: [
        (connection) => {
          connection.exec("INSERT INTO model_files (stamp, sha256) VALUES ('x', 'y')");
          throw new Error('no');
        },
      ],
    });
    answer(ledger);
    expect(ids()).toEqual([]);
    const count = database.read((connection) =>
      connection.prepare('SELECT count(*) AS n FROM model_files').get(),
    );
    expect(count).toEqual({ n: 0 });
  });
});

it('keeps rows in memory where the folder takes no file', () => {
  const nowhere = path.join(dataDir, 'file', 'data');
  writeFileSync(path.join(dataDir, 'file'), '');
  const inMemory = new Database(nowhere);
  const ledger = open({ dataDir: nowhere, database: inMemory });
  const exchange = begin(ledger);
  expect(ledger.find(exchange.head.id)).toBe('open');
  close(exchange);
  expect(ledger.find(exchange.head.id)).toMatchObject({ seq: 2 });
  expect(inMemory.notices()).toEqual([expect.stringContaining('until Pilotlight stops only')]);
});

it('tells another key by a row', () => {
  const first = open();
  answer(first);
  first.close();
  const key = newKey();
  const second = open({ key });
  expect(second.notices()).toEqual([expect.stringContaining('another one signs from now on')]);
  answer(second);
  expect([first.notices(), open({ key }).notices()]).toEqual([[], []]);
  expect(rowsOf(dataDir)).toMatchObject([
    { kind: 'key', former: null, key: KEY.text },
    { kind: 'request', key: KEY.text },
    { kind: 'key', former: KEY.text, key: key.text },
    { kind: 'request', key: key.text },
  ]);
  expect(breakIn(dataDir)).toBeNull();
});

it('goes on behind a row that somebody has spoilt, so that the break stays where it is', () => {
  const ledger = open();
  answer(ledger);
  database.write((connection) => connection.exec("UPDATE ledger SET row = 'x' WHERE seq = 2"));
  answer(ledger);
  expect(breakIn(dataDir)?.seq).toBe(2);
});

it('leaves a gap where somebody has taken out the last rows', () => {
  const ledger = open();
  for (let i = 0; i < 3; i++) answer(ledger);
  database.write((connection) => connection.exec('DELETE FROM ledger WHERE seq > 2'));
  answer(ledger);
  expect(breakIn(dataDir)).toEqual({ seq: 3, id: null, fault: 'is missing.' });
});

it('deletes rows that are due at its start', () => {
  const DAY = 24 * 60 * 60 * 1000;
  const first = open({ now: () => 0 });
  for (let i = 0; i < 5; i++) answer(first);
  first.close();
  open({ now: () => 10 * DAY, retention: { ageMs: DAY, rows: 100 } });
  expect(rowsOf(dataDir).map(({ kind }) => kind)).toEqual(['checkpoint']);
  expect(breakIn(dataDir)).toBeNull();
});

it('is read up to the row that damage has made unreadable', () => {
  const ledger = open();
  const answered = Array.from({ length: 60 }, () => answer(ledger));
  ledger.close();
  database.close();
  const file = databaseFileOf(dataDir);
  const bytes = readFileSync(file);
  const at = bytes.indexOf(`"id":"${answered[40]}","key":`);
  const page = at - (at % bytes.readUInt16BE(16));
  writeFileSync(file, bytes.fill(0xff, page, page + 60));
  const kept = LedgerFile.open(dataDir);
  const { report, found } = kept.check();
  kept.close();
  expect(report.rows).toBeGreaterThan(1);
  expect(report.rows).toBeLessThan(43);
  expect(found).toEqual({
    ...{ seq: report.rows + 1, id: null },
    fault: 'cannot be read: the database is damaged.',
  });
});
