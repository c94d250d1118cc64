// What the person sets about upstreams, and what of them is offered.
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelListSchema } from '../../protocol/models.js';
import {
  contentOf,
  failure,
  putCurrentModel,
  type TestServer,
  testServers,
  user,
} from '../test-server.js';
import { json, testRogues } from './test-rogue.js';
import { addUpstream, checkUpstream, listUpstreams } from './test-upstreams.js';

const start = testServers();
const rogueOf = testRogues();

const at = (test: TestServer, place = '') => `${test.server.url}/pilotlight/upstreams${place}`;

const send = (method: string, url: string, body: unknown, headers = {}) =>
  fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function modelsOf(test: TestServer) {
  const { data } = modelListSchema.parse(
    await (await fetch(`${test.server.url}/v1/models`)).json(),
  );
  return data;
}
const idsOf = async (test: TestServer) => (await modelsOf(test)).map(({ id }) => id);

const put = { name: 'box', url: 'http://127.0.0.1:1/v1', models: null, enabled: true };

describe('upstreams', () => {
  it('are refused in words where they cannot be', async () => {
    const test = await start();
    for (const [more, param] of [
      [{ url: 'box' }, 'url'],
      [{ url: 'ftp://box' }, 'url'],
      [{ url: 'http://me:pass@box' }, 'url'],
      [{ url: 'http://box/v1?x=1' }, 'url'],
      [{ name: '' }, 'name'],
      [{ name: '  ' }, 'name'],
      [{ name: 'a\u001b[31m' }, 'name'],
      [{ name: 'a\ud800' }, 'name'],
      [{ models: [''] }, 'models'],
      [{ models: ['a', 'b\n'] }, 'models'],
      [{ key: '' }, 'key'],
      [{ key: ' \n' }, 'key'],
      [{ key: 'sk-\n1' }, 'key'],
      [{ key: 'sk-é' }, 'key'],
      [{ more: 1 }, 'more'],
    ] as const) {
      const told = await failure(await send('POST', at(test), { ...put, ...more }));
      expect([more, told.status, told.param?.split('[')[0]]).toEqual([more, 400, param]);
    }
    expect(await listUpstreams(test)).toEqual([]);
    for (const [method, place] of [
      ['PUT', '/nobody'],
      ['DELETE', '/nobody'],
      ['POST', '/nobody/check'],
    ] as const) {
      const told = await failure(await send(method, at(test, place), put));
      expect([place, told.status]).toEqual([place, 404]);
    }
  });

  it('are nothing for other machines and pages', async () => {
    const test = await start({ config: { allowedOrigins: ['https://page.example'] } });
    for (const headers of [
      { 'x-forwarded-for': '10.0.0.1' },
      { origin: 'https://page.example' },
    ] as const) {
      expect((await fetch(at(test), { headers })).status).toBe(403);
      expect((await send('POST', at(test), put, headers)).status).toBe(403);
    }
  });

  it('are kept with their keys apart, readable by nobody else', async () => {
    const rogue = await rogueOf(['a', 'b']);
    const before = await start();
    await addUpstream(before, { url: `${rogue.url}/v1/`, name: 'box', key: 'sk-secret' });
    const settings = await readFile(path.join(before.dataDir, 'settings.json'), 'utf8');
    expect(settings).toContain(rogue.url);
    expect(settings).not.toContain('secret');
    const secrets = path.join(before.dataDir, 'secrets.json');
    expect(await readFile(secrets, 'utf8')).toContain('sk-secret');
    if (process.platform !== 'win32') expect((await stat(secrets)).mode & 0o077).toBe(0);
    await before.stop();

    // Its models are known at once, also while it is away.
    await rogue.close();
    const after = await start({ dataDir: before.dataDir });
    expect(await idsOf(after)).toEqual(['a', 'b']);
    const [known] = await listUpstreams(after);
    expect(known).toMatchObject({ name: 'box', has_key: true, offered: ['a', 'b'] });
    await fetch(at(after, `/${known?.id}`), { method: 'DELETE' });
    expect(await idsOf(after)).toEqual([]);
    expect(await readFile(secrets, 'utf8')).not.toContain('sk-secret');
  });

  it('whose key cannot be read are asked without it, and a notice says so', async () => {
    const rogue = await rogueOf(['a']);
    const before = await start();
    await addUpstream(before, { url: rogue.url, name: 'box', key: 'sk-secret' });
    await before.stop();
    await writeFile(path.join(before.dataDir, 'secrets.json'), '{"damaged"');
    const after = await start({ dataDir: before.dataDir });
    const { notices } = await after.until((state) => state.notices.length > 0);
    expect(notices[0]).toContain('The key of the upstream "box" cannot be read');
    const [{ id } = { id: '' }] = await listUpstreams(after);
    expect(await checkUpstream(after, id)).toMatchObject({ health: 'healthy', has_key: false });
    expect(rogue.checks.at(-1)).not.toHaveProperty('authorization');
  });

  it('are asked with the key that is set, for checks too, and never with one for elsewhere', async () => {
    const test = await start();
    const [rogue, other] = [await rogueOf(), await rogueOf()];
    const { id } = await addUpstream(test, { url: rogue.url, key: ' k1\n' });
    expect(rogue.checks.at(-1)?.authorization).toBe('Bearer k1');
    const body = { name: 'other', url: rogue.url, models: null, enabled: true };
    expect(
      await (await send('PUT', at(test, `/${id}`), { ...body, name: 'new' })).json(),
    ).toMatchObject({
      name: 'new',
      has_key: true,
    });
    const moved = await failure(await send('PUT', at(test, `/${id}`), { ...body, url: other.url }));
    expect(moved).toMatchObject({ status: 400, param: 'key' });
    await send('PUT', at(test, `/${id}`), { ...body, url: other.url, key: null });
    expect(await checkUpstream(test, id)).toMatchObject({ health: 'healthy', has_key: false });
    expect(other.checks.map(({ authorization }) => authorization)).not.toContain('Bearer k1');
  });

  it('say in words what is wrong with them', async () => {
    const test = await start();
    const rogue = await rogueOf();
    const { id } = await addUpstream(test, { url: rogue.url });
    for (const [status, headers, words] of [
      [401, {}, 'asks for a key'],
      [301, { location: 'https://elsewhere.example/v1' }, 'to https://elsewhere.example/v1'],
      [404, {}, 'no list of models'],
      [500, {}, 'status 500'],
      [200, {}, 'not with a list'],
    ] as const) {
      rogue.list = (_req, res) => json(res, status, {}, headers);
      const { health, reason } = await checkUpstream(test, id);
      expect([status, health]).toEqual([status, 'unhealthy']);
      expect(reason).toContain(words);
    }
    rogue.list = (_req, res) => json(res, 429, {});
    expect(await checkUpstream(test, id)).toMatchObject({ health: 'healthy', reason: null });
  });

  it('need no list where their models are named, and no /v1 where they have none', async () => {
    const test = await start();
    const rogue = await rogueOf();
    rogue.list = (req, res) =>
      req.url === '/paas/v4/models' ? json(res, 200, { data: [{ id: 'x' }] }) : json(res, 404, {});
    await addUpstream(test, { url: `${rogue.url}/paas/v4`, name: 'bare' });
    await test.chat({ model: 'x', messages: [] });
    expect(rogue.asked.map((asked) => asked.path)).toEqual(['/paas/v4/chat/completions']);
    const named = await addUpstream(test, { url: rogue.url, name: 'named', models: ['y'] });
    expect(named).toMatchObject({ health: 'healthy', offered: ['y'] });
  });

  it('offer what is named, and nothing while they are switched off', async () => {
    const test = await start();
    const rogue = await rogueOf(['a', 'b', 'c']);
    const { id } = await addUpstream(test, { url: rogue.url, models: ['c', 'a'] });
    expect(await idsOf(test)).toEqual(['c', 'a']);
    const off = { name: 'other', url: rogue.url, models: null, enabled: false };
    await send('PUT', at(test, `/${id}`), off);
    expect(await idsOf(test)).toEqual([]);
    expect((await send('POST', at(test, `/${id}/check`), {})).status).toBe(409);
    expect(await failure(await test.chat({ model: 'a', messages: [user('Hi.')] }))).toMatchObject({
      status: 404,
    });
  });
});

