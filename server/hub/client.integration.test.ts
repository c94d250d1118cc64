// The client against a hub that speaks the API and misbehaves, over real sockets.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import https from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { testGguf } from '../library/test-gguf.js';
import { HubError, hubApiError } from './errors.js';
import { firstProxy } from './network.js';
import { testHubs } from './test-client.js';
import { STRANGER_TOKEN, TEST_TOKEN } from './test-hub.js';
import { TestProxy } from './test-proxy.js';

const { hub: startHub, client } = testHubs();
const MODEL = testGguf();
const REPO = 'ada/gated';
const FILE = 'a.gguf';
const HUB = 'https://huggingface.co';

const proxies: TestProxy[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
});
async function startProxy(): Promise<TestProxy> {
  const proxy = await TestProxy.start();
  proxies.push(proxy);
  return proxy;
}

/** What went wrong. */
async function failure(promise: Promise<unknown>): Promise<HubError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof HubError) return error;
  throw new Error(`no HubError but ${String(error)}`);
}

test('the endpoint is the setting, else of the environment, else the hub', () => {
  const env = { HF_ENDPOINT: 'https://hub.example/hf/' };
  expect(client({}).endpoint).toBe(HUB);
  expect(client({ env }).endpoint).toBe('https://hub.example/hf');
  const set = client({ env, endpoint: 'http://127.0.0.1:9/' });
  expect([set.endpoint, set.defaultEndpoint]).toEqual([
    ...['http://127.0.0.1:9', 'https://hub.example/hf'],
  ]);
  expect(client({ env: { HF_ENDPOINT: 'mirror' } }).endpoint).toBe(HUB);
  expect(client({}).fileUrl('ada/b', 'refs/pr/1', 'a b/c#.gguf')).toBe(
    `${HUB}/ada/b/resolve/refs%2Fpr%2F1/a%20b/c%23.gguf`,
  );
});

test('bytes come from where the hub sends, a part of them where a part is asked for', async () => {
  const hub = await startHub();
  const { commit } = hub.addRepo(REPO, { files: { [FILE]: MODEL } });
  const one = client({ endpoint: hub.endpoint });
  const url = one.fileUrl(REPO, commit, FILE);
  const part = await one.fetch(url, { repo: REPO, headers: { range: 'bytes=4-9' } });
  expect(part.status).toBe(206);
  expect(Buffer.from(await part.arrayBuffer())).toEqual(MODEL.subarray(4, 10));
  expect(hub.requests.map(({ place }) => place)).toEqual(['resolve', 'bytes']);
});

test('no token goes anywhere but to the endpoint that it was set for', async () => {
  const [hub, mirror] = [await startHub(), await startHub()];
  const files = { [FILE]: MODEL };
  for (const each of [hub, mirror]) each.addRepo(REPO, { gated: true, files });
  const env = { HF_TOKEN: TEST_TOKEN, HF_ENDPOINT: hub.endpoint };
  const own = client({ env });
  const { body } = await own.fetch(own.fileUrl(REPO, 'main', FILE), { repo: REPO });
  await body?.cancel();
  // the endpoint is another now, and the token in the environment is not for it
  const other = client({ env, endpoint: mirror.endpoint });
  expect(await failure(other.fetch(other.fileUrl(REPO, 'main', FILE)))).toMatchObject({
    kind: 'gated',
  });
  // an address elsewhere, asked for by a client with a token
  await failure(own.fetch(`${mirror.endpoint}/${REPO}/resolve/main/${FILE}`));
  const sent = (requests: typeof hub.requests) =>
    requests.map(({ place, headers }) => [place, headers.authorization ?? null]);
  expect(sent(hub.requests)).toEqual([
    ['resolve', `Bearer ${TEST_TOKEN}`],
    ['bytes', null],
  ]);
  expect(JSON.stringify(mirror.requests)).not.toContain(TEST_TOKEN);
});

test('a token does not go over the network unencrypted', () => {
  const open = client({ endpoint: 'http://hub.example', token: TEST_TOKEN });
  expect(open.isPrivate).toBe(false);
  expect(client({ endpoint: 'https://hub.example' }).isPrivate).toBe(true);
  expect(client({ endpoint: 'http://localhost:80' }).isPrivate).toBe(true);
});

