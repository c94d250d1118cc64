import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RequestDraft, requestRowSchema } from '../../protocol/ledger.js';
import { USAGE_GROUPS, type UsageCounts, type UsageRow } from '../../protocol/usage.js';
import { Exchange } from '../exchange/exchange.js';
import { doneEvent } from '../generation/test-generation.js';
import { Ledger } from '../ledger/ledger.js';
import { ModelFiles } from '../ledger/model-files.js';
import { ledgerRetention, prune } from '../ledger/retention.js';
import { allRows } from '../ledger/table.js';
import { newKey, requestDraft, testChain } from '../ledger/test-chain.js';
import { testModel } from '../library/test-model.js';
import { Database } from '../store/database.js';
import { dayOf } from './day.js';
import {
  addUsage,
  CLIENTS_A_DAY,
  OTHER_CLIENT,
  type UsageQuery,
  usageRows,
  usageTotal,
} from './usage-table.js';

const KEY = newKey();
const DAY = 24 * 60 * 60 * 1000;
/** The middle of a day, wherever. */
const START = new Date(2026, 10, 20, 12).getTime();

const ALL: UsageQuery = {
  ...{ from: '1970-01-01', to: '9999-12-31', groupBy: USAGE_GROUPS, model: null, client: null },
};

const NOTHING: UsageCounts = {
  ...{ requests: 0, failed: 0, cancelled: 0, prompt_tokens: 0, cached_tokens: 0, output_tokens: 0 },
};

/** What a query is to give, from the ledger's rows. */
function sumOf(rows: readonly RequestDraft[], query: UsageQuery): UsageRow[] {
  const sums = new Map<string, UsageRow>();
  for (const row of rows) {
    const place = { day: dayOf(row.began_at), model: row.model ?? '', client: row.client };
    if (place.day < query.from || place.day > query.to) continue;
    if (query.model !== null && place.model !== query.model) continue;
    if (query.client !== null && place.client !== query.client) continue;
    const group = Object.fromEntries(query.groupBy.map((name) => [name, place[name]]));
    const key = JSON.stringify(Object.values(group));
    const sum = sums.get(key) ?? { ...group, ...NOTHING };
    sum.requests++;
    if (['failed', 'cut'].includes(row.outcome)) sum.failed++;
    if (['left', 'cancelled'].includes(row.outcome)) sum.cancelled++;
    sum.prompt_tokens += row.tokens?.prompt ?? 0;
    sum.cached_tokens += row.tokens?.cached ?? 0;
    sum.output_tokens += row.tokens?.output ?? 0;
    sums.set(key, sum);
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

interface Asked {
  day: number;
  client: string;
  model: string | null;
  end: 'answered' | 'failed' | 'left' | 'cancelled';
  tokens: number;
}

const asked: fc.Arbitrary<Asked> = fc.record({
  day: fc.integer({ min: 0, max: 3 }),
  client: fc.constantFrom('', 'laptop', 'curl/8', OTHER_CLIENT),
  model: fc.constantFrom(null, 'small', 'large "1"'),
  end: fc.constantFrom('answered', 'failed', 'left', 'cancelled'),
  tokens: fc.integer({ min: 0, max: 5 }),
});

let dataDir: string;
let database: Database;
let ledger: Ledger;
let last = 0;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'usage-'));
  database = new Database(dataDir);
  const modelFiles = new ModelFiles(database);
  const retention = ledgerRetention(400);
  ledger = new Ledger({ dataDir, database, key: KEY, modelFiles, retention, beside: [addUsage] });
});
afterEach(async () => {
  ledger.close();
  database.close();
  await rm(dataDir, { recursive: true });
});

function ask({ day, client, model, end, tokens }: Asked): void {
  const exchange = new Exchange(
    {
      ...{ id: `rcpt_${++last}`, requestId: 'r', method: 'POST', route: '/v1/responses', client },
      ...{ isOwner: false, beganAt: START + day * DAY },
    },
    () => null,
    [ledger],
  );
  exchange.begin();
  if (model !== null) {
    exchange.open(testModel(model), []);
    const generation = exchange.follow(0);
    generation.step([{ type: 'accepted', seq: 0, promptTokens: 9 }]);
    for (let index = 0; index < tokens; index++) {
      generation.step([{ type: 'token', seq: 0, index, tokenId: 1, text: '' }]);
    }
    generation.step([doneEvent({ cachedTokens: tokens })]);
    generation.end();
  }
  if (end === 'cancelled') exchange.cancel();
  exchange.close({
    status: end === 'failed' ? 500 : 200,
    complete: end !== 'left',
    errorCode: end === 'failed' ? 'engine_crashed' : null,
  });
}