describe('beside the models of this machine', () => {
  it('an upstream has its own by its name', async () => {
    const far = await start({ models: ['scripted', 'embed'] });
    const near = await start({ models: ['scripted'] });
    await addUpstream(near, { url: far.server.url, name: 'far' });
    const models = await modelsOf(near);
    expect(models.map(({ id, source, kind }) => [id, source, kind])).toEqual([
      ['scripted', 'models_dir', 'generative'],
      ['embed', 'upstream', 'embedding'],
      ['far/scripted', 'upstream', 'generative'],
    ]);
    const here = await near.chat({ model: 'scripted', messages: [user('Hi.')] });
    expect(here.headers.get('x-pilotlight-upstream')).toBeNull();
    const there = await near.chat({ model: 'far/scripted', messages: [user('Hi.')] });
    expect(there.headers.get('x-pilotlight-upstream')).toBe('far');
    const [a, b] = [JSON.parse(await here.text()), JSON.parse(await there.text())];
    expect(contentOf(b)).toBe(contentOf(a));
    expect(await near.client.models.retrieve('far/scripted')).toMatchObject({ owned_by: 'far' });
    const { data } = await near.client.embeddings.create({ model: 'embed', input: ['a', 'b'] });
    expect(data).toHaveLength(2);
    const tags = (await (await fetch(`${near.server.url}/api/tags`)).json()) as {
      models: { name: string }[];
    };
    expect(tags.models.map(({ name }) => name)).toContain('far/scripted');
  });

  it('one of an upstream can be the current one, and stays it over a restart', async () => {
    const rogue = await rogueOf(['m']);
    rogue.answer = (_req, res) => json(res, 200, {});
    const test = await start({ models: ['scripted'], config: { model: null } });
    await addUpstream(test, { url: rogue.url });
    expect((await putCurrentModel(test, { model: 'm' })).status).toBe(200);
    await test.chat({ messages: [user('Hi.')] });
    await test.post('/api/chat', { model: '', messages: [] });
    expect(rogue.asked.map(({ body }) => body)).toEqual([
      '{"model":"m","messages":[{"role":"user","content":"Hi."}]}',
      '{"model":"m","messages":[]}',
    ]);
    expect(await (await fetch(`${test.server.url}/health`)).json()).toMatchObject({
      model: 'm',
      model_status: 'loaded',
    });
    await test.stop();
    await rogue.close();
    const again = await start({ dataDir: test.dataDir, config: { model: null } });
    expect(again.server.state.now().current_model).toBe('m');
    const [{ id } = { id: '' }] = await listUpstreams(again);
    await fetch(at(again, `/${id}`), { method: 'DELETE' });
    expect(again.server.state.now().current_model).toBe('scripted');
  });
});

