// The routes of a real server, against the hub of tests; fits by real engines over real models.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import { hubAccountSchema, hubModelDetailsSchema, hubModelPageSchema } from '../../protocol/hub.js';
import { ensureTestModels } from '../../scripts/test-models/test-models.js';
import { testGguf } from '../library/test-gguf.js';
import { failure, type TestServer, type TestServerOptions, testServers } from '../test-server.js';
import { STRANGER_TOKEN, TEST_TOKEN, TestHub } from './test-hub.js';
import { splitModel } from './test-split.js';

const start = testServers();
const REPO = 'ada/tiny-GGUF';

let models: Awaited<ReturnType<typeof ensureTestModels>>;
let slow: Buffer;
let hub: TestHub;

beforeAll(async () => {
  models = await ensureTestModels('out/test-models');
  slow = await readFile(models.slow);
});
beforeEach(async () => {
  hub = await TestHub.start();
});
afterEach(() => hub.close());

/** A server whose settings name the hub of tests. */
const serve = (options: TestServerOptions = {}, settings: object = {}): Promise<TestServer> =>
  start({ settings: { hub_endpoint: hub.endpoint, ...settings }, ...options });

const ask = (server: TestServer, route: string, init: RequestInit = {}) =>
  fetch(`${server.server.url}/pilotlight/hub/${route}`, init);

