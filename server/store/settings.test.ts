import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Settings } from './settings.js';

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

describe('a damaged file', () => {
  it.each(['', '{"currentModel": "a', '[]', '{"currentModel": 5}', '\0\0\0', '"x"'])(
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
