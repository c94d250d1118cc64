import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { feedUrl, fileUrl } from './feed.js';
import { isInstallable, packageKind } from './package-kind.js';

let folder: string;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilotlight feed '));
});

afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

describe('feedUrl', () => {
  const config = (text: string) => {
    const file = path.join(folder, 'app-update.yml');
    fs.writeFileSync(file, text);
    return file;
  };

  it('is that of the package, and that of the environment before it', () => {
    const file = config('{"provider":"generic","url":"https://example.org/updates"}');
    expect(feedUrl({}, file)).toBe('https://example.org/updates');
    const env = { PILOTLIGHT_UPDATES_URL: 'http://127.0.0.1:8080/' };
    expect(feedUrl(env, file)).toBe('http://127.0.0.1:8080/');
  });

  it.each(['', '{}', '{"url":7}', 'null', '{"url":"http://example.org"}', '{"url":"file:///a"}'])(
    'is none for %j',
    (text) => {
      expect(feedUrl({}, config(text))).toBeNull();
      expect(feedUrl({}, path.join(folder, 'missing'))).toBeNull();
    },
  );
});

it.each([
  ['https://example.org/a', 'b.deb', 'https://example.org/a/b.deb'],
  ['https://example.org/a/', '../b.deb', 'https://example.org/b.deb'],
  ['https://example.org/', 'javascript:alert(1)', null],
  ['https://example.org/', 'http://elsewhere.example/b.deb', null],
])('fileUrl(%s, %s)', (feed, file, expected) => {
  expect(fileUrl(feed, file)).toBe(expected);
});

describe('packageKind', () => {
  it('is what the app was installed as', () => {
    expect(packageKind('darwin', {}, folder)).toBe('dmg');
    expect(packageKind('win32', {}, folder)).toBe('nsis');
    expect(packageKind('linux', { APPIMAGE: '/a' }, folder)).toBe('appimage');
    expect(packageKind('linux', {}, folder)).toBe('archive');
    fs.writeFileSync(path.join(folder, 'package-type'), 'deb\n');
    expect(packageKind('linux', {}, folder)).toBe('deb');
  });

  it('a Debian package replaces itself only where a password can be asked for', () => {
    expect(isInstallable('deb', { PATH: folder })).toBe(false);
    fs.writeFileSync(path.join(folder, 'pkexec'), '');
    expect(isInstallable('deb', { PATH: `relative:${folder}` })).toBe(true);
    expect(isInstallable('archive', { PATH: folder })).toBe(false);
    expect(isInstallable('nsis', {})).toBe(true);
  });
});
