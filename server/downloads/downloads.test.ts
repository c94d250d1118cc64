// Against a hub on this machine that misbehaves: real sockets, real files.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StartDownload } from '../../protocol/downloads.js';
import { testHubs } from '../hub/test-client.js';
import type { TestFault, TestHub } from '../hub/test-hub.js';
import { Downloads, type DownloadsOptions } from './downloads.js';
import { DownloadFolder } from './record.js';
import {
  filesIn,
  putRandom,
  REPO,
  sha256,
  TEST_RULES,
  testDetails,
  until,
} from './test-downloads.js';

const SIZE = 600_000;
const never = new AbortController().signal;

let root: string;
let modelsDir: string;
const hubs = testHubs();
let hub: TestHub;
let repo: ReturnType<TestHub['addRepo']>;
let arrived: string[];
const opened: Downloads[] = [];

beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'tést downloads '));
  modelsDir = path.join(root, 'my models');
  hub = await hubs.hub();
  repo = hub.addRepo(REPO);
  arrived = [];
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  await rm(root, { recursive: true });
});

async function open(
  options: Partial<DownloadsOptions> & { groups?: string[][] } = {},
): Promise<Downloads> {
  const { groups = [], ...rest } = options;
  await mkdir(modelsDir, { recursive: true });
  const downloads = await Downloads.open({
    modelsDir: () => modelsDir,
    hub: hubs.client({ endpoint: hub.endpoint }),
    details: testDetails(repo, groups),
    memory: () => 1e9,
    onArrived: async (files) => {
      arrived.push(...files);
      return path.basename(files[0] ?? '', '.gguf');
    },
    log: pino({ enabled: false }),
    goOn: true,
    rules: TEST_RULES,
    ...rest,
  });
  opened.push(downloads);
  return downloads;
}

const wanted = (fields: Partial<StartDownload> = {}): StartDownload => ({
  ...{ repo: REPO, revision: 'main' },
  ...fields,
});

/** Begins it, and waits for its end. */
async function fetchAll(downloads: Downloads, fields: Partial<StartDownload> = {}) {
  const { id } = await downloads.start(wanted(fields), never);
  return downloads.settled(id, never);
}

const rangesOf = (place: string) =>
  hub.requests.filter((each) => each.place === place).map(({ headers }) => headers.range ?? 'all');