async function got<T>(schema: z.ZodType<T>, answer: Promise<Response>): Promise<T> {
  const response = await answer;
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${body}`);
  return schema.parse(JSON.parse(body));
}

const putToken = (server: TestServer, token: string) =>
  ask(server, 'token', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });

test('models are searched for, page by page and in the order that is asked for', async () => {
  const files = { 'a.gguf': testGguf() };
  for (let n = 0; n < 5; n++) {
    hub.addRepo(`bob/tiny-${n}`, { files, downloads: n, likes: 10 - n, task: 'text-generation' });
  }
  hub.addRepo('bob/tiny-without', { downloads: 99 });
  const server = await serve();
  const first = await got(
    hubModelPageSchema,
    ask(server, 'models?search=tiny&sort=downloads&limit=3'),
  );
  expect(first.models.map(({ repo }) => repo)).toEqual(['bob/tiny-4', 'bob/tiny-3', 'bob/tiny-2']);
  expect(first.models[0]).toEqual({
    repo: 'bob/tiny-4',
    downloads: 4,
    likes: 6,
    updated_at: '2026-01-02T03:04:05.000Z',
    gated: false,
    private: false,
    task: 'text-generation',
  });
  const rest = `models?search=tiny&sort=downloads&limit=3&cursor=${first.next_cursor}`;
  const second = await got(hubModelPageSchema, ask(server, rest));
  expect([second.models.map(({ repo }) => repo), second.next_cursor]).toEqual([
    ['bob/tiny-1', 'bob/tiny-0'],
    null,
  ]);
  const liked = await got(hubModelPageSchema, ask(server, 'models?sort=likes&limit=1'));
  expect(liked.models[0]?.repo).toBe('bob/tiny-0');
  const pasted = encodeURIComponent(`${hub.endpoint}/bob/tiny-3/tree/main`);
  const found = await got(hubModelPageSchema, ask(server, `models?search=${pasted}`));
  expect(found.models.map(({ repo }) => repo)).toEqual(['bob/tiny-3']);
});

test('what strangers wrote is taken as far as it is what it should be', async () => {
  const server = await serve();
  const good = {
    id: 'ada/good',
    downloads: -3,
    likes: 'many',
    lastModified: 'once',
    gated: 'auto',
  };
  const bad = ['../../etc', 'ada/..', 'a', 'ada/b/c', `ada/${'b'.repeat(200)}`, 7, null];
  const body = JSON.stringify([good, ...bad.map((id) => ({ ...good, id }))]);
  hub.misbehave({ kind: 'body', body }, { place: 'api' });
  const { models } = await got(hubModelPageSchema, ask(server, 'models'));
  expect(models).toEqual([
    {
      ...{ repo: 'ada/good', downloads: 0, likes: 0, gated: true, private: false, task: null },
      updated_at: '1970-01-01T00:00:00.000Z',
    },
  ]);
  for (const body of ['[null]', '[[]]', '{"models":[]}', 'no']) {
    hub.misbehave({ kind: 'body', body }, { place: 'api' });
    expect(await failure(await ask(server, 'models'))).toMatchObject({
      status: 400,
      code: 'hub_bad_answer',
    });
  }
});

test('a model is told with its variants, and those that are here already', async () => {
  const server = await serve({ models: ['scripted', 'slow'] });
  const other = testGguf();
  const repo = hub.addRepo(REPO, {
    license: 'apache-2.0',
    gguf: { total: 30_000_000, architecture: 'llama', context_length: 8192 },
    files: {
      'slow.gguf': slow,
      'tiny-Q8_0.gguf': other,
      'mmproj-tiny-f16.gguf': other,
      'README.md': 'Tiny.',
    },
  });
  const details = await got(hubModelDetailsSchema, ask(server, `models/${REPO}`));
  expect(details).toMatchObject({
    repo: REPO,
    revision: repo.commit,
    license: 'apache-2.0',
    architecture: 'llama',
    parameters: 30_000_000,
    trained_context_length: 8192,
  });
  const shown = details.variants.map(({ files, ...variant }) => ({
    ...variant,
    files: files.map(({ path: file }) => file),
  }));
  expect(shown).toEqual([
    {
      ...{ name: 'tiny-Q8_0', quantization: 'Q8_0', installed_as: null, fit: null },
      size_bytes: 2 * other.length,
      files: ['tiny-Q8_0.gguf', 'mmproj-tiny-f16.gguf'],
    },
    {
      ...{ name: 'slow', quantization: null, installed_as: 'slow', fit: null },
      size_bytes: slow.length + other.length,
      files: ['slow.gguf', 'mmproj-tiny-f16.gguf'],
    },
  ]);
  expect(details.variants[0]?.files[0]?.sha256).toBe(repo.files.get('tiny-Q8_0.gguf')?.sha256);
});

test('whether a model fits is known before it is fetched, and is what its load then takes', async () => {
  hub.addRepo(REPO, { files: { 'slow.gguf': slow } });
  const server = await serve({ models: ['slow'], config: { parallel: 2, contextLength: 0 } });
  await server.until(({ models }) => models.some(({ status }) => status === 'loaded'));
  const [loaded] = server.server.state.now().models;
  const of = (query: string) =>
    got(hubModelDetailsSchema, ask(server, `models/${REPO}?fit=slow${query}`)).then(
      ({ variants }) => variants[0]?.fit,
    );
  const fit = await of('');
  expect(fit).toMatchObject({
    verdict: 'fits',
    context_length: loaded?.context_length,
    total_bytes: loaded?.memory_bytes,
    parallel: 2,
  });
  expect(fit?.free_bytes).toBeGreaterThan(1e8);
  const shorter = await of('&context=1024');
  expect(shorter?.context_length).toBe(1024);
  expect(shorter?.kv_bytes).toBeLessThan(fit?.kv_bytes ?? 0);
  // the header is fetched once, and of the file only what the header may need
  const bytes = hub.requests.filter(({ place }) => place === 'bytes');
  expect(bytes.map(({ headers }) => headers.range)).toEqual(['bytes=0-1999999']);
});

test('a model larger than memory is too big, and that is known from its first bytes', async () => {
  const head = slow.subarray(0, 2_000_000);
  // Where files can be empty inside, it is longer than the disks of most.
  const size = process.platform === 'win32' ? slow.length : 1e11;
  hub.addRepo(REPO, { files: { 'slow.gguf': { head, size } } });
  const server = await serve({}, { memory_budget_bytes: 20_000_000 });
  const { variants } = await got(hubModelDetailsSchema, ask(server, `models/${REPO}?fit=slow`));
  expect(variants[0]?.fit).toMatchObject({
    verdict: 'too_big',
    reason: expect.stringMatching(/^The model needs 12 MB for its weights, .* 20 MB are free\./),
    free_bytes: 20_000_000,
  });
});

test('the parts of a split model are looked at together', async () => {
  const parts = await splitModel(models.random, 2);
  hub.addRepo(REPO, { files: parts });
  hub.addRepo('ada/whole', { files: { 'random.gguf': await readFile(models.random) } });
  const server = await serve();
  const fitOf = async (repo: string, name: string) => {
    const route = `models/${repo}?fit=${name}&context=512`;
    const { variants } = await got(hubModelDetailsSchema, ask(server, route));
    return variants[0]?.fit;
  };
  const whole = await fitOf('ada/whole', 'random');
  expect(whole?.verdict).toBe('fits');
  expect({ ...(await fitOf(REPO, 'random')), free_bytes: whole?.free_bytes }).toEqual(whole);
});

test('a file that is no model is refused in the words of the engine', async () => {
  const page = '<html>not a model at all</html>'.repeat(9999);
  hub.addRepo(REPO, {
    files: { 'page.gguf': page, 'odd.gguf': await readFile(models['unknown-arch']) },
  });
  const server = await serve();
  expect(await failure(await ask(server, `models/${REPO}?fit=page`))).toMatchObject({
    status: 400,
    code: 'model_invalid',
    message: 'This is not a GGUF file.',
  });
  const odd = await failure(await ask(server, `models/${REPO}?fit=odd`));
  expect([odd.status, odd.code]).toEqual([400, 'model_invalid']);
  expect(odd.message).not.toContain(tmpdir());
  expect(await failure(await ask(server, `models/${REPO}?fit=none`))).toMatchObject({
    status: 404,
    message: `The model ${REPO} has no variant of that name.`,
  });
});

test('a hub that ignores ranges, or stops in the middle, is got along with or told of', async () => {
  hub.addRepo(REPO, { files: { 'slow.gguf': slow } });
  const server = await serve();
  const askFit = () => ask(server, `models/${REPO}?fit=slow`);
  hub.misbehave({ kind: 'drop', at: 100_000 });
  expect(await failure(await askFit())).toMatchObject({ status: 503, code: 'hub_offline' });
  hub.misbehave({ kind: 'status', status: 429, retryAfter: '5' }, { place: 'resolve' });
  const busy = await askFit();
  expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '5']);
  hub.misbehave({ kind: 'ignore-range' }, { times: 9 });
  const { variants } = await got(hubModelDetailsSchema, askFit());
  expect(variants[0]?.fit?.verdict).toBe('fits');
});

test('nothing is left in the folder for temporary files', async () => {
  hub.addRepo(REPO, { files: { 'slow.gguf': slow } });
  const server = await serve();
  const folder = await mkdtemp(path.join(tmpdir(), 'pilotlight-hub-'));
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, folder);
  await got(hubModelDetailsSchema, ask(server, `models/${REPO}?fit=slow`));
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^pilotlight-headers-/)]);
  await server.stop();
  expect(await readdir(folder)).toEqual([]);
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

test('a gated model says what to do, and opens with a token', async () => {
  hub.addRepo(REPO, { gated: true, files: { 'slow.gguf': slow } });
  const server = await serve();
  const askFit = () => ask(server, `models/${REPO}?fit=slow`);
  const { gated } = await got(hubModelDetailsSchema, ask(server, `models/${REPO}`));
  expect(gated).toBe(true);
  expect(await failure(await askFit())).toMatchObject({
    status: 403,
    code: 'hub_gated',
    message: expect.stringMatching(/is gated\. Accept its terms at .*, then set a token/),
  });
  expect(await failure(await putToken(server, 'hf_nobody'))).toMatchObject({
    status: 403,
    code: 'hub_token',
  });
  expect(await got(hubAccountSchema, putToken(server, STRANGER_TOKEN))).toMatchObject({
    user: 'stranger',
  });
  expect((await failure(await askFit())).message).toMatch(/Ask for access at/);
  const at = { default_endpoint: expect.any(String) };
  const account = { ...at, has_token: true, stored_in: 'file', user: 'ada', reason: null };
  expect(await got(hubAccountSchema, putToken(server, ` ${TEST_TOKEN}\n`))).toEqual(account);
  expect(await got(hubAccountSchema, ask(server, 'token'))).toEqual(account);
  const { variants } = await got(hubModelDetailsSchema, askFit());
  expect(variants[0]?.fit?.verdict).toBe('fits');
  const none = { ...at, has_token: false, stored_in: null, user: null, reason: null };
  expect(await got(hubAccountSchema, ask(server, 'token', { method: 'DELETE' }))).toEqual(none);
});

test('the token goes to the endpoint only, and into no answer and no log', async () => {
  const CANARY = TEST_TOKEN;
  hub.addRepo(REPO, { gated: true, files: { 'slow.gguf': slow } });
  const server = await serve();
  const answers: string[] = [];
  const tell = async (answer: Promise<Response>) => {
    const response = await answer;
    answers.push(JSON.stringify([...response.headers]), await response.text());
  };
  await tell(putToken(server, CANARY));
  await tell(ask(server, 'token'));
  await tell(ask(server, `models/${REPO}?fit=slow`));
  await tell(ask(server, 'models?search=tiny'));
  for (const place of ['api', 'resolve', 'bytes'] as const) {
    hub.misbehave({ kind: 'status', status: 500 }, { place });
    await tell(ask(server, `models/${REPO}?fit=slow&revision=HEAD`));
  }
  await tell(fetch(`${server.server.url}/pilotlight/settings`));
  await server.stop();
  expect(answers.join('\n')).not.toContain(CANARY);
  const sentTo = hub.requests.filter(({ headers }) => JSON.stringify(headers).includes(CANARY));
  expect(new Set(sentTo.map(({ place }) => place))).toEqual(new Set(['api', 'resolve']));
  expect(hub.requests.some(({ place }) => place === 'bytes')).toBe(true);
  const logs = await readdir(server.dataDir, { recursive: true, withFileTypes: true });
  for (const entry of logs.filter((each) => each.isFile() && each.name !== 'secrets.json')) {
    const text = await readFile(path.join(entry.parentPath, entry.name), 'latin1');
    expect(text.includes(CANARY), entry.name).toBe(false);
  }
});

test('an endpoint that is set later does not get the token of the first', async () => {
  const second = await TestHub.start();
  hub.addRepo(REPO, { files: {} });
  second.addRepo(REPO, { files: {} });
  const server = await serve();
  await got(hubAccountSchema, putToken(server, TEST_TOKEN));
  await server.stop();
  const settings = { hub_endpoint: second.endpoint };
  const later = await start({ dataDir: server.dataDir, settings });
  await got(hubModelDetailsSchema, ask(later, `models/${REPO}`));
  expect((await got(hubAccountSchema, ask(later, 'token'))).has_token).toBe(false);
  expect(JSON.stringify(second.requests)).not.toContain(TEST_TOKEN);
  expect(second.requests.length).toBeGreaterThan(0);
  await second.close();
});

test('wrong parameters are refused by name, other methods too', async () => {
  const server = await serve();
  const refused = async (route: string) => {
    const { status, param } = await failure(await ask(server, route));
    return [status, param];
  };
  expect(await refused('models?sort=best')).toEqual([400, 'sort']);
  expect(await refused('models?limit=0')).toEqual([400, 'limit']);
  expect(await refused(`models?search=${'a'.repeat(501)}`)).toEqual([400, 'search']);
  expect(await refused(`models/${REPO}?context=much`)).toEqual([400, 'context']);
  expect(await refused('models/..%2F..%2Fwhoami-v2')).toEqual([404, null]);
  expect(await failure(await putToken(server, 'hf a'))).toMatchObject({
    status: 400,
    param: 'token',
  });
  expect((await ask(server, 'models', { method: 'POST' })).status).toBe(405);
  expect(hub.requests).toEqual([]);
});
