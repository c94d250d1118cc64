// Real programs and real sockets, over the SDK's own servers.
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type McpServer, type McpServerConfig, mcpServerListSchema } from '../../protocol/mcp.js';
import { SecretStore } from '../store/secrets.js';
import { startHttpServer, type TestHttpServer } from './test-http-server.js';
import { testProgram } from './test-program.js';
import { RESULT_MAX } from './tool-result.js';
import type { ToolTimes } from './tool-server.js';
import { ToolServers } from './tool-servers.js';

let dataDir: string;
let servers: ToolServers;
let httpServer: TestHttpServer | null = null;
/** Those who wait for a change. */
let listeners: Set<() => void>;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-tools-'));
  listeners = new Set();
  servers = open();
});
afterEach(async () => {
  await servers.close();
  await httpServer?.close();
  httpServer = null;
  await rm(dataDir, { recursive: true, force: true });
});

function open(times: Partial<ToolTimes> = {}): ToolServers {
  return new ToolServers({
    ...{ dataDir, version: '0.0.0', times: { retry: [10, 50], ...times } },
    secrets: new SecretStore(dataDir, null),
    onChange: () => {
      for (const listener of [...listeners]) listener();
    },
  });
}

async function reopen(times: Partial<ToolTimes> = {}): Promise<void> {
  await servers.close();
  servers = open(times);
  servers.start();
}

const list = () => mcpServerListSchema.parse({ servers: servers.list() }).servers;
const one = (id = 'a') => list().find((server) => server.id === id);

/** Resolves with the server as soon as it is so. */
function until(is: (server: McpServer) => boolean, id = 'a'): Promise<McpServer> {
  return new Promise((resolve) => {
    const look = () => {
      const server = one(id);
      if (server === undefined || !is(server)) return;
      listeners.delete(look);
      resolve(server);
    };
    listeners.add(look);
    look();
  });
}

const isReady = ({ status }: McpServer) => status === 'ready';
const isFailed = ({ status }: McpServer) => status === 'failed';

async function add(config: McpServerConfig, id = 'a'): Promise<void> {
  await servers.put({ [id]: config });
  await servers.patch(id, { enabled: true });
}

const never = new AbortController().signal;
const call = (tool: string, args = {}, signal = never) => servers.call('a', tool, args, signal);
const json = async (tool: string) => JSON.parse((await call(tool)).text);

describe('a tool server', () => {
  test('is off until the person switches it on, and asks before each call', async () => {
    await servers.put({ a: testProgram() });
    expect(list()).toMatchObject([{ id: 'a', enabled: false, status: 'off', tools: [] }]);
    await reopen();
    expect(one()?.status).toBe('off');
    expect(servers.offers(null)).toEqual([]);
    await servers.patch('a', { enabled: true });
    const { tools } = await until(isReady);
    expect(tools[0]).toMatchObject({
      ...{ name: 'get_weather', title: 'Weather', description: 'The weather of a city.' },
      ...{ read_only: true, consent: 'ask', unusable: null },
    });
    expect(await call('get_weather', { city: 'Rome' })).toEqual({
      ...{ text: '22 °C and sunny in Rome.', isError: false },
    });
    await servers.patch('a', { enabled: false });
    await until(({ status }) => status === 'off');
    await expect(call('get_weather')).rejects.toThrow('switched off');
  });

  test('runs again at the next start', async () => {
    await add(testProgram());
    await until(isReady);
    await reopen();
    await servers.settled(null, never);
    expect(one()?.status).toBe('ready');
  });

  test('tells its tools anew when they change', async () => {
    await add(testProgram());
    const { tools } = await until(isReady);
    await call('grow');
    const grown = await until((server) => server.tools.length > tools.length);
    expect(grown.tools.at(-1)?.name).toMatch(/^tool_/);
  });

  test('tells 200 tools, page by page', async () => {
    await add(testProgram('many'));
    const { tools } = await until(isReady);
    expect(tools.filter(({ name }) => name.startsWith('tool_')).length).toBe(200);
    expect(servers.offers(null).length).toBe(tools.length);
  });

  test('keeps what it writes to its error output, and a greeting that is no message', async () => {
    await add(testProgram());
    const { log } = await until(({ log }) => log.length >= 2);
    expect([...log].sort()).toEqual(['Ready.', 'Welcome!']);
  });

  test("has tools with names and words that are a stranger's", async () => {
    await add(testProgram('odd'));
    const { tools } = await until(isReady);
    expect(tools.filter(({ name }) => name === 'get_weather').length).toBe(1);
    const [evil] = tools.filter(({ name }) => name.startsWith('<img'));
    expect(evil?.description.length).toBeLessThan(5_000);
    expect(evil?.description).not.toMatch(/[^\P{Cc}\n\t]/u);
    expect(tools.find(({ name }) => name === 'endless')?.unusable).toContain('cannot be used');
    const offers = servers.offers(null);
    expect(offers.find(({ tool }) => tool === '天気 予報')?.name).toBe('tool');
    expect(offers.some(({ tool }) => tool === 'endless')).toBe(false);
    expect(new Set(offers.map(({ name }) => name)).size).toBe(offers.length);
    for (const { name } of offers) expect(name).toMatch(/^[\w-]{1,64}$/);
    expect((await call('天気 予報')).text).toBe('天気 予報');
  });
});

