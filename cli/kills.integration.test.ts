// Servers that are killed at any moment, as processes of their own: no finished row is lost, and the chain holds.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, rm, utimes } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { RECEIPT_HEADER } from '../protocol/ledger.js';
import { ensureTestModels } from '../scripts/test-models/test-models.js';
import { DIALECTS, type Dialect } from '../server/dialects/test-dialects.js';
import { breakIn, openIds, requestRows } from '../server/ledger/test-rows.js';
import { type Run, requireProgram, runProgram } from './test-program.js';

const KILLS = 20;
const REQUESTS = 8;

/** Half of the kills come within this time after the first request, in milliseconds: mostly before any answer. */
const EARLY_MS = 400;

/** The other half once so many bytes of all answers have come, or fewer: mostly between their first and last ones. */
const LATE_BYTES = 300_000;

let files: Awaited<ReturnType<typeof ensureTestModels>>;
let dataDir: string;
const running: Run[] = [];
beforeAll(async () => {
  requireProgram();
  files = await ensureTestModels(path.join(import.meta.dirname, '..', 'out', 'test-models'));
});
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-kills-'));
  await mkdir(path.join(dataDir, 'models'));
  for (const name of ['scripted', 'scripted-long'] as const) {
    const file = path.join(dataDir, 'models', `${name}.gguf`);
    await copyFile(files[name], file);
    // As a file that came to rest long ago.
    await utimes(file, 1_700_000_000, 1_700_000_000);
  }
});
afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

function serve(): Run {
  const options = ['--port', '0', '--data', dataDir, '--model', 'scripted', '--threads', '1'];
  const run = runProgram(['serve', ...options, '--ctx', '2048']);
  running.push(run);
  return run;
}

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
function randoms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What a client has seen of its answer. */
interface Seen {
  /** Null: not even the headers have come. */
  id: string | null;
  bytes: number;
  sha256: string;
  whole: boolean;
}

/** Never rejects: its server is killed. */
function ask(
  url: string,
  dialect: Dialect,
  body: object,
  onBytes: (bytes: number) => void = () => {},
): Promise<Seen> {
  return new Promise((resolve) => {
    const hash = createHash('sha256');
    const seen: Seen = { id: null, bytes: 0, sha256: '', whole: false };
    const end = (whole: boolean) => {
      seen.whole = whole;
      seen.sha256 = hash.digest('hex');
      resolve(seen);
    };
    let isOver = false;
    const once = (whole: boolean) => {
      if (!isOver) end(whole);
      isOver = true;
    };
    const headers = { 'content-type': 'application/json' };
    const request = http.request(url + dialect.path, { method: 'POST', headers, agent: false });
    request.on('error', () => once(false));
    request.on('response', (response) => {
      seen.id = String(response.headers[RECEIPT_HEADER]);
      response.on('data', (chunk: Buffer) => {
        hash.update(chunk);
        seen.bytes += chunk.length;
        onBytes(chunk.length);
      });
      response.on('error', () => once(false));
      response.on('close', () => once(response.complete));
    });
    request.end(JSON.stringify(body));
  });
}

const dialects = Object.values(DIALECTS);

/** Short and endless answers, streamed and not. */
function someRequest(random: () => number): [Dialect, object] {
  const dialect = dialects[Math.floor(random() * dialects.length)] as Dialect;
  const isLong = random() < 0.3;
  const model = isLong ? 'scripted-long' : 'scripted';
  const maxTokens = isLong ? 1_500 : 1 + Math.floor(random() * 20);
  return [dialect, dialect.body({ model, text: 'Hi.', maxTokens, stream: random() < 0.5 })];
}

it(
  `${KILLS} kills at random moments`,
  async () => {
    const random = randoms(20261130);
    const all: Seen[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const server = serve();
      const url = await server.ready;
      let left = LATE_BYTES ** random();
      let tellEnough = () => {};
      const enough = new Promise<void>((resolve) => {
        tellEnough = resolve;
      });
      const count = (bytes: number) => {
        left -= bytes;
        if (left <= 0) tellEnough();
      };
      const asked = Array.from({ length: REQUESTS }, () => ask(url, ...someRequest(random), count));
      if (kill % 2 === 0) await wait(random() * EARLY_MS);
      else await Promise.race([enough, Promise.all(asked)]);
      server.child.kill('SIGKILL');
      all.push(...(await Promise.all(asked)));
      await server.ended;
      expect(breakIn(dataDir)).toBeNull();
    }
    // The last one's open requests get their rows too.
    const last = serve();
    await last.ready;
    expect(openIds(dataDir)).toEqual([]);

    const rows = new Map(requestRows(dataDir).map((row) => [row.id, row]));
    expect(rows.size).toBe(requestRows(dataDir).length);
    const told = { whole: 0, cut: 0 };
    for (const { id, whole, sha256, bytes } of all) {
      if (id === null) continue;
      const row = rows.get(id);
      if (whole) {
        told.whole++;
        expect(row).toMatchObject({ outcome: 'answered', response: { sha256, bytes } });
      } else {
        told.cut++;
        // Between its row and its last byte an answer is finished, and has not come.
        expect(['cut', 'answered']).toContain(row?.outcome);
      }
    }
    // The moments were such that both happened.
    expect(told.whole).toBeGreaterThan(0);
    expect(told.cut).toBeGreaterThan(0);
    expect([...rows.values()].filter(({ outcome }) => outcome === 'cut').length).toBeGreaterThan(0);

    const verified = runProgram(['verify', '--data', dataDir]);
    expect([await verified.ended, verified.stderr()]).toEqual([0, '']);
    expect(verified.stdout()).toContain(`${rows.size} of them of requests`);
  },
  10 * 60_000,
);

it('two servers on one folder share the chain, and one of them may be killed', async () => {
  const random = randoms(7);
  const [one, two] = [serve(), serve()];
  const urls = [await one.ready, await two.ready];
  const short = (i: number) => {
    const dialect = dialects[i % dialects.length] as Dialect;
    const question = { model: 'scripted', text: 'Hi.', maxTokens: 5, stream: random() < 0.5 };
    return ask(urls[i % 2] ?? '', dialect, dialect.body(question));
  };
  const seen = await Promise.all(Array.from({ length: 48 }, (_, i) => short(i)));
  expect(seen.every(({ whole }) => whole)).toBe(true);
  const rows = new Map(requestRows(dataDir).map((row) => [row.id, row]));
  for (const { id, sha256 } of seen) expect(rows.get(id ?? '')?.response?.sha256).toBe(sha256);

  // An endless answer of each; one server goes, and a third one comes.
  const chat = DIALECTS['chat completions'] as Dialect;
  const question = { model: 'scripted-long', text: 'Go.', maxTokens: 1_500, stream: true };
  const endless = urls.map((url) => ask(url, chat, chat.body(question)));
  while (openIds(dataDir).length < 2) await wait(5);
  const owners = new Set(openIds(dataDir).map(({ owner }) => owner));
  expect(owners.size).toBe(2);
  one.child.kill('SIGKILL');
  await one.ended;
  const { id } = (await endless[0]) as Seen;
  const three = serve();
  await three.ready;
  const open = openIds(dataDir).map((each) => each.id);
  expect(open).not.toContain(id);
  const cut = requestRows(dataDir).filter(({ outcome }) => outcome === 'cut');
  expect(cut.length).toBe(1);
  const second = (await endless[1]) as Seen;
  expect(second.whole).toBe(true);
  expect(requestRows(dataDir).find((row) => row.id === second.id)?.outcome).toBe('answered');
  expect(breakIn(dataDir)).toBeNull();
});