it('the inspector and the totals tell of passed requests as of all', async () => {
  const test = await start({ config: { windowKey: 'w' } });
  const rogue = await rogueOf(['m']);
  await addUpstream(test, { url: rogue.url });
  const owner = { authorization: 'Bearer w' };
  const inspector = `${test.server.url}/pilotlight/inspector`;
  const state = async () => (await fetch(inspector, { headers: owner })).json();
  await send('PUT', `${inspector}/switch`, { enabled: true, keep: 5 }, owner);
  let go: () => void = () => {};
  rogue.answer = (_req, res) => {
    go = () => json(res, 200, { usage: { prompt_tokens: 7, completion_tokens: 5 } });
  };
  const asked = test.chat({ model: 'm', messages: [user('Hi.')] });
  await test.until(({ running }) => running === 1);
  expect(await state()).toMatchObject({ live: [{ model: 'm', stage: 'running' }] });
  // It is under way to the other one.
  while (rogue.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  go();
  await (await asked).text();
  expect(await state()).toMatchObject({
    live: [],
    kept: [{ model: 'm', status: 200, prompt_tokens: 7, output_tokens: 5 }],
  });
  const usage = await (await fetch(`${test.server.url}/v1/usage?group_by=model`)).json();
  expect(usage).toMatchObject({
    total: { requests: 1, prompt_tokens: 7, output_tokens: 5 },
  });
});

describe('going round', () => {
  it('is refused where an upstream is the server itself', async () => {
    const test = await start();
    const itself = await addUpstream(test, { url: test.server.url, name: 'me', models: ['m'] });
    expect(itself).toMatchObject({
      health: 'unhealthy',
      reason: 'It is this server itself, or leads back to it.',
    });
    const told = await failure(await test.chat({ model: 'm', messages: [user('Hi.')] }));
    expect(told).toMatchObject({ status: 421, code: 'upstream_loop' });
  });

  it('is refused where two have each other, whose models are their own', async () => {
    const [a, b] = [await start({ models: ['scripted'] }), await start()];
    await addUpstream(b, { url: a.server.url, name: 'a' });
    await addUpstream(a, { url: b.server.url, name: 'b' });
    expect(await idsOf(a)).toEqual(['scripted']);
    expect(await idsOf(b)).toEqual(['scripted']);
    await addUpstream(a, { url: b.server.url, name: 'b2', models: ['x'] });
    await addUpstream(b, { url: a.server.url, name: 'a2', models: ['x'] });
    const told = await failure(await a.chat({ model: 'x', messages: [user('Hi.')] }));
    expect(told).toMatchObject({ status: 421, code: 'upstream_loop' });
    await a.idle();
    await b.idle();
  });

  it('is refused after many servers', async () => {
    const test = await start({ models: ['scripted'] });
    const hops = Array.from({ length: 8 }, (_, i) => `h${i}`).join();
    const answer = await fetch(`${test.server.url}/v1/models`, {
      headers: { 'x-pilotlight-hops': hops },
    });
    expect(await failure(answer)).toMatchObject({ status: 421, code: 'upstream_loop' });
  });
});
