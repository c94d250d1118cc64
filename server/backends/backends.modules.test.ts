// The engine whose backends are modules, in real processes, with modules that are broken in every way we know. Run by
// `node scripts/test.mjs backends`, which builds it.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Backend } from '../../protocol/models.js';
import { COLOURS, png } from '../../scripts/test-models/pictures.js';
import { SCRIPTED_SENTENCE, SEEN } from '../../scripts/test-models/scripts.js';
import { isLoaded, say, type TestServer, testServers } from '../test-server.js';

const MODULES = process.env.PILOTLIGHT_MODULES_DIR ?? '';
const VULKAN = path.join(MODULES, 'vulkan', 'libggml-vulkan.so');
const MODELS = ['scripted', 'greedy'] as const;
const SEEING = ['sees', 'mmproj-sees'] as const;

const start = testServers();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'modules-'));
  for (const name of await readdir(MODULES)) {
    if (/\.(node|so|dylib|dll)$/.test(name)) {
      await copyFile(path.join(MODULES, name), path.join(folder, name));
    }
  }
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** A server over the modules in `folder`, with its first model loaded. */
async function serve(
  models: readonly (typeof MODELS | typeof SEEING)[number][] = ['scripted'],
): Promise<TestServer> {
  vi.stubEnv('PILOTLIGHT_ADDON', path.join(folder, 'engine.node'));
  const server = await start({ models, config: { backendsDir: folder } });
  await server.until(isLoaded(models[0] ?? ''));
  return server;
}

async function health({ server }: TestServer) {
  const response = await fetch(`${server.url}/health`);
  return (await response.json()) as { devices: string[] | null; backends: Backend[] };
}

/** Compiles a module from C. */
async function compile(name: string, source: string, ...args: string[]): Promise<void> {
  const file = path.join(folder, `${name}.c`);
  await writeFile(file, source);
  const out = path.join(folder, `libggml-${name}.so`);
  await promisify(execFile)('cc', ['-shared', '-fPIC', '-o', out, file, ...args]);
}

const BEST = 'int ggml_backend_score(void) { return 1 << 30; }';
const ILLEGAL = '__builtin_trap();';

describe('the engine with modules', () => {
  test('answers as the one that has all inside, on the variant that suits the processor', async () => {
    const inside = await start({ models: MODELS });
    const expected = [await say(inside, 'scripted'), await say(inside, 'greedy')];
    const modules = await serve(MODELS);
    expect([await say(modules, 'scripted'), await say(modules, 'greedy')]).toEqual(expected);
    expect(expected[0]).toBe(SCRIPTED_SENTENCE);

    const { devices, backends } = await health(modules);
    expect(devices).toEqual(['CPU']);
    expect(backends).toHaveLength(1);
    expect(backends[0]).toMatchObject({ status: 'used', reason: null });
    const variants = (await readdir(folder)).filter((name) => name.includes('ggml-cpu'));
    if (variants.length > 1) expect(backends[0]?.module).not.toBe('cpu-x64');
    expect(modules.server.state.now().notices).toEqual([]);
  });

  test('sees', async () => {
    const { client } = await serve(SEEING);
    const url = `data:image/png;base64,${png(20, 20, COLOURS.green).toString('base64')}`;
    const content = [
      { type: 'text' as const, text: 'Which colour is it?' },
      { type: 'image_url' as const, image_url: { url } },
    ];
    const messages = [{ role: 'user' as const, content }];
    const answer = await client.chat.completions.create({ model: 'sees', messages });
    expect(answer.choices[0]?.message.content).toBe(SEEN.green);
  });

  test('tries modules once, and trusts them at the next start', async () => {
    const first = await serve();
    const tried = first.engines.length;
    await first.stop();
    const second = await start({
      models: ['scripted'],
      config: { backendsDir: folder },
      dataDir: first.dataDir,
    });
    await second.until(isLoaded('scripted'));
    // one for the scores, one for the trial, one for the model
    expect([tried, second.engines.length]).toEqual([3, 1]);
    expect(await say(second)).toBe(SCRIPTED_SENTENCE);
  });
});