describe('a call', () => {
  beforeEach(async () => {
    await add(testProgram());
    await until(isReady);
  });

  test('that the tool says has failed', async () => {
    expect(await call('fail')).toEqual({ text: 'No such city.', isError: true });
    await expect(call('refuse')).rejects.toMatchObject({ reason: 'server' });
    await expect(call('refuse')).rejects.toThrow('Not like this.');
    expect(one()?.status).toBe('ready');
  });

  test('whose result is huge is cut', async () => {
    const { text } = await call('huge');
    expect(text.length).toBeLessThan(RESULT_MAX + 200);
    expect(text).toContain('1000000 characters');
  });

  test('whose result is a picture names it', async () => {
    expect((await call('picture')).text).toContain('image/png');
  });

  test('that is stopped ends at once, and leaves the server as it is', async () => {
    const stop = new AbortController();
    const hanging = call('hang', {}, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(hanging).rejects.toThrow('stopped');
    expect((await call('get_weather', { city: 'Rome' })).text).toContain('Rome');
  });

  test('that crashes its server fails, and the server is started again', async () => {
    await expect(call('crash')).rejects.toMatchObject({ reason: 'server' });
    const failed = await until(({ problem }) => problem !== null);
    expect(failed.problem).toMatchObject({
      ...{ code: 'exited', detail: 'exit code 3. Out of cheese.' },
    });
    expect(failed.retry_at).not.toBeNull();
    await until(isReady);
    expect((await call('get_weather', { city: 'Rome' })).text).toContain('Rome');
  });

  test('of a tool that is not there, or never to be called', async () => {
    await expect(call('nothing')).rejects.toMatchObject({ reason: 'unknown' });
    await servers.patch('a', { consent: { fail: 'never' } });
    await expect(call('fail')).rejects.toMatchObject({ reason: 'unknown' });
    expect(servers.offers(null).some(({ tool }) => tool === 'fail')).toBe(false);
  });

  test('that hangs ends after its time', async () => {
    await reopen({ call: 50 });
    await until(isReady);
    await expect(call('hang')).rejects.toMatchObject({ reason: 'timeout' });
    expect(one()?.status).toBe('ready');
  });
});

describe('a program', () => {
  test('has its own variables, and not ours', async () => {
    process.env.PILOTLIGHT_TEST_SECRET = 'ours';
    await add({ ...testProgram(), env: { TOKEN: 'theirs' }, cwd: dataDir });
    await until(isReady);
    const { env, cwd } = await json('surroundings');
    delete process.env.PILOTLIGHT_TEST_SECRET;
    expect(env).toMatchObject({ TOKEN: 'theirs', HOME: process.env.HOME });
    expect(env).not.toHaveProperty('PILOTLIGHT_TEST_SECRET');
    expect(await realpath(cwd)).toBe(await realpath(dataDir));
  });

  test.each<[string, McpServerConfig, object]>([
    [
      'is not there',
      { command: 'no-such-program' },
      { code: 'not_found', detail: 'no-such-program' },
    ],
    ['may not be run', { command: import.meta.filename }, { code: 'not_permitted' }],
    ['has no folder', { command: 'node', cwd: '/no/such' }, { code: 'no_folder' }],
    ['ends', testProgram('exit'), { code: 'exited', detail: 'exit code 2. TOKEN is missing' }],
    ['speaks without an end', testProgram('flood'), { code: 'too_much' }],
  ])('that %s', async (_, config, problem) => {
    await add(config);
    const failed = await until(({ problem }) => problem !== null);
    expect(failed.problem).toMatchObject(problem);
    await servers.patch('a', { enabled: false });
  });

  test('that never says hello is given up, and started so often and no more', async () => {
    await servers.close();
    servers = open({ start: 20, retry: [1, 1] });
    await add(testProgram('mute'));
    const given = await until((server) => isFailed(server) && server.retry_at === null);
    expect(given.problem?.code).toBe('timeout');
    servers.restart('a');
    expect(one()?.status).toBe('starting');
  });
});

describe('an address', () => {
  test('is asked over streamable HTTP', async () => {
    httpServer = await startHttpServer();
    await add({ url: httpServer.url });
    await until(isReady);
    expect((await call('get_weather', { city: 'Rome' })).text).toContain('Rome');
    await call('grow');
    await until(({ tools }) => tools.some(({ name }) => name.startsWith('tool_')));
  });

  test.each([[undefined], ['sse' as const]])(
    'may speak in the older way (type: %s)',
    async (type) => {
      httpServer = await startHttpServer({ transport: 'sse' });
      await add({ url: httpServer.url, ...(type ? { type } : {}) });
      await until(isReady);
      expect((await call('get_weather', { city: 'Rome' })).text).toContain('Rome');
    },
  );

  test('is reached again after it was gone', async () => {
    httpServer = await startHttpServer();
    await add({ url: httpServer.url });
    await until(isReady);
    const port = Number(new URL(httpServer.url).port);
    await httpServer.close();
    await expect(call('get_weather')).rejects.toMatchObject({ reason: 'server' });
    const { problem } = await until(isFailed);
    expect(problem?.code).toMatch(/refused|unreachable/);
    httpServer = await startHttpServer({ port });
    await until(isReady);
    expect((await call('get_weather', { city: 'Rome' })).text).toContain('Rome');
  });

  test('that has forgotten us is asked anew', async () => {
    httpServer = await startHttpServer();
    await add({ url: httpServer.url });
    await until(isReady);
    httpServer.forget();
    await vi.waitFor(
      async () => expect((await call('get_weather', { city: 'Rome' })).text).toContain('Rome'),
      { timeout: 30_000 },
    );
  });

  test('gets the key in its headers; without one the problem says so', async () => {
    httpServer = await startHttpServer({ key: 'k' });
    await add({ url: httpServer.url });
    const { problem, retry_at } = await until(isFailed);
    expect([problem?.code, retry_at]).toEqual(['unauthorized', null]);
    await servers.put({ a: { url: httpServer.url, headers: { Authorization: 'Bearer k' } } });
    await until(isReady);
  });

  test('where nobody answers', async () => {
    const { url, close } = await startHttpServer();
    await close();
    await add({ url });
    expect((await until(isFailed)).problem?.code).toBe('refused');
  });

  test('that is none', async () => {
    await add({ url: 'http://no-such-host.invalid/mcp' });
    expect((await until(isFailed)).problem?.code).toBe('unreachable');
  });
});

describe('what is kept', () => {
  const file = () => readFile(path.join(dataDir, 'mcp.json'), 'utf8');

  test('is in the shape of other apps, without secrets, which are told as dots', async () => {
    await servers.put({
      a: { command: 'a', args: ['b'], env: { TOKEN: 's3cret' } },
      b: { url: 'http://a/', headers: { Authorization: 'Bearer s3cret' } },
    });
    const told = list().map(({ config }) => config);
    expect(told).toEqual([
      { command: 'a', args: ['b'], env: { TOKEN: '•••' } },
      { url: 'http://a/', headers: { Authorization: '•••' } },
    ]);
    const text = await file();
    expect(JSON.parse(text).mcpServers).toEqual({ a: told[0], b: told[1] });
    expect(text).not.toContain('s3cret');
  });

  test('keeps a secret that is sent back as dots, and refuses one that nobody knows', async () => {
    await add({ ...testProgram(), env: { TOKEN: 'theirs' } });
    await servers.put({ a: { ...testProgram(), env: { TOKEN: '•••', MORE: 'x' } } });
    await until(isReady);
    expect((await json('surroundings')).env).toMatchObject({ TOKEN: 'theirs', MORE: 'x' });
    await expect(
      servers.put({ a: { ...testProgram(), env: { OTHER: '•••' } } }),
    ).rejects.toMatchObject({ status: 400 });
  });

  test('does not send the headers of one address to another', async () => {
    const headers = { Authorization: 'Bearer x' };
    await servers.put({ a: { url: 'http://one.test/', headers } });
    const moved = { url: 'http://two.test/', headers: { Authorization: '•••' } };
    await expect(servers.put({ a: moved })).rejects.toMatchObject({ status: 400 });
    await servers.put({ a: { ...moved, url: 'http://one.test/mcp' } });
  });

  test('is off, and allowed nothing, once it is another program', async () => {
    await add(testProgram());
    await until(isReady);
    await servers.patch('a', { consent: { get_weather: 'always', fail: 'never' } });
    await servers.put({ a: testProgram('many') });
    expect(one()).toMatchObject({ enabled: false, status: 'off' });
    await servers.patch('a', { enabled: true });
    const { tools } = await until(isReady);
    const consents = new Map(tools.map(({ name, consent }) => [name, consent]));
    expect([consents.get('get_weather'), consents.get('fail')]).toEqual(['ask', 'never']);
  });

  test('goes with its secrets', async () => {
    await servers.put({ a: { command: 'a', env: { TOKEN: 's3cret' } } });
    await servers.remove('a');
    expect(list()).toEqual([]);
    expect(await readFile(path.join(dataDir, 'secrets.json'), 'utf8')).not.toContain('s3cret');
    await expect(servers.remove('a')).rejects.toMatchObject({ status: 404 });
  });

  test('may be written by hand: secrets are moved out of it, and what is wrong stays', async () => {
    await writeFile(
      path.join(dataDir, 'mcp.json'),
      JSON.stringify({
        mcpServers: { a: { ...testProgram(), env: { TOKEN: 's3cret' } }, bad: { command: 5 } },
      }),
    );
    await reopen();
    expect(servers.notices().join()).toContain('"bad"');
    await servers.patch('a', { enabled: true });
    await until(isReady);
    expect((await json('surroundings')).env.TOKEN).toBe('s3cret');
    const text = await file();
    expect(text).not.toContain('s3cret');
    expect(JSON.parse(text).mcpServers.bad).toEqual({ command: 5 });
  });

  test('that is damaged is kept aside', async () => {
    await writeFile(path.join(dataDir, 'mcp.json'), '{"mcpServers": ');
    await reopen();
    expect(list()).toEqual([]);
    expect(servers.notices().join()).toContain('damaged');
    await servers.put({ a: testProgram() });
    expect(list().length).toBe(1);
  });

  test('takes nothing that cannot be used', async () => {
    for (const config of [{ command: 'a', cwd: 'b' }, { command: ' ' }]) {
      await expect(servers.put({ a: config })).rejects.toMatchObject({ status: 400 });
    }
    await expect(servers.put({ ' a': { command: 'a' } })).rejects.toMatchObject({ status: 400 });
    expect(list()).toEqual([]);
  });
});