const rowsOf = (): RequestDraft[] =>
  database.read((connection) =>
    [...allRows(connection)]
      .map(({ text }) => JSON.parse(text))
      .filter(({ kind }) => kind === 'request')
      .map((row) => requestRowSchema.parse(row)),
  );

describe('totals', () => {
  it('are the sums of the ledger, however they are asked for', () => {
    const query = fc.record({
      from: fc.integer({ min: -1, max: 4 }).map((day) => dayOf(START + day * DAY)),
      to: fc.integer({ min: -1, max: 4 }).map((day) => dayOf(START + day * DAY)),
      groupBy: fc.subarray([...USAGE_GROUPS]),
      model: fc.constantFrom(null, null, '', 'small', 'nobody'),
      client: fc.constantFrom(null, null, '', 'laptop', 'nobody'),
    });
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 10 }), query, (requests, wanted) => {
        for (const each of requests) ask(each);
        const rows = rowsOf();
        const [total = NOTHING] = sumOf(rows, { ...wanted, groupBy: [] });
        const data = wanted.groupBy.length === 0 ? [] : sumOf(rows, wanted);
        database.read((connection) => {
          expect(usageTotal(connection, wanted)).toEqual(total);
          expect(usageRows(connection, wanted, 1_000)).toEqual(data);
          expect(usageRows(connection, wanted, 2)).toEqual(data.slice(0, 2));
        });
      }),
      { numRuns: 60 },
    );
  });

  it('count a request that was cut by an end of the server', () => {
    const { connection } = testChain(KEY);
    const draft = requestDraft('rcpt_1', { outcome: 'cut', tokens: null, model: null });
    addUsage(connection, draft);
    expect(usageTotal(connection, ALL)).toEqual({ ...NOTHING, requests: 1, failed: 1 });
  });

  it('stay when the rows go', () => {
    const chain = testChain(KEY);
    for (let i = 0; i < 300; i++) {
      const draft = requestDraft(`rcpt_${i}`, { began_at: START + i * 60 * 60 * 1000 });
      chain.append(draft);
      addUsage(chain.connection, draft);
    }
    const before = usageRows(chain.connection, ALL, 1_000);
    prune(chain.connection, { ageMs: 1_000 * DAY, rows: 10 }, KEY, START);
    expect(chain.rows().length).toBeLessThan(20);
    expect(usageRows(chain.connection, ALL, 1_000)).toEqual(before);
    expect(usageTotal(chain.connection, ALL).requests).toBe(300);
  });

  it('are written with the row or not at all', () => {
    const request: Asked = { day: 0, client: 'a', model: 'm', end: 'answered', tokens: 1 };
    ask(request);
    database.write((connection) => connection.exec('ALTER TABLE usage RENAME TO away'));
    ask(request);
    expect(rowsOf()).toHaveLength(1);
    database.write((connection) => connection.exec('ALTER TABLE away RENAME TO usage'));
    // What waits is written at the latest now.
    ledger.close();
    expect(rowsOf()).toHaveLength(2);
    expect(database.read((connection) => usageTotal(connection, ALL))).toMatchObject({
      requests: 2,
      output_tokens: 2,
    });
  });
});

describe('clients', () => {
  it('beyond the first of a day are one, and those that are known stay themselves', () => {
    const { connection } = testChain(KEY);
    const add = (client: string, day = 0) =>
      addUsage(connection, requestDraft('rcpt_1', { client, began_at: START + day * DAY }));
    for (let i = 0; i < CLIENTS_A_DAY + 50; i++) add(`stranger/${i}`);
    add('stranger/7');
    add('stranger/1000');
    add('stranger/1000', 1);
    const rows = usageRows(connection, { ...ALL, groupBy: ['day', 'client'] }, 1_000);
    const today = rows.filter(({ day }) => day === dayOf(START));
    expect(today).toHaveLength(CLIENTS_A_DAY + 1);
    const requests = (client: string, all = today) =>
      all.find((row) => row.client === client)?.requests;
    expect(requests('stranger/7')).toBe(2);
    expect(requests(OTHER_CLIENT)).toBe(51);
    expect(requests('stranger/1000')).toBeUndefined();
    expect(requests('stranger/1000', rows)).toBe(1);
    expect(usageTotal(connection, ALL).requests).toBe(CLIENTS_A_DAY + 53);
  });
});
