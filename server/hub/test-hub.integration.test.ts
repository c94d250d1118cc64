// The hub of tests, as Hugging Face's own libraries see it.
import { gguf } from '@huggingface/gguf';
import {
  downloadFile,
  fileDownloadInfo,
  listFiles,
  listModels,
  modelInfo,
  pathsInfo,
  whoAmI,
} from '@huggingface/hub';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testGguf } from '../library/test-gguf.js';
import { STRANGER_TOKEN, TEST_TOKEN, TestHub } from './test-hub.js';

const MODEL = testGguf();
const REPO = 'ada/tiny-gguf';
const FILE = 'tiny-Q8_0.gguf';

let hub: TestHub;
let hubUrl: string;

beforeEach(async () => {
  hub = await TestHub.start();
  hubUrl = hub.endpoint;
  hub.addRepo(REPO, {
    downloads: 7,
    license: 'mit',
    files: { [FILE]: MODEL, 'README.md': '# Tiny', 'more/other.gguf': MODEL },
  });
  hub.addRepo('ada/no-gguf', { files: { 'README.md': '' } });
});

afterEach(() => hub.close());

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
};

test('is searched page by page', async () => {
  for (let n = 0; n < 4; n++) {
    hub.addRepo(`bob/tiny-${n}`, { downloads: n, files: { 'a.gguf': MODEL } });
  }
  const search = { query: 'tiny', tags: ['gguf'] };
  const models = await all(listModels({ hubUrl, search, sort: 'downloads' }));
  const names = models.map(({ name }) => name);
  expect(names).toEqual([REPO, 'bob/tiny-3', 'bob/tiny-2', 'bob/tiny-1', 'bob/tiny-0']);
  const first = await fetch(`${hubUrl}/api/models?search=tiny&limit=2`);
  expect(first.headers.get('link')).toMatch(/cursor=2>; rel="next"$/);
});

test('tells of a model, its files and their digests', async () => {
  expect(await modelInfo({ hubUrl, name: REPO })).toMatchObject({ name: REPO, downloads: 7 });
  const repo = { type: 'model', name: REPO } as const;
  const files = await all(listFiles({ hubUrl, repo, recursive: true }));
  expect(files.map(({ path }) => path)).toEqual(['more', FILE, 'README.md', 'more/other.gguf']);
  const [info] = await pathsInfo({ hubUrl, repo, paths: [FILE, 'missing'] });
  expect(info?.lfs?.size).toBe(MODEL.length);
  const found = await fileDownloadInfo({ hubUrl, repo, path: FILE });
  expect(found).toMatchObject({ size: MODEL.length });
  expect(await fileDownloadInfo({ hubUrl, repo, path: 'missing' })).toBeNull();
});

test('hands out files, the large ones from the second server', async () => {
  const repo = { type: 'model', name: REPO } as const;
  const small = await downloadFile({ hubUrl, repo, path: 'README.md' });
  expect(await small?.text()).toBe('# Tiny');
  const parsed = await gguf(`${hubUrl}/${REPO}/resolve/main/${FILE}`);
  expect(parsed.metadata['general.architecture']).toBe('llama');
  expect(hub.requests.filter(({ place }) => place === 'bytes')).toHaveLength(1);
});

test('knows whose a token is, and lets into gated and private repos', async () => {
  hub.addRepo('ada/gated', { gated: true, files: { 'a.gguf': MODEL } });
  hub.addRepo('ada/secret', { private: true });
  expect(await whoAmI({ hubUrl, accessToken: TEST_TOKEN })).toMatchObject({ name: 'ada' });
  await expect(whoAmI({ hubUrl, accessToken: 'hf_nobody' })).rejects.toMatchObject({
    statusCode: 401,
  });
  const ask = async (path: string, token: string | null) => {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    const { status, headers: got } = await fetch(`${hubUrl}${path}`, { headers });
    return [status, got.get('x-error-code')];
  };
  const gated = '/ada/gated/resolve/main/a.gguf';
  expect(await ask(gated, null)).toEqual([401, 'GatedRepo']);
  expect(await ask(gated, STRANGER_TOKEN)).toEqual([403, 'GatedRepo']);
  expect(await ask(gated, TEST_TOKEN)).toEqual([200, null]);
  expect(await ask('/api/models/ada/secret', null)).toEqual([401, 'RepoNotFound']);
  expect(await ask('/api/models/ada/secret', TEST_TOKEN)).toEqual([200, null]);
  expect(await ask(`/${REPO}/resolve/other/${FILE}`, null)).toEqual([404, 'RevisionNotFound']);
});

test('misbehaves as often as it is asked to', async () => {
  const url = `${hubUrl}/${REPO}/resolve/main/${FILE}`;
  const get = (range?: string) => fetch(url, { headers: range === undefined ? {} : { range } });
  const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer());

  const part = await get('bytes=10-19');
  expect([part.status, await bytes(part)]).toEqual([206, MODEL.subarray(10, 20)]);
  hub.misbehave({ kind: 'ignore-range' });
  expect((await get('bytes=10-19')).status).toBe(200);
  expect((await get(`bytes=${MODEL.length}-`)).status).toBe(416);

  hub.misbehave({ kind: 'flip', at: 12 });
  const flipped = await bytes(await get());
  expect(flipped.findIndex((byte, at) => byte !== MODEL[at])).toBe(12);

  hub.misbehave({ kind: 'drop', at: 20 });
  await expect(get().then(bytes)).rejects.toThrow();
  for (const by of [5, -5]) {
    hub.misbehave({ kind: 'wrong-length', by });
    const got = await get()
      .then(bytes)
      .catch(() => null);
    expect(got?.length ?? 0).toBeLessThan(MODEL.length);
  }

  hub.misbehave({ kind: 'status', status: 429, retryAfter: '3' }, { times: 2 });
  for (let n = 0; n < 2; n++) {
    const { status, headers } = await get();
    expect([status, headers.get('retry-after')]).toEqual([429, '3']);
  }
  hub.misbehave({ kind: 'redirect-loop' }, { place: 'resolve', times: 100 });
  await expect(get()).rejects.toThrow();
  hub.behave();

  const abort = new AbortController();
  hub.misbehave({ kind: 'stall', at: 20 });
  const stalled = await fetch(url, { signal: abort.signal });
  const reader = stalled.body?.getReader();
  expect((await reader?.read())?.value).toHaveLength(20);
  abort.abort();

  hub.misbehave({ kind: 'trickle', bytes: 100, everyMs: 1 });
  expect(await bytes(await get())).toEqual(MODEL);

  const before = await get();
  hub.putFile(REPO, FILE, testGguf({ dataBytes: 64 }));
  const after = await get();
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
});

test('a file may be longer than all memory', async () => {
  hub.addRepo('ada/huge', { files: { 'huge.gguf': { head: MODEL, size: 1e12 } } });
  const headers = { range: 'bytes=999999999990-' };
  const end = await fetch(`${hubUrl}/ada/huge/resolve/main/huge.gguf`, { headers });
  expect(Buffer.from(await end.arrayBuffer())).toEqual(Buffer.alloc(10));
});