describe('a download', () => {
  it('brings the file, verified, and leaves nothing else', async () => {
    const bytes = putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    const done = await fetchAll(await open());
    expect(done).toMatchObject({
      ...{ status: 'done', repo: REPO, revision: repo.commit, name: 'm-Q4_K_M' },
      ...{ quantization: 'Q4_K_M', files: ['m-Q4_K_M.gguf'], model_id: 'm-Q4_K_M' },
      ...{ total_bytes: SIZE, received_bytes: SIZE, reason: null },
    });
    expect(await filesIn(modelsDir)).toEqual({ 'ada/tiny/m-Q4_K_M.gguf': sha256(bytes) });
    expect(await readdir(modelsDir)).toEqual(['ada']);
    expect(arrived).toEqual([path.join(modelsDir, 'ada', 'tiny', 'm-Q4_K_M.gguf')]);
  });

  it('brings all parts of a model, side by side', async () => {
    const parts = ['Q4/m-00001-of-00002.gguf', 'Q4/m-00002-of-00002.gguf', 'mmproj-F16.gguf'];
    const [one, two, three] = parts.map((part) => sha256(putRandom(hub, part, SIZE)));
    const done = await fetchAll(await open({ groups: [parts] }), { name: 'Q4/m' });
    expect(done).toMatchObject({ status: 'done', total_bytes: 3 * SIZE });
    expect(await filesIn(modelsDir)).toEqual({
      'ada/tiny/Q4/m-00001-of-00002.gguf': one,
      'ada/tiny/Q4/m-00002-of-00002.gguf': two,
      'ada/tiny/Q4/mmproj-F16.gguf': three,
    });
  });

  it('of what is there already takes no byte', async () => {
    const bytes = putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    const file = path.join(modelsDir, 'ada', 'tiny', 'm-Q4_K_M.gguf');
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, bytes);
    expect(await fetchAll(await open())).toMatchObject({ status: 'done' });
    expect(hub.requests).toEqual([]);
    expect(await filesIn(modelsDir)).toEqual({ 'ada/tiny/m-Q4_K_M.gguf': sha256(bytes) });
  });

  it('takes the place of an older file of the name', async () => {
    const bytes = putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    const file = path.join(modelsDir, 'ada', 'tiny', 'm-Q4_K_M.gguf');
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, Buffer.alloc(SIZE));
    expect(await fetchAll(await open())).toMatchObject({ status: 'done' });
    expect(await filesIn(modelsDir)).toEqual({ 'ada/tiny/m-Q4_K_M.gguf': sha256(bytes) });
  });

  it('begun again while it is under way is the same', async () => {
    putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    hub.misbehave({ kind: 'stall', at: 1000 });
    const downloads = await open();
    const first = await downloads.start(wanted(), never);
    const second = await downloads.start(wanted({ quantization: 'q4_k_m' }), never);
    expect(second.id).toBe(first.id);
    expect(downloads.list()).toHaveLength(1);
    await downloads.cancel(first.id);
  });

  it('of which the hub has no such file is refused in words', async () => {
    putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    const downloads = await open();
    await expect(downloads.start(wanted({ quantization: 'Q9' }), never)).rejects.toThrow(
      'ada/tiny has no "Q9". There are: Q4_K_M.',
    );
    expect(downloads.list()).toEqual([]);
    expect(await readdir(modelsDir)).toEqual([]);
  });
});