test('each refusal has its words, and no token is in them', async () => {
  const hub = await startHub();
  hub.addRepo(REPO, { gated: true, files: { [FILE]: MODEL } });
  hub.addRepo('ada/open', { files: { [FILE]: MODEL } });
  const { endpoint } = hub;
  const ask = (repo: string, token: string | null, revision = 'main', path = FILE) => {
    const one = client({ endpoint, token });
    return failure(one.fetch(one.fileUrl(repo, revision, path), { repo }));
  };
  const page = `${endpoint}/${REPO}`;
  const told = [
    await ask(REPO, null),
    await ask(REPO, STRANGER_TOKEN),
    await ask(REPO, 'hf_wrong'),
    await ask('ada/none', null),
    await ask('ada/none', TEST_TOKEN),
    await ask('ada/open', null, 'v9'),
    await ask('ada/open', null, 'main', 'none.gguf'),
  ].map(({ kind, message }) => [kind, message.replaceAll(new URL(endpoint).host, 'HOST')]);
  const at = page.replace(new URL(endpoint).host, 'HOST');
  expect(told).toEqual([
    [
      'gated',
      `The model ada/gated is gated. Accept its terms at ${at}, then set a token of your account, on the Models page or as HF_TOKEN in the environment.`,
    ],
    [
      'gated',
      `The model ada/gated is gated, and your account on HOST may not have it. Ask for access at ${at}.`,
    ],
    ['token', 'HOST does not accept the token. Set another one.'],
    ['not_found', 'There is no model ada/none on HOST, or it is private and needs a token.'],
    ['not_found', 'There is no model ada/none on HOST, or your account may not see it.'],
    ['not_found', 'The model ada/open has no such revision.'],
    ['not_found', 'The model ada/open has no such file.'],
  ]);
  expect(JSON.stringify(told)).not.toMatch(/hf_/);
});

test('what may pass says so, and when to ask again', async () => {
  const hub = await startHub();
  hub.addRepo(REPO, { files: { [FILE]: MODEL } });
  const one = client({ endpoint: hub.endpoint });
  const url = one.fileUrl(REPO, 'main', FILE);
  const after = async (fault: Parameters<typeof hub.misbehave>[0], place?: 'resolve' | 'bytes') => {
    hub.misbehave(fault, {
      place: place ?? 'bytes',
      times: fault.kind === 'redirect-loop' ? 99 : 1,
    });
    const { kind, isPassing, retryAfter, status } = await failure(one.fetch(url));
    hub.behave();
    return [kind, isPassing, retryAfter, status];
  };
  expect(await after({ kind: 'status', status: 429, retryAfter: '7' }, 'resolve')).toEqual([
    'rate_limited',
    true,
    7,
    429,
  ]);
  expect(await after({ kind: 'status', status: 503 })).toEqual(['server', true, null, 503]);
  expect(await after({ kind: 'status', status: 416 })).toEqual(['range', false, null, 416]);
  expect(await after({ kind: 'status', status: 400 })).toEqual(['refused', false, null, 400]);
  expect(await after({ kind: 'hang-up' })).toEqual(['offline', true, null, null]);
  expect(await after({ kind: 'redirect-loop' }, 'resolve')).toEqual([
    'bad_answer',
    false,
    null,
    null,
  ]);
});

test('a failure of the hub is told to our own clients as what it is', async () => {
  const hub = await startHub();
  hub.misbehave({ kind: 'status', status: 429, retryAfter: '7' }, { place: 'api' });
  const one = client({ endpoint: hub.endpoint });
  const busy = hubApiError(await failure(one.fetch(`${hub.endpoint}/api/models`)));
  expect([busy.status, busy.code, busy.headers]).toEqual([
    429,
    'hub_rate_limited',
    { 'retry-after': '7' },
  ]);
  const gated = hubApiError(new HubError('gated', 'It is gated.'));
  expect([gated.status, gated.code, gated.message]).toEqual([403, 'hub_gated', 'It is gated.']);
});

test('a network that is not there is told of', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const address = closed.address();
  const port = typeof address === 'object' ? address?.port : 0;
  await new Promise((resolve) => closed.close(resolve));
  const nobody = client({ endpoint: `http://127.0.0.1:${port}` });
  expect(await failure(nobody.fetch(`${nobody.endpoint}/api/models`))).toMatchObject({
    kind: 'offline',
    message: expect.stringMatching(/cannot be reached \(ECONNREFUSED\)/),
  });
  const unknown = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
  const failed = new TypeError('fetch failed', { cause: unknown });
  expect(client({ endpoint: 'http://nowhere.invalid' }).failed(failed)).toMatchObject({
    kind: 'offline',
    message: 'The address of nowhere.invalid cannot be found (ENOTFOUND). Is this machine online?',
  });
});

test('a request that is given up is cancelled, also while its answer is read', async () => {
  const hub = await startHub();
  hub.addRepo(REPO, { files: { [FILE]: MODEL } });
  const one = client({ endpoint: hub.endpoint });
  const url = one.fileUrl(REPO, 'main', FILE);
  const before = AbortSignal.abort();
  expect((await failure(one.fetch(url, { signal: before }))).kind).toBe('cancelled');
  const abort = new AbortController();
  hub.misbehave({ kind: 'stall', at: 10 });
  const { body } = await one.fetch(url, { signal: abort.signal });
  const read = (async () => {
    for await (const _ of body ?? []) abort.abort(new Error('changed my mind'));
  })().catch((error: unknown) => {
    throw one.failed(error, abort.signal);
  });
  expect((await failure(read)).kind).toBe('cancelled');
});

