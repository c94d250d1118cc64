// Models of other programs, as they lie on the disk.
import { mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ForeignFolders, foreignFolders } from './foreign-folders.js';
import { Library } from './library.js';
import { testGguf, testProjector } from './test-gguf.js';
import { putFile, putHubRevision, putOllamaModel } from './test-stores.js';

/** On Windows links need rights that a test run may not have. */
const hasLinks = process.platform !== 'win32';

let home: string;
let library: Library | null = null;

beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'héim '));
});
afterEach(async () => {
  library?.close();
  library = null;
  await rm(home, { recursive: true });
});

const at = (...parts: string[]) => path.join(home, ...parts);

/** Distinct bytes, so that each is a file of its own in stores that go by hashes. */
const gguf = (name: string, metadata: Record<string, string | number> = {}) =>
  testGguf({ metadata: { 'general.name': name, ...metadata } });

async function open(foreign: Partial<ForeignFolders> = {}): Promise<Library> {
  library = await Library.open({
    modelsDir: at('own'),
    builtInModelsDir: null,
    files: [],
    foreign,
    log: pino({ enabled: false }),
  });
  return library;
}

const listed = (from: Library) => from.models().map(({ id, source }) => [id, source]);

describe('where other programs keep models', () => {
  const linux = { home: '/home/a', env: {}, platform: 'linux' } as const;

  it('is known of each system', () => {
    expect(foreignFolders(linux)).toEqual({
      lm_studio: ['/home/a/.lmstudio/models', '/home/a/.cache/lm-studio/models'],
      hugging_face: ['/home/a/.cache/huggingface/hub'],
      llama_cpp: ['/home/a/.cache/llama.cpp'],
      ollama: ['/home/a/.ollama/models', '/usr/share/ollama/.ollama/models'],
    });
    const mac = foreignFolders({ ...linux, platform: 'darwin' });
    expect(mac.llama_cpp).toEqual(['/home/a/Library/Caches/llama.cpp']);
    expect(mac.ollama).toEqual(['/home/a/.ollama/models']);
    const windows = { ...linux, platform: 'win32', env: { LOCALAPPDATA: '/local' } } as const;
    expect(foreignFolders(windows).llama_cpp).toEqual(['/local/llama.cpp']);
  });

  it.each<[NodeJS.ProcessEnv, keyof ForeignFolders, string]>([
    [{ HF_HUB_CACHE: '/hub', HF_HOME: '/hf' }, 'hugging_face', '/hub'],
    [{ HUGGINGFACE_HUB_CACHE: '/old' }, 'hugging_face', '/old'],
    [{ HF_HOME: '~/hf' }, 'hugging_face', '/home/a/hf/hub'],
    [{ XDG_CACHE_HOME: '/xdg' }, 'hugging_face', '/xdg/huggingface/hub'],
    [{ HF_HOME: '' }, 'hugging_face', '/home/a/.cache/huggingface/hub'],
    [{ XDG_CACHE_HOME: '/xdg' }, 'llama_cpp', '/xdg/llama.cpp'],
    [{ LLAMA_CACHE: '/lc', XDG_CACHE_HOME: '/xdg' }, 'llama_cpp', '/lc'],
    [{ OLLAMA_MODELS: '/om' }, 'ollama', '/om'],
  ])('follows %j', (env, source, folder) => {
    expect(foreignFolders({ ...linux, env })[source]).toEqual([folder]);
  });

  it("follows LM Studio's own settings", async () => {
    const options = { home, env: {}, platform: process.platform };
    await putFile(
      at('.lmstudio', 'settings.json'),
      `{"downloadsFolder": ${JSON.stringify(at('big'))}}`,
    );
    expect(foreignFolders(options).lm_studio[0]).toBe(at('big'));
    await putFile(at('.lmstudio', 'settings.json'), '{"downloadsFolder": 5');
    expect(foreignFolders(options).lm_studio[0]).toBe(at('.lmstudio', 'models'));
    await putFile(at('.lmstudio-home-pointer'), `${at('moved')}\n`);
    expect(foreignFolders(options).lm_studio[0]).toBe(at('moved', 'models'));
  });
});

