import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { TestFeed, testUpdater } from '../updates/test-feed.js';
import { desktopEntry, makeDeb } from './deb.mjs';
import { updateListName, writeUpdateList } from './update-list.mjs';

const REPO = path.resolve(import.meta.dirname, '..', '..');
const config = parse(fs.readFileSync(path.join(REPO, 'electron-builder.yml'), 'utf8'));
const hasDpkg = spawnSync('dpkg-deb', ['--version']).status === 0;
let folder: string;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pilotlight packages '));
});

afterEach(() => {
  vi.unstubAllEnvs();
  fs.rmSync(folder, { recursive: true, force: true });
});

it('the desktop entry opens our links and has the name of our window', () => {
  const lines = desktopEntry(config, '/opt/Pilotlight/pilotlight').split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      '[Desktop Entry]',
      'Name=Pilotlight',
      'Exec=/opt/Pilotlight/pilotlight %U',
      'Icon=pilotlight',
      'MimeType=x-scheme-handler/pilotlight;',
      'StartupWMClass=Pilotlight',
    ]),
  );
});

it.skipIf(!hasDpkg)(
  'makes a Debian package of a folder, whose scripts set the sandbox',
  async () => {
    const unpacked = path.join(folder, 'unpacked');
    fs.mkdirSync(path.join(unpacked, 'resources'), { recursive: true });
    fs.writeFileSync(path.join(unpacked, 'pilotlight'), '#!/bin/sh\n', { mode: 0o755 });
    const file = await makeDeb({
      ...{ unpacked, output: folder, version: '1.2.3', arch: 'x64', config, level: 1 },
      description: 'A desktop app.',
      icons: path.join(REPO, 'resources', 'icon'),
      license: path.join(REPO, 'LICENSE'),
    });
    expect(path.basename(file)).toBe('pilotlight_1.2.3_amd64.deb');
    const show = (...args: string[]) => execFileSync('dpkg-deb', args, { encoding: 'utf8' });
    expect(show('--field', file, 'Package', 'Version', 'Architecture')).toBe(
      'Package: pilotlight\nVersion: 1.2.3\nArchitecture: amd64\n',
    );
    expect(show('--info', file, 'postinst')).toContain(
      "chmod 4755 '/opt/Pilotlight/chrome-sandbox'",
    );
    const listed = show('--contents', file);
    expect(listed).toMatch(/^-rwxr-xr-x root\/root .* \.\/opt\/Pilotlight\/pilotlight$/m);
    expect(listed).toMatch(/ \.\/opt\/Pilotlight\/resources\/package-type$/m);
    // Nothing of its making is left beside it.
    expect(fs.readdirSync(folder).sort()).toEqual(['pilotlight_1.2.3_amd64.deb', 'unpacked']);
  },
);

it('writes a list that electron-updater finds its own file in', async () => {
  vi.stubEnv('TEST_UPDATER_ARCH', 'x64');
  const feed = await new TestFeed().open();
  try {
    const out = path.join(folder, 'out');
    fs.mkdirSync(out);
    const names = ['pilotlight_1.2.3_amd64.deb', 'pilotlight-1.2.3-linux-x64.tar.gz'];
    for (const name of [...names, 'pilotlight_1.2.2_amd64.deb', 'notes.txt']) {
      fs.writeFileSync(path.join(out, name), `content of ${name}`);
      feed.answers.set(`/${name}`, `content of ${name}`);
    }
    const list = await writeUpdateList(out, { version: '1.2.3', platform: 'linux', arch: 'x64' });
    feed.answers.set('/latest-linux.yml', fs.readFileSync(list));
    const updater = testUpdater('deb', true, '1.2.2', folder, feed.url);
    const found = await updater.checkForUpdates();
    expect(found?.updateInfo.files.map(({ url }) => url).sort()).toEqual([...names].sort());
    const [file = ''] = await updater.downloadUpdate();
    expect(fs.readFileSync(file, 'utf8')).toBe('content of pilotlight_1.2.3_amd64.deb');
  } finally {
    await feed.close();
  }
});

it('says that there is nothing to list', async () => {
  const options = { version: '1.2.3', platform: 'linux', arch: 'x64' };
  await expect(writeUpdateList(folder, options)).rejects.toThrow('holds no package of version');
});

it.each([
  ['linux', 'x64', 'latest-linux.yml'],
  ['linux', 'arm64', 'latest-linux-arm64.yml'],
  ['darwin', 'arm64', 'latest-mac.yml'],
  ['win32', 'x64', 'latest.yml'],
])('the list of %s on %s is %s', (platform, arch, name) => {
  expect(updateListName(platform, arch)).toBe(name);
});
