import { expect, test } from 'vitest';
import { isSameTree, npmEnvironment } from './npm.mjs';

const ENTRY = { version: '1.0.0', integrity: 'sha512-a' };
const OTHER_SYSTEM = process.platform === 'win32' ? 'linux' : 'win32';
const LOCK = {
  packages: {
    '': { name: 'pilotlight' },
    'node_modules/a': ENTRY,
    'node_modules/foreign': { ...ENTRY, optional: true, os: [OTHER_SYSTEM] },
    'node_modules/of-foreign': { ...ENTRY, optional: true },
  },
};

test('an install without the packages of other systems is complete', () => {
  expect(isSameTree(LOCK, { packages: { 'node_modules/a': ENTRY } })).toBe(true);
});

test.each([
  ['nothing was installed', null],
  ['a package is missing', { packages: {} }],
  [
    'a package has another version',
    { packages: { 'node_modules/a': { ...ENTRY, version: '1.0.1' } } },
  ],
  [
    'a package has another content',
    { packages: { 'node_modules/a': { ...ENTRY, integrity: 'sha512-b' } } },
  ],
  ['there is one too many', { packages: { 'node_modules/a': ENTRY, 'node_modules/b': ENTRY } }],
])('an install is not taken over where %s', (_, installed) => {
  expect(isSameTree(LOCK, installed)).toBe(false);
});

test('an optional package for this very system must be there', () => {
  const native = { ...ENTRY, optional: true, os: [process.platform] };
  const lock = { packages: { 'node_modules/native': native } };
  expect(isSameTree(lock, { packages: {} })).toBe(false);
});

test('npm is given what the person configured, and nothing of the npm run around us', () => {
  const env = npmEnvironment({
    PATH: '/bin',
    HTTPS_PROXY: 'http://proxy:3128',
    npm_config_cafile: '/etc/ca.pem',
    npm_config_local_prefix: '/elsewhere',
    npm_config_omit: 'dev',
    npm_lifecycle_event: 'start',
    npm_package_name: 'pilotlight',
  });
  expect(env).toEqual({
    PATH: '/bin',
    HTTPS_PROXY: 'http://proxy:3128',
    npm_config_cafile: '/etc/ca.pem',
    ELECTRON_SKIP_BINARY_DOWNLOAD: '1',
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
  });
});
