import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultDataDir, modelsDirOf, programDir, programVersion } from './paths.js';

describe('the data folder', () => {
  it.each<[NodeJS.Platform, NodeJS.ProcessEnv, string, string]>([
    ['linux', {}, '/home/me', '/home/me/.local/share/pilotlight'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/home/me', '/data/pilotlight'],
    ['linux', { XDG_DATA_HOME: 'relative' }, '/home/me', '/home/me/.local/share/pilotlight'],
    ['linux', { XDG_DATA_HOME: '' }, '/home/me', '/home/me/.local/share/pilotlight'],
    ['darwin', {}, '/Users/me', '/Users/me/Library/Application Support/Pilotlight'],
    ['win32', { APPDATA: 'C:\\R' }, 'C:\\Users\\me', 'C:\\R\\Pilotlight'],
    ['win32', {}, 'C:\\Users\\me', 'C:\\Users\\me\\AppData\\Roaming\\Pilotlight'],
  ])('on %s with %j', (platform, env, home, expected) => {
    expect(defaultDataDir(platform, env, home)).toBe(expected);
  });

  it('holds the models', () => {
    expect(modelsDirOf('/d')).toBe(path.join('/d', 'models'));
  });
});

it('finds the program itself', () => {
  const root = path.resolve(import.meta.dirname, '..');
  expect(programDir()).toBe(root);
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  expect(programVersion()).toBe(version);
});