it("LM Studio's models go by publisher, name and file, with their projectors", async () => {
  const folder = at('.lmstudio', 'models');
  const file = await putFile(
    path.join(folder, 'infra-ai', 'ocelot', 'ocelot-Q4_K_M.gguf'),
    gguf('a'),
  );
  await putFile(path.join(folder, 'infra-ai', 'ocelot', 'ocelot-Q8_0.gguf'), gguf('b'));
  const projector = await putFile(
    path.join(folder, 'infra-ai', 'ocelot', 'mmproj-model-f16.gguf'),
    testProjector(),
  );
  await putFile(path.join(folder, 'infra-ai', 'ocelot', 'downloading.gguf.part'), gguf('c'));
  const made = await open({ lm_studio: [folder, at('nowhere')] });
  expect(listed(made)).toEqual([
    ['lmstudio/infra-ai/ocelot/ocelot-Q4_K_M', 'lm_studio'],
    ['lmstudio/infra-ai/ocelot/ocelot-Q8_0', 'lm_studio'],
  ]);
  expect(made.models()[0]).toMatchObject({ path: file, projector });
  expect(made.find('ocelot-Q4_K_M')?.path).toBe(file);
  expect(made.find('ocelot/ocelot-Q4_K_M.gguf')?.path).toBe(file);
  expect(made.notices()).toEqual([]);
});

it("llama.cpp's cache gives whole files only, and pairs what it has fetched together", async () => {
  const folder = at('cache');
  const name = 'ggml-org_gemma-3-4b-it-GGUF_gemma-3-4b-it-Q4_K_M.gguf';
  await putFile(path.join(folder, name), gguf('a'));
  await putFile(path.join(folder, `${name}.downloadInProgress`), gguf('b'));
  await putFile(path.join(folder, `${name}.json`), '{}');
  await putFile(path.join(folder, 'other_other-Q8_0.gguf'), gguf('c'));
  const projector = await putFile(
    path.join(folder, 'ggml-org_gemma-3-4b-it-GGUF_mmproj-model-f16.gguf'),
    testProjector(),
  );
  const made = await open({ llama_cpp: [folder] });
  expect(made.models().map(({ id, projector: own }) => [id, own])).toEqual([
    ['llama.cpp/ggml-org_gemma-3-4b-it-GGUF_gemma-3-4b-it-Q4_K_M', projector],
    ['llama.cpp/other_other-Q8_0', null],
  ]);
});

describe.runIf(hasLinks)("Hugging Face's cache", () => {
  it('gives each file once, of the newest revision that has it', async () => {
    const hub = at('hub');
    const repo = 'own--er/na--me-GGUF';
    const old = { 'a-Q4_K_M.gguf': gguf('old'), 'a-Q8_0.gguf': gguf('q8'), 'x.txt': gguf('x') };
    await putHubRevision(hub, { repo, revision: 'aaa', files: old });
    const files = { 'a-Q4_K_M.gguf': gguf('new'), 'sub/a-Q8_0.gguf': gguf('q8') };
    await putHubRevision(hub, { repo, revision: 'bbb', files, isMain: true });
    await putFile(path.join(hub, 'models--own--er', 'blobs', 'abc.incomplete'), gguf('c'));
    await putFile(path.join(hub, 'datasets--x--y', 'snapshots', '1', 'a.gguf'), gguf('d'));
    await putHubRevision(hub, { repo: 'gpt2', revision: '1', files: { 'g.gguf': gguf('g') } });
    const made = await open({ hugging_face: [hub] });
    expect(listed(made)).toEqual([
      ['hf.co/gpt2/g', 'hugging_face'],
      ['hf.co/own/er--na--me-GGUF/a-Q4_K_M', 'hugging_face'],
      ['hf.co/own/er--na--me-GGUF/sub/a-Q8_0', 'hugging_face'],
    ]);
    expect(made.find('a-Q4_K_M')?.name).toBe('new');
    // The same blob under its older path.
    expect(made.find('hf.co/own/er--na--me-GGUF/a-Q8_0')?.name).toBe('q8');
  });

  it('gives the parts of one revision as one, and a whole older one before a newer in part', async () => {
    const hub = at('hub');
    const part = (n: number) => `q/b-0000${n}-of-00002.gguf`;
    const first = { [part(1)]: gguf('1'), [part(2)]: gguf('2') };
    await putHubRevision(hub, { repo: 'o/b', revision: 'aaa', files: first });
    const second = { [part(1)]: gguf('3') };
    await putHubRevision(hub, { repo: 'o/b', revision: 'bbb', files: second, isMain: true });
    const made = await open({ hugging_face: [hub] });
    expect(listed(made)).toEqual([['hf.co/o/b/q/b', 'hugging_face']]);
    expect(made.models()[0]).toMatchObject({ name: '1', invalidReason: null });
    expect(made.models()[0]?.files).toHaveLength(2);
  });
});

