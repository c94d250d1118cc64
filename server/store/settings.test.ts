import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SETTING_DEFAULTS } from '../../protocol/settings.js';
import { Settings, SettingsError } from './settings.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'settings-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

const file = () => path.join(dataDir, 'settings.json');

describe('settings', () => {
  it('begin with nothing', async () => {
    const settings = await Settings.open(path.join(dataDir, 'not there yet'));
    expect(settings.currentModel).toBeNull();
    expect(settings.notices()).toEqual([]);
  });

  it('are there at the next start, in a folder made for them', async () => {
    const folder = path.join(dataDir, 'new', 'tést 模型');
    await (await Settings.open(folder)).setCurrentModel('模型');
    expect((await Settings.open(folder)).currentModel).toBe('模型');
    expect(await readdir(folder)).toEqual(['settings.json']);
  });

  it('keep what a newer version has written', async () => {
    await writeFile(file(), '{"currentModel": "a", "future": {"x": 1}}');
    await (await Settings.open(dataDir)).setCurrentModel('b');
    expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({
      currentModel: 'b',
      future: { x: 1 },
    });
  });

  it('end with the last of many changes', async () => {
    const settings = await Settings.open(dataDir);
    for (let i = 0; i < 20; i++) void settings.setCurrentModel(`model-${i}`);
    await settings.written();
    expect((await Settings.open(dataDir)).currentModel).toBe('model-19');
  });
});

describe('what another process writes', () => {
  const upstream = (id: string) => ({ id, name: id, url: 'http://a', models: null, enabled: true });
  it('is taken over', async () => {
    const settings = await Settings.open(dataDir);
    settings.watch();
    try {
      let isTold = false;
      settings.onChange(() => {
        isTold = true;
      });
      const other = await Settings.open(dataDir);
      // What is written before the first look is no change.
      for (let i = 0; !isTold; i++) {
        await other.setUpstreams([upstream(`a${i}`)]);
        await wait(100);
      }
      expect(settings.upstreams).toEqual([upstream(expect.any(String))]);
    } finally {
      settings.close();
    }
  });

  it('is not, where it makes no sense', async () => {
    const settings = await Settings.open(dataDir);
    await settings.setUpstreams([upstream('a')]);
    settings.watch();
    try {
      await writeFile(file(), 'no { json');
      await settings.change({ idle_ttl: 5 });
      expect(settings.upstreams).toEqual([upstream('a')]);
    } finally {
      settings.close();
    }
  });
});

describe('a damaged file', () => {
  it.each(['', '{"currentModel": "a', '[]', '\0\0\0', '"x"'])(
    'is kept aside and told of: %j',
    async (text) => {
      await writeFile(file(), text);
      const settings = await Settings.open(dataDir);
      expect(settings.currentModel).toBeNull();
      expect(settings.notices()).toHaveLength(1);
      const [kept = ''] = await readdir(dataDir);
      expect(kept).toMatch(/^settings\.damaged-.*\.json$/);
      expect(settings.notices()[0]).toContain(kept);
      expect(await readFile(path.join(dataDir, kept), 'utf8')).toBe(text);
      await settings.setCurrentModel('a');
      expect((await Settings.open(dataDir)).currentModel).toBe('a');
    },
  );
});

describe('a folder that cannot be used', () => {
  it('is a notice, and the value holds for this run', async () => {
    await mkdir(file());
    const settings = await Settings.open(dataDir);
    expect(settings.notices()).toHaveLength(1);
    await settings.setCurrentModel('a');
    expect(settings.currentModel).toBe('a');
    expect(settings.notices()).toContainEqual(expect.stringContaining('cannot be saved'));
    // Not a trace of the try is left.
    expect(await readdir(dataDir)).toEqual(['settings.json']);
  });
});

describe('changes', () => {
  it('hold at once, for all who listen, and at the next start', async () => {
    const settings = await Settings.open(dataDir);
    let told = 0;
    settings.onChange(() => {
      told += 1;
    });
    await settings.change({ idle_ttl: 60, folders: ['/a'] });
    await settings.change({ folders: undefined, memory_budget_bytes: 5 });
    await settings.setModelSettings('a', { pinned: true, ttl: 5 });
    await settings.setModelSettings('a', { ttl: undefined, parallel: 2 });
    await settings.setModelSettings('b', { pinned: true });
    await settings.setModelSettings('b', null);
    await settings.setUpstreams([
      { id: 'u', name: 'x', url: 'http://h:1', models: null, enabled: true },
    ]);
    expect(told).toBe(7);
    for (const each of [settings, await Settings.open(dataDir)]) {
      expect(each.values).toMatchObject({ idle_ttl: 60, folders: ['/a'], memory_budget_bytes: 5 });
      expect([...each.allModelSettings]).toEqual([['a', { pinned: true, parallel: 2 }]]);
      expect(each.modelSettings('b')).toEqual({});
      expect(each.upstreams.map(({ id }) => id)).toEqual(['u']);
    }
  });

  it('leave damaged and newer values of others in the file', async () => {
    const before = { idle_ttl: 'x', future: 1, models: { a: { future: 2, ttl: -1 } } };
    await writeFile(file(), JSON.stringify(before));
    const settings = await Settings.open(dataDir);
    expect(settings.notices()).toEqual([expect.stringContaining('"idle_ttl"')]);
    expect(settings.notices()[0]).toContain('"models.a.ttl"');
    await settings.setModelSettings('a', { pinned: true });
    expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({
      ...before,
      models: { a: { future: 2, ttl: -1, pinned: true } },
    });
    await settings.setModelSettings('a', { ttl: 1 });
    await settings.change({ idle_ttl: null });
    expect(settings.notices()).toEqual([]);
  });

  it('of two servers on one folder are both kept', async () => {
    const [one, other] = [await Settings.open(dataDir), await Settings.open(dataDir)];
    one.noteUse('a');
    await one.change({ idle_ttl: 1 });
    other.noteUse('b');
    await other.setModelSettings('a', { pinned: true });
    await one.written();
    await other.written();
    const after = await Settings.open(dataDir);
    expect(after.values.idle_ttl).toBe(1);
    expect(after.modelSettings('a')).toEqual({ pinned: true });
    expect(after.lastUsed('a')).not.toBeNull();
    expect(after.lastUsed('b')).not.toBeNull();
    expect(after.lastUsed('c')).toBeNull();
  });

  it('that cannot be written do not hold, and say so', async () => {
    await mkdir(file());
    const settings = await Settings.open(dataDir);
    settings.onChange(() => expect.unreachable());
    await expect(settings.change({ idle_ttl: 1 })).rejects.toThrow(SettingsError);
    expect(settings.values.idle_ttl).toBe(SETTING_DEFAULTS.idle_ttl);
    await rm(file(), { recursive: true });
    // What was remembered meanwhile is written with the next change.
    await mkdir(file());
    await settings.setCurrentModel('a');
    settings.noteUse('a');
    await settings.written();
    await rm(file(), { recursive: true });
    await settings.setCurrentModel('b');
    expect(settings.notices()).toEqual([expect.stringContaining('cannot be read')]);
    const after = await Settings.open(dataDir);
    expect(after.currentModel).toBe('b');
    expect(after.lastUsed('a')).not.toBeNull();
  });
});
