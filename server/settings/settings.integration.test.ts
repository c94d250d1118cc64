// Settings of the server and of models over the API, and what holds from then on.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ModelDetails, modelDetailsSchema, modelListSchema } from '../../protocol/models.js';
import { PREFERENCE_DEFAULTS } from '../../protocol/preferences.js';
import {
  aboutSchema,
  modelSettingsSchema,
  SETTING_DEFAULTS,
  settingsSchema,
} from '../../protocol/settings.js';
import { testGguf } from '../library/test-gguf.js';
import { putFile, putOllamaModel } from '../library/test-stores.js';
import { readStored } from '../store/stored-settings.js';
import { contentOf, failure, type TestServer, testServers, user } from '../test-server.js';

const start = testServers();

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'settings tést '));
  for (const name of [
    'HF_HOME',
    'HF_HUB_CACHE',
    'LLAMA_CACHE',
    'OLLAMA_MODELS',
    'XDG_CACHE_HOME',
  ]) {
    vi.stubEnv(name, '');
  }
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

function send(test: TestServer, method: string, route: string, body?: unknown): Promise<Response> {
  return fetch(test.server.url + route, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
}

const change = (test: TestServer, patch: unknown) =>
  send(test, 'PATCH', '/pilotlight/settings', patch);

const settingsOf = async (test: TestServer) =>
  settingsSchema.parse(await (await send(test, 'GET', '/pilotlight/settings')).json());

const setModel = (test: TestServer, id: string, settings: unknown) =>
  send(test, 'PUT', `/pilotlight/models/${id}/settings`, settings);

async function ids(test: TestServer): Promise<string[]> {
  const response = await fetch(`${test.server.url}/v1/models`);
  return modelListSchema.parse(await response.json()).data.map(({ id }) => id);
}

describe('settings', () => {
  it('are changed one by one, hold at once and at the next start', async () => {
    const test = await start({ models: [] });
    expect((await settingsOf(test)).idle_ttl).toBe(SETTING_DEFAULTS.idle_ttl);
    const answer = await change(test, { idle_ttl: 60, rpc_hosts: ['10.0.0.1:50052'] });
    expect(answer.status).toBe(200);
    expect(settingsSchema.parse(await answer.json())).toEqual(await settingsOf(test));
    await test.stop();
    const again = await start({ models: [], dataDir: test.dataDir });
    expect(await settingsOf(again)).toMatchObject({
      idle_ttl: 60,
      rpc_hosts: ['10.0.0.1:50052'],
      models_dir: null,
    });
  });

  it.each<[unknown, string | null, RegExp]>([
    [{ idle_ttl: -1 }, 'idle_ttl', /^idle_ttl must be a whole number of seconds/],
    [{ folders: 'x' }, 'folders', /^folders must be a list of at most 100 absolute paths/],
    [{ folders: ['models'] }, 'folders[0]', /"models" is no absolute path, such as /],
    [{ models_dir: '/nowhere/at/all' }, 'models_dir', /There is no folder "\/nowhere\/at\/all"/],
    [{ models_dir: `${os.tmpdir()}\0x` }, 'models_dir', /no absolute path/],
    [{ folders: [import.meta.filename] }, 'folders[0]', /is a file, and no folder/],
    [{ folders: [os.tmpdir(), os.tmpdir()] }, 'folders', /twice/],
    [{ sources: { ollama: true } }, 'sources', /^sources must be an object of/],
    [{ hub_endpoint: 'ftp://x' }, 'hub_endpoint', /^hub_endpoint must be a URL/],
    [{ rpc_hosts: ['10.0.0.1:1', '203.0.113.7:1'] }, 'rpc_hosts[1]', /7 is not a private address/],
    [{ preferences: { theme: 'x' } }, 'preferences.theme', /^preferences.theme must be one of/],
    [{ preferences: { x: 1 } }, 'preferences.x', /There is no parameter "preferences.x" here/],
    [{ color: 'red' }, 'color', /There is no parameter "color" here/],
    [[], null, /must be a JSON object/],
  ])('refuse %j', async (patch, param, message) => {
    const test = await start({ models: [] });
    const before = await settingsOf(test);
    const told = await failure(await change(test, patch));
    expect(told).toMatchObject({ status: 400, param });
    expect(told.message).toMatch(message);
    expect(await settingsOf(test)).toEqual(before);
  });

  it('of looks are changed one by one, and everybody who follows the state sees it', async () => {
    const test = await start({ models: [] });
    expect(test.server.state.now().preferences).toEqual(PREFERENCE_DEFAULTS);
    await change(test, { preferences: { theme: 'dark', text_size: 1.2 } });
    await change(test, { preferences: { language: 'ja' } });
    const wanted = { ...PREFERENCE_DEFAULTS, theme: 'dark', text_size: 1.2, language: 'ja' };
    expect((await settingsOf(test)).preferences).toEqual(wanted);
    await test.until(({ preferences }) => preferences.language === 'ja');
    expect(test.server.state.now().preferences).toEqual(wanted);
  });

  it('are in the folder that the server names', async () => {
    const test = await start({ models: [] });
    const about = aboutSchema.parse(await (await send(test, 'GET', '/pilotlight/about')).json());
    expect(about.data_dir).toBe(test.dataDir);
  });

  it('that cannot be saved say so, and do not hold', async () => {
    const test = await start({ models: [] });
    await mkdir(path.join(test.dataDir, 'settings.json'));
    const told = await failure(await change(test, { idle_ttl: 60 }));
    expect(told).toMatchObject({ status: 500, code: 'settings_not_saved' });
    expect((await settingsOf(test)).idle_ttl).toBe(SETTING_DEFAULTS.idle_ttl);
  });

  it('of folders hold for the library at once', async () => {
    const test = await start({ models: ['random'] });
    await putFile(path.join(folder, 'deep', 'er', 'extra.gguf'), testGguf());
    await change(test, { folders: [folder] });
    const id = `folder/${path.basename(folder)}/deep/er/extra`;
    expect(await ids(test)).toEqual([id, 'random'].sort());
    await change(test, { models_dir: folder, folders: [] });
    expect(await ids(test)).toEqual(['extra']);
    expect(test.server.state.now().models_dir).toBe(folder);
    await change(test, { models_dir: null });
    expect(await ids(test)).toEqual(['random']);
  });

  it('keep a folder that has gone, with a notice, while others are changed', async () => {
    const test = await start({ models: [] });
    const gone = path.join(folder, 'drive');
    await mkdir(gone);
    await change(test, { folders: [gone] });
    await rm(gone, { recursive: true });
    expect((await change(test, { folders: [gone, folder] })).status).toBe(200);
    expect(test.server.state.now().notices).toContain(`The folder ${gone} is not there.`);
    await putFile(path.join(gone, 'back.gguf'), testGguf());
    await test.until(({ models }) => models.some(({ name }) => name.endsWith('back')));
  });

  it('do not move a models folder that was named for this start', async () => {
    const test = await start({ models: [], config: { isModelsDirGiven: true } });
    const told = await failure(await change(test, { models_dir: folder }));
    expect(told).toMatchObject({ status: 409, param: 'models_dir', code: 'given_at_start' });
    expect((await change(test, { idle_ttl: 5 })).status).toBe(200);
  });

  it("switch other programs' models on and off", async () => {
    const home = path.join(folder, 'home');
    await putOllamaModel(path.join(home, '.ollama', 'models'), {
      manifest: 'registry.ollama.ai/library/tiny/1m',
      layers: [['model', testGguf({ metadata: { 'general.name': 'Tiny' } })]],
    });
    await putFile(path.join(home, '.lmstudio', 'models', 'a', 'b', 'c.gguf'), testGguf());
    const test = await start({ models: [], config: { homeDir: home } });
    expect(await ids(test)).toEqual(['lmstudio/a/b/c', 'tiny:1m']);
    const { sources } = await settingsOf(test);
    await change(test, { sources: { ...sources, lm_studio: false } });
    expect(await ids(test)).toEqual(['tiny:1m']);
    await test.stop();
    const own = await start({ models: [], config: { homeDir: home, foreignModels: false } });
    expect(await ids(own)).toEqual([]);
    await change(own, { sources: { ...sources, ollama: true } });
    expect(await ids(own)).toContain('tiny:1m');
  });
});

describe('settings of a model', () => {
  it('take the place of earlier ones, and stay when its file goes', async () => {
    const test = await start({ models: ['scripted'] });
    const route = '/pilotlight/models/scripted/settings';
    expect(await (await send(test, 'GET', route)).json()).toEqual({});
    const settings = { pinned: true, ttl: null, sampling: { temperature: 0.5 } };
    expect(await (await setModel(test, 'scripted', settings)).json()).toEqual(settings);
    expect(await (await setModel(test, 'scripted', { parallel: 2 })).json()).toEqual({
      parallel: 2,
    });
    const kept = JSON.parse(await readFile(path.join(test.dataDir, 'settings.json'), 'utf8'));
    expect(kept.models).toEqual({ scripted: { parallel: 2 } });
  });

  it('name it by aliases, which no other model can have', async () => {
    const test = await start({ models: ['scripted', 'random'] });
    expect((await setModel(test, 'scripted', { aliases: ['gpt-4o', 'x/y'] })).status).toBe(200);
    const messages = [user('Hi.')];
    for (const model of ['gpt-4o', 'x/y']) {
      const answer = await test.answer({ model, messages });
      expect(answer.model).toBe('scripted');
      expect(contentOf(answer)).not.toBe('');
    }
    expect((await fetch(`${test.server.url}/v1/models/gpt-4o`)).status).toBe(200);
    const entry = test.server.state.now().models.find(({ id }) => id === 'scripted');
    expect(entry?.aliases).toEqual(['gpt-4o', 'x/y']);
    const tries: [string[], number, RegExp][] = [
      [['GPT-4o'], 409, /is an alias of "scripted" already/],
      [['scripted'], 409, /is the id of another model/],
      [['a', 'a'], 400, /is there twice/],
      [[' a'], 400, /begins nor ends with a space/],
      [[''], 400, /^aliases must be/],
      [['a\u0000b'], 400, /no control characters/],
      [['a\ud800'], 400, /no control characters/],
    ];
    for (const [aliases, status, message] of tries) {
      const told = await failure(await setModel(test, 'random', { aliases }));
      expect([aliases, told.status]).toEqual([aliases, status]);
      expect(told.message).toMatch(message);
    }
    await setModel(test, 'scripted', {});
    expect((await setModel(test, 'random', { aliases: ['gpt-4o'] })).status).toBe(200);
    expect((await test.answer({ model: 'gpt-4o', messages })).model).toBe('random');
  });

  it('are refused with what they take', async () => {
    const test = await start({ models: ['scripted'] });
    const tries: [unknown, number, RegExp][] = [
      [{ parallel: 0 }, 400, /^parallel must be a whole number from 1 to 256; received 0/],
      [{ kv_type_k: 'q9' }, 400, /^kv_type_k must be one of "f32"/],
      [{ sampling: { temperature: 3 } }, 400, /^sampling.temperature must be a number from 0 to 2/],
      [{ draft_model: 'nobody' }, 404, /nobody/],
      [{ future: 1 }, 400, /There is no parameter "future"/],
    ];
    for (const [settings, status, message] of tries) {
      const told = await failure(await setModel(test, 'scripted', settings));
      expect([settings, told.status]).toEqual([settings, status]);
      expect(told.message).toMatch(message);
    }
    expect((await setModel(test, 'nobody', {})).status).toBe(404);
  });
});

describe('details of a model', () => {
  const detailsOf = async (test: TestServer, id: string): Promise<ModelDetails> => {
    const response = await send(test, 'GET', `/pilotlight/models/${id}`);
    return modelDetailsSchema.parse(await response.json());
  };

  it('are what its file says', async () => {
    const test = await start({ models: ['toolcall'] });
    const details = await detailsOf(test, 'toolcall');
    const file = path.join(test.modelsDir, 'toolcall.gguf');
    expect(details).toMatchObject({ id: 'toolcall', path: file, files: [file], projector: null });
    expect(details.chat_template).toContain('tools');
    expect(details.capabilities).toContain('tools');
    expect(details.metadata['general.architecture']).toBe(details.architecture);
    expect(details.metadata).not.toHaveProperty('tokenizer.chat_template');
  });

  it('of a bad file are its reason', async () => {
    const test = await start({ models: [] });
    await writeFile(path.join(test.modelsDir, 'bad.gguf'), 'Dear diary');
    await test.until(({ models }) => models.length === 1);
    const details = await detailsOf(test, 'bad');
    expect(details).toMatchObject({ status: 'invalid', metadata: {}, chat_template: null });
    expect(details.reason).toBe('bad.gguf is not a GGUF file.');
  });
});

it('any JSON is taken or refused in words, and never breaks what is set', async () => {
  const test = await start({ models: ['scripted'] });
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(0, -1, 1e300, '', 'x', '/nowhere', true, null, [], ['/nowhere'], ['a', 'b']),
    fc.record({ temperature: fc.jsonValue(), ollama: fc.jsonValue() }, { requiredKeys: [] }),
  );
  const keys = fc.constantFrom(
    ...[...Object.keys(settingsSchema.shape), ...Object.keys(modelSettingsSchema.shape)],
    ...['__proto__', 'constructor', 'future'],
  );
  const routes = fc.constantFrom<[string, string]>(
    ['PATCH', '/pilotlight/settings'],
    ['PUT', '/pilotlight/models/scripted/settings'],
  );
  await fc.assert(
    fc.asyncProperty(routes, fc.dictionary(keys, value, { maxKeys: 4 }), async (route, body) => {
      const answer = await send(test, ...route, body);
      if (answer.status === 200) await answer.text();
      else expect((await failure(answer)).status).toBeOneOf([400, 404, 409]);
      await settingsOf(test);
      const own = await send(test, 'GET', '/pilotlight/models/scripted/settings');
      modelSettingsSchema.parse(await own.json());
    }),
    { numRuns: 150 },
  );
  const kept = readStored(
    JSON.parse(await readFile(path.join(test.dataDir, 'settings.json'), 'utf8')),
    SETTING_DEFAULTS,
  );
  expect(kept.damaged).toEqual([]);
});