test('an answer that is not of the API is told of', async () => {
  const hub = await startHub();
  const one = client({ endpoint: hub.endpoint });
  const list = z.array(z.unknown());
  for (const body of ['<html>', '{}', '']) {
    hub.misbehave({ kind: 'body', body }, { place: 'api' });
    const error = await failure(one.json(`${hub.endpoint}/api/models`, list));
    expect([error.kind, error.message]).toEqual([
      'bad_answer',
      expect.stringMatching(/not as Hugging Face's hub does\.$/),
    ]);
  }
  hub.misbehave({ kind: 'body', body: '['.repeat(17 * 1024 ** 2) }, { place: 'api' });
  const error = await failure(one.json(`${hub.endpoint}/api/models`, list));
  expect(error.message).toMatch(/larger than any/);
});

test("the environment's proxy is asked, but not for this machine nor for what NO_PROXY names", async () => {
  const hub = await startHub();
  hub.addRepo(REPO, { files: { [FILE]: MODEL } });
  const proxy = await startProxy();
  const { hostname: host, port } = new URL(hub.endpoint);
  proxy.target = { host, port: Number(port) };
  const env = { HTTP_PROXY: `http://${proxy.address}`, NO_PROXY: 'inside.invalid' };
  const list = z.array(z.unknown());
  const ask = (endpoint: string) => client({ env, endpoint }).json(`${endpoint}/api/models`, list);
  expect(await ask('http://hub.invalid')).toHaveLength(1);
  expect(proxy.asked).toEqual(['GET http://hub.invalid/api/models']);
  expect(await ask(hub.endpoint)).toHaveLength(1);
  // how soon nobody is found there depends on the network
  const nobody = await failure(ask('http://sub.inside.invalid'));
  expect(['offline', 'timeout']).toContain(nobody.kind);
  expect(proxy.asked).toHaveLength(1);
  proxy.target = null;
  await expect(ask('http://hub.invalid')).rejects.toMatchObject({ kind: 'proxy' });
  const tunnel = client({
    env: { https_proxy: `http://${proxy.address}` },
    endpoint: 'https://hub.invalid',
  });
  await expect(tunnel.json('https://hub.invalid/api/models', list)).rejects.toMatchObject({
    kind: 'proxy',
  });
  expect(proxy.asked.at(-1)).toBe('CONNECT hub.invalid:443');
});

test("the system's proxy is asked where the environment names none", async () => {
  const hub = await startHub();
  const proxy = await startProxy();
  const { hostname: host, port } = new URL(hub.endpoint);
  proxy.target = { host, port: Number(port) };
  const asked: string[] = [];
  const one = client({
    endpoint: 'http://hub.invalid',
    resolveProxy: async (url) => {
      asked.push(url);
      return `PROXY ${proxy.address}; DIRECT`;
    },
  });
  for (let n = 0; n < 2; n++) await one.json('http://hub.invalid/api/models', z.array(z.unknown()));
  expect(proxy.asked).toHaveLength(2);
  expect(asked).toEqual(['http://hub.invalid/']);
});

test('of what a system says of proxies the first that can be used is taken', () => {
  expect(firstProxy('DIRECT')).toBeNull();
  expect(firstProxy('')).toBeNull();
  expect(firstProxy('PROXY a:80; DIRECT')).toBe('http://a:80');
  expect(firstProxy('SOCKS4 a:1; HTTPS b:2')).toBe('https://b:2');
  expect(firstProxy('SOCKS5 a:1080')).toBe('socks5://a:1080');
  expect(firstProxy('DIRECT; PROXY a:80')).toBeNull();
  expect(firstProxy('PROXY ::')).toBeNull();
});

const hasOpenssl =
  process.platform !== 'win32' && spawnSync('openssl', ['version']).error === undefined;

test.runIf(hasOpenssl)('a certificate that nobody vouches for is told of', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'pilotlight-tls-'));
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const out = ['-keyout', key, '-out', cert, '-subj', '/CN=localhost'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...out], { stdio: 'ignore' });
  const server = https.createServer({ key: await readFile(key), cert: await readFile(cert) });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const endpoint = `https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const error = await failure(client({ endpoint }).fetch(`${endpoint}/api/models`));
  expect([error.kind, error.message]).toEqual([
    'tls',
    expect.stringMatching(/is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/),
  ]);
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});