describe('what goes wrong on the way', () => {
  const at = Math.floor(SIZE * 0.6);
  // How much of a broken connection's last bytes arrives is the system's business.
  it.each<[string, TestFault[], string[] | null]>([
    ['a connection that breaks', [{ kind: 'drop', at }], ['all', 'rest']],
    [
      'a connection that breaks twice',
      [
        { kind: 'drop', at: SIZE / 3 },
        { kind: 'drop', at },
      ],
      ['all', 'rest', 'rest'],
    ],
    ['no answer', [{ kind: 'hang-up' }], ['all', 'all']],
    ['429', [{ kind: 'status', status: 429, retryAfter: '0' }], ['all', 'all']],
    [
      '500 and 503',
      [
        { kind: 'status', status: 500 },
        { kind: 'status', status: 503 },
      ],
      ['all', 'all', 'all'],
    ],
    [
      '416',
      [
        { kind: 'drop', at },
        { kind: 'status', status: 416 },
      ],
      ['all', 'rest', 'all'],
    ],
    [
      'a server that knows no ranges',
      [{ kind: 'drop', at }, { kind: 'ignore-range' }],
      ['all', 'rest'],
    ],
    ['a flipped byte', [{ kind: 'flip', at }], ['all', 'all']],
    ['a length that is too long', [{ kind: 'wrong-length', by: 50 }], null],
    ['a length that is too short', [{ kind: 'wrong-length', by: -50 }], ['all', 'rest']],
  ])('%s', async (_what, faults, ranges) => {
    const bytes = putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    for (const fault of faults) hub.misbehave(fault);
    expect(await fetchAll(await open())).toMatchObject({ status: 'done', received_bytes: SIZE });
    expect(await filesIn(modelsDir)).toEqual({ 'ada/tiny/m-Q4_K_M.gguf': sha256(bytes) });
    const asked = rangesOf('bytes').map((range) => (range === 'all' ? range : 'rest'));
    expect(asked).toEqual(ranges ?? asked);
  });

  it('a stall is ended, and gone on from', async () => {
    const bytes = putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    hub.misbehave({ kind: 'stall', at });
    const downloads = await open({
      rules: { retry: { ...TEST_RULES.retry, tries: 100 }, stallMs: 1_000 },
    });
    expect(await fetchAll(downloads)).toMatchObject({ status: 'done' });
    expect(await filesIn(modelsDir)).toEqual({ 'ada/tiny/m-Q4_K_M.gguf': sha256(bytes) });
    expect(rangesOf('bytes').at(-1)).toMatch(/^bytes=\d+-$/);
  });

  it('what is deleted on the way is told, and comes anew', async () => {
    const bytes = putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    hub.misbehave({ kind: 'stall', at }, { times: 2 });
    const rules = { ...TEST_RULES, stallMs: 1_000 };
    const downloads = await open({ rules });
    const { id } = await downloads.start(wanted(), never);
    await until(downloads, id, ({ received_bytes: received }) => received === at);
    await rm(path.join(modelsDir, '.downloads', id), { recursive: true });
    const failed = await downloads.settled(id, never);
    expect(failed).toMatchObject({ status: 'failed' });
    expect(failed?.reason).toContain('was deleted on the way');
    expect(await fetchAll(downloads)).toMatchObject({ id, status: 'done' });
    expect(await filesIn(modelsDir)).toEqual({ 'ada/tiny/m-Q4_K_M.gguf': sha256(bytes) });
  });

  it('a byte that flips twice is told, and nothing of it stays', async () => {
    putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    hub.misbehave({ kind: 'flip', at }, { times: 2 });
    const downloads = await open();
    const failed = await fetchAll(downloads);
    expect(failed).toMatchObject({ status: 'failed', received_bytes: 0 });
    expect(failed?.reason).toContain('m-Q4_K_M.gguf came damaged twice');
    expect(arrived).toEqual([]);
    // It can be tried again.
    await downloads.resume(failed?.id ?? '');
    expect(await downloads.settled(failed?.id ?? '', never)).toMatchObject({ status: 'done' });
  });

  it('a file that changes on the hub begins anew', async () => {
    putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    hub.misbehave({ kind: 'stall', at });
    const downloads = await open();
    const { id } = await downloads.start(wanted(), never);
    await until(downloads, id, ({ received_bytes: received }) => received === at);
    await downloads.pause(id);
    const changed = putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    const again = await fetchAll(downloads);
    expect(again).toMatchObject({ id, status: 'done', revision: repo.commit });
    expect(await filesIn(modelsDir)).toEqual({ 'ada/tiny/m-Q4_K_M.gguf': sha256(changed) });
    expect(rangesOf('bytes')).toEqual(['all', 'all']);
  });

  it.each([
    [401, 'wants a token for that. Set one of your account.'],
    [403, 'does not allow that.'],
    [404, 'There is no model ada/tiny on'],
    [418, 'refused the request (418).'],
  ])('status %i is final', async (status, words) => {
    putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    hub.misbehave({ kind: 'status', status }, { place: 'resolve' });
    const failed = await fetchAll(await open());
    expect(failed).toMatchObject({ status: 'failed' });
    expect(failed?.reason).toContain(words);
    expect(hub.requests).toHaveLength(1);
  });

  it('a hub that sends round in circles is told', async () => {
    putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    hub.misbehave({ kind: 'redirect-loop' }, { place: 'resolve', times: 100 });
    const failed = await fetchAll(await open());
    expect(failed?.reason).toContain('sends from one address to the next.');
  });

  it('what does not get better ends, with what has come', async () => {
    const bytes = putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    hub.misbehave({ kind: 'drop', at }, { times: 1000 });
    const downloads = await open();
    const failed = await fetchAll(downloads);
    expect(failed).toMatchObject({ status: 'failed' });
    expect(failed?.reason).toContain('It was tried');
    const received = failed?.received_bytes ?? 0;
    expect(received).toBeGreaterThan(0);
    hub.behave();
    await downloads.resume(failed?.id ?? '');
    expect(await downloads.settled(failed?.id ?? '', never)).toMatchObject({ status: 'done' });
    expect(await filesIn(modelsDir)).toEqual({ 'ada/tiny/m-Q4_K_M.gguf': sha256(bytes) });
    expect(rangesOf('bytes').at(-1)).toBe(`bytes=${received}-`);
  });

  it('while it waits for the next try it says why, and until when', async () => {
    putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    hub.misbehave({ kind: 'status', status: 429, retryAfter: '3000' });
    const downloads = await open();
    const before = Date.now() / 1000;
    const { id } = await downloads.start(wanted(), never);
    const waiting = await until(downloads, id, ({ status }) => status === 'waiting');
    expect(waiting.reason).toContain('has had too many requests. Try again in 3000 seconds.');
    expect(waiting.retry_at).toBeGreaterThanOrEqual(before + 3000);
    expect(await downloads.pause(id)).toMatchObject({ status: 'paused', retry_at: null });
    // Whoever does not want to wait resumes, also without a pause.
    hub.misbehave({ kind: 'status', status: 429, retryAfter: '3000' });
    await downloads.resume(id);
    await until(downloads, id, ({ status }) => status === 'waiting');
    await downloads.resume(id);
    expect(await downloads.settled(id, never)).toMatchObject({ status: 'done' });
  });
});