describe.runIf(process.platform === 'linux')('a broken module', () => {
  test.each([
    ['when it starts', `${BEST}\nvoid * ggml_backend_init(void) { ${ILLEGAL} return 0; }`],
    ['when it is opened', `__attribute__((constructor)) static void start(void) { ${ILLEGAL} }`],
  ])('that raises an illegal instruction %s is passed over', async (_, source) => {
    await compile('cpu-broken', source);
    const server = await serve();
    expect(await say(server)).toBe(SCRIPTED_SENTENCE);
    const { backends } = await health(server);
    expect(backends[0]).toEqual({
      module: 'cpu-broken',
      status: 'failed',
      devices: [],
      reason: 'The backend module cpu-broken crashed when it was tried (SIGILL).',
    });
    expect(backends[1]).toMatchObject({ status: 'used' });
    expect(server.server.state.now().notices).toEqual([backends[0]?.reason]);
  });

  test('that lacks a library leaves the CPU, and says which library', async () => {
    await compile('absent', 'int ggml_absent(void) { return 1; }', '-Wl,-soname,libabsent.so.13');
    const absent = path.join(folder, 'libggml-absent.so');
    await compile('cuda', 'int ggml_absent(void); int use(void) { return ggml_absent(); }', absent);
    await rm(absent);
    const server = await serve();
    expect(await say(server)).toBe(SCRIPTED_SENTENCE);
    const { devices, backends } = await health(server);
    expect(devices).toEqual(['CPU']);
    expect(backends[0]).toMatchObject({
      module: 'cuda',
      status: 'unused',
      reason: expect.stringMatching(
        /^libggml-cuda\.so cannot be loaded: libabsent\.so\.13: cannot open shared object file/,
      ),
    });
    // a machine without such a GPU is no trouble
    expect(server.server.state.now().notices).toEqual([]);
  });

  test('that is no ggml backend, or a newer one, is refused', async () => {
    await compile('vulkan', 'int nothing(void) { return 0; }');
    await compile(
      'cuda',
      'static int api[16] = { 99 }; void * ggml_backend_init(void) { return api; }',
    );
    const server = await serve();
    expect(await say(server)).toBe(SCRIPTED_SENTENCE);
    const { backends } = await health(server);
    expect(backends).toMatchObject([
      { module: 'cuda', status: 'unused', reason: expect.stringMatching(/API version/) },
      { module: 'vulkan', status: 'unused', reason: expect.stringMatching(/ggml_backend_init/) },
      { status: 'used' },
    ]);
  });
});

// Mesa's software driver stands in for a GPU. It counts as a processor, so that it has to be named.
describe.runIf(existsSync(VULKAN))('the Vulkan backend', () => {
  beforeEach(() => copyFile(VULKAN, path.join(folder, path.basename(VULKAN))));

  test('computes the same text', { timeout: 600_000 }, async () => {
    vi.stubEnv('GGML_VK_VISIBLE_DEVICES', '0');
    const server = await serve();
    const { devices, backends } = await health(server);
    expect(backends[0]).toMatchObject({
      module: 'vulkan',
      status: 'used',
      devices: [expect.stringMatching(/llvmpipe/)],
    });
    expect(devices).toEqual([expect.stringMatching(/llvmpipe/), 'CPU']);
    expect(await say(server)).toBe(SCRIPTED_SENTENCE);
  });

  test('without a GPU leaves the CPU', async () => {
    const server = await serve();
    expect(await say(server)).toBe(SCRIPTED_SENTENCE);
    const { devices, backends } = await health(server);
    expect(devices).toEqual(['CPU']);
    expect(backends[0]).toMatchObject({
      module: 'vulkan',
      status: 'unused',
      reason: 'The vulkan backend finds no GPU.',
    });
  });
});