describe("Ollama's store", () => {
  const store = () => at('.ollama', 'models');
  const put = (manifest: string, ...layers: [string, Uint8Array | null][]) =>
    putOllamaModel(store(), { manifest, layers });

  it("gives models by Ollama's names, each file once", async () => {
    const qwen = gguf('qwen');
    const projector = testProjector();
    await put('registry.ollama.ai/library/qwen3/latest', ['model', qwen]);
    await put('registry.ollama.ai/library/qwen3/4b', ['model', qwen], ['params', gguf('p')]);
    await put('registry.ollama.ai/some/one/v1', ['model', gguf('b')], ['projector', projector]);
    await put('hf.co/owner/name/Q4_K_M', ['model; x=y', gguf('c')]);
    await put('registry.ollama.ai/library/remote/cloud', ['license', gguf('d')]);
    const made = await open({ ollama: [store(), at('nowhere')] });
    expect(listed(made)).toEqual([
      ['hf.co/owner/name:Q4_K_M', 'ollama'],
      ['qwen3:4b', 'ollama'],
      ['some/one:v1', 'ollama'],
    ]);
    expect(made.find('qwen3:latest')?.id).toBe('qwen3:4b');
    expect(made.find('some/one:v1')?.projector).toMatch(/blobs.sha256-/);
    expect(made.find('qwen3:4b')?.projector).toBeNull();
  });

  it('says what is wrong with one', async () => {
    const good = gguf('a');
    await put('registry.ollama.ai/library/gone/1b', ['model', null]);
    await put('registry.ollama.ai/library/lora/1b', ['model', good], ['adapter', gguf('b')]);
    await put('registry.ollama.ai/library/many/1b', ['model', gguf('c')], ['model', gguf('d')]);
    await put('registry.ollama.ai/library/text/1b', ['model', Buffer.from('Dear diary')]);
    await put('registry.ollama.ai/library/evil/1b');
    const evil = {
      layers: [{ mediaType: 'application/vnd.ollama.image.model', digest: '../../x' }],
    };
    const manifests = path.join(store(), 'manifests', 'registry.ollama.ai', 'library');
    await writeFile(path.join(manifests, 'evil', '1b'), JSON.stringify(evil));
    await putFile(path.join(manifests, 'torn', '1b'), '{"layers": [');
    const made = await open({ ollama: [store()] });
    const reasons = made.models().map(({ id, invalidReason }) => [id, invalidReason]);
    expect(Object.fromEntries(reasons)).toEqual({
      'evil:1b':
        "The weights of evil:1b are missing in Ollama's store: fetch it again with Ollama.",
      'gone:1b':
        "The weights of gone:1b are missing in Ollama's store: fetch it again with Ollama.",
      'lora:1b': 'lora:1b is a model with an adapter, which only Ollama puts together.',
      'many:1b': 'many:1b is in several files, which only Ollama puts together.',
      'text:1b': 'text:1b is not a GGUF file.',
      'torn:1b': "Ollama's entry of torn:1b is damaged: fetch it again with Ollama.",
    });
  });
});