describe('the person', () => {
  const at = 200_000;

  async function stalled(downloads: Downloads): Promise<string> {
    hub.misbehave({ kind: 'stall', at });
    const { id } = await downloads.start(wanted(), never);
    await until(downloads, id, ({ received_bytes: received }) => received === at);
    return id;
  }

  it('pauses and resumes', async () => {
    const bytes = putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    const downloads = await open();
    const id = await stalled(downloads);
    expect(await downloads.pause(id)).toMatchObject({
      ...{ status: 'paused', reason: null, received_bytes: at, bytes_per_second: null },
    });
    expect(await downloads.pause(id)).toMatchObject({ status: 'paused' });
    await downloads.resume(id);
    expect(await downloads.settled(id, never)).toMatchObject({ status: 'done' });
    expect(await filesIn(modelsDir)).toEqual({ 'ada/tiny/m-Q4_K_M.gguf': sha256(bytes) });
    expect(rangesOf('bytes')).toEqual(['all', `bytes=${at}-`]);
  });

  it('cancels, and nothing is left', async () => {
    putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    const downloads = await open();
    const running = await stalled(downloads);
    await downloads.cancel(running);
    expect(await readdir(modelsDir)).toEqual([]);
    const paused = await stalled(downloads);
    await downloads.pause(paused);
    await downloads.cancel(paused);
    expect(await readdir(modelsDir)).toEqual([]);
    expect(downloads.list()).toEqual([]);
    await expect(downloads.resume(paused)).rejects.toThrow('There is no download');
  });

  it('quits: what was under way goes on by itself, what was paused stays', async () => {
    const names = ['a-Q4_K_M.gguf', 'b-Q4_K_M.gguf'];
    const [one, two] = names.map((name) => sha256(putRandom(hub, name, SIZE)));
    const first = await open();
    hub.misbehave({ kind: 'stall', at }, { times: 2 });
    const [a, b] = [
      await first.start(wanted({ name: 'a-Q4_K_M' }), never),
      await first.start(wanted({ name: 'b-Q4_K_M' }), never),
    ];
    for (const { id } of [a, b]) {
      await until(first, id, ({ received_bytes: received }) => received === at);
    }
    await first.pause(b.id);
    await first.close();

    const second = await open();
    expect(await second.settled(a.id, never)).toMatchObject({ status: 'done' });
    expect(second.find(b.id)).toMatchObject({ status: 'paused', received_bytes: at });
    await second.resume(b.id);
    expect(await second.settled(b.id, never)).toMatchObject({ status: 'done' });
    expect(await filesIn(modelsDir)).toEqual({
      'ada/tiny/a-Q4_K_M.gguf': one,
      'ada/tiny/b-Q4_K_M.gguf': two,
    });
    expect(rangesOf('bytes').filter((range) => range !== 'all')).toEqual([
      `bytes=${at}-`,
      `bytes=${at}-`,
    ]);
  });

  it('begins three: the third waits for its turn', async () => {
    for (const name of ['a', 'b', 'c']) putRandom(hub, `${name}.gguf`, SIZE);
    hub.misbehave({ kind: 'stall', at }, { times: 2 });
    const downloads = await open();
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      ids.push((await downloads.start(wanted({ name }), never)).id);
    }
    const [a = '', b = '', c = ''] = ids;
    await until(downloads, b, ({ received_bytes: received }) => received === at);
    expect(downloads.find(c)).toMatchObject({ status: 'queued', received_bytes: 0 });
    expect(downloads.list().map(({ id }) => id)).toEqual(ids);
    await downloads.pause(a);
    expect(await downloads.settled(c, never)).toMatchObject({ status: 'done' });
    await downloads.cancel(a);
    await downloads.cancel(b);
  });

  it('two processes never take one download', async () => {
    putRandom(hub, 'm-Q4_K_M.gguf', SIZE);
    const one = await open();
    const id = await stalled(one);
    const other = await open();
    expect(other.list()).toEqual([]);
    await expect(other.start(wanted(), never)).rejects.toThrow('Another process');
    expect(one.find(id)).toMatchObject({ status: 'downloading', received_bytes: at });

    // Paused in one, it can be gone on with in the other; the first one sees that when it looks.
    await one.pause(id);
    await other.start(wanted(), never);
    expect(await other.settled(id, never)).toMatchObject({ status: 'done' });
    await expect(one.resume(id)).rejects.toThrow('is not there any more');
    expect(one.list()).toEqual([]);
  });
});