it.runIf(hasLinks)(
  "a file that is in several places counts once, as the person's own",
  async () => {
    const hub = at('hub');
    const files = { 'a.gguf': gguf('a') };
    await putHubRevision(hub, { repo: 'o/n', revision: 'r', files });
    const foreign = { hugging_face: [hub] };
    const made = await open(foreign);
    expect(listed(made)).toEqual([['hf.co/o/n/a', 'hugging_face']]);
    await symlink(made.models()[0]?.path ?? '', at('own', 'mine.gguf'));
    await made.refresh();
    expect(listed(made)).toEqual([['mine', 'models_dir']]);
    expect(made.find('hf.co/o/n/a')?.id).toBe('mine');
    await unlink(at('own', 'mine.gguf'));
    await made.refresh();
    expect(listed(made)).toEqual([['hf.co/o/n/a', 'hugging_face']]);
  },
);

it('names are those inside, of files where several have one, and of places where those are the same', async () => {
  const lmStudio = at('lms');
  for (const [file, name] of [
    ['a/r/x-Q4_0.gguf', 'X'],
    ['a/r/x-Q8_0.gguf', 'X'],
    ['a/r/y.gguf', 'Y'],
    ['a/r/nameless.gguf', ''],
    ['b/r/x-Q8_0.gguf', 'X'],
  ] as const) {
    await putFile(path.join(lmStudio, file), gguf(name));
  }
  const made = await open({ lm_studio: [lmStudio] });
  expect(Object.fromEntries(made.models().map(({ id, name }) => [id, name]))).toEqual({
    'lmstudio/a/r/x-Q4_0': 'x-Q4_0',
    'lmstudio/a/r/x-Q8_0': 'lmstudio/a/r/x-Q8_0',
    'lmstudio/a/r/y': 'Y',
    'lmstudio/a/r/nameless': 'nameless',
    'lmstudio/b/r/x-Q8_0': 'lmstudio/b/r/x-Q8_0',
  });
});

it.runIf(hasLinks)('what other programs fetch and delete is seen by itself', async () => {
  const [hub, store] = [at('hub'), at('ollama')];
  await putOllamaModel(store, {
    manifest: 'registry.ollama.ai/library/a/1b',
    layers: [['model', gguf('a')]],
  });
  const first = { 'a-Q4_K_M.gguf': gguf('q4') };
  await putHubRevision(hub, { repo: 'o/n', revision: 'r', files: first });
  const made = await open({ hugging_face: [hub], ollama: [store] });
  const until = (wanted: readonly string[]) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (
          made
            .models()
            .map(({ id }) => id)
            .join() === wanted.join()
        )
          resolve();
      };
      made.onChange(look);
      look();
    });
  await until(['a:1b', 'hf.co/o/n/a-Q4_K_M']);
  const more = { 'a-Q8_0.gguf': gguf('q8') };
  await putHubRevision(hub, { repo: 'o/n', revision: 'r', files: more });
  await putHubRevision(hub, { repo: 'o/new', revision: 'r', files: { 'b.gguf': gguf('b') } });
  await putOllamaModel(store, {
    manifest: 'registry.ollama.ai/library/a/2b',
    layers: [['model', gguf('2b')]],
  });
  await until(['a:1b', 'a:2b', 'hf.co/o/n/a-Q4_K_M', 'hf.co/o/n/a-Q8_0', 'hf.co/o/new/b']);
  await rm(path.join(store, 'manifests', 'registry.ollama.ai', 'library', 'a', '1b'));
  await rm(path.join(hub, 'models--o--n'), { recursive: true });
  await until(['a:2b', 'hf.co/o/new/b']);
});