describe('a process that ends in the middle of putting files in their place', () => {
  it('has that done by the next one', async () => {
    const parts = ['m-00001-of-00002.gguf', 'm-00002-of-00002.gguf'];
    const bytes = parts.map((part) => putRandom(hub, part, SIZE));
    const folder = new DownloadFolder(modelsDir, DownloadFolder.idOf(REPO, 'm'));
    await mkdir(folder.path, { recursive: true });
    const files = parts.map((file, i) => ({
      ...{ path: file, size: SIZE, sha256: sha256(bytes[i] ?? Buffer.alloc(0)), origin: null },
    }));
    await folder.write({
      ...{ version: 1, repo: REPO, revision: repo.commit, name: 'm', quantization: null },
      ...{ created: 1, status: 'placing', reason: null, files },
    });
    const place = path.join(modelsDir, 'ada', 'tiny');
    await mkdir(place, { recursive: true });
    await writeFile(path.join(place, 'm-00002-of-00002.gguf'), bytes[1] ?? '');
    await writeFile(folder.whole(0), bytes[0] ?? '');

    const downloads = await open();
    expect(await downloads.settled(folder.id, never)).toMatchObject({ status: 'done' });
    expect(await filesIn(modelsDir)).toEqual(
      Object.fromEntries(files.map((file) => [`ada/tiny/${file.path}`, file.sha256])),
    );
    expect(hub.requests).toEqual([]);
  });
});

describe('a record that cannot be read', () => {
  it('is left alone until the same is asked for again', async () => {
    const bytes = putRandom(hub, 'm.gguf', SIZE);
    const folder = new DownloadFolder(modelsDir, DownloadFolder.idOf(REPO, 'm'));
    await mkdir(folder.path, { recursive: true });
    await writeFile(path.join(folder.path, 'download.json'), '{"version": 1');
    await writeFile(folder.partial(0), Buffer.alloc(1000));
    const downloads = await open();
    expect(downloads.list()).toEqual([]);
    expect(await fetchAll(downloads)).toMatchObject({ status: 'done' });
    expect(await filesIn(modelsDir)).toEqual({ 'ada/tiny/m.gguf': sha256(bytes) });
    expect(rangesOf('bytes')).toEqual(['all']);
  });
});
