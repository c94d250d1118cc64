import { expect, test } from 'vitest';
import { missingNeeds, needsOf, packageNames, parseOsRelease } from './system-packages.mjs';

const BOOKWORM = { ID: 'debian', VERSION_ID: '12' };

function machine(programs: string[], debs: string[] | null, files: string[] = []) {
  return {
    hasProgram: async (name: string) => programs.includes(name),
    hasFile: async (file: string) => files.includes(file),
    debs: debs === null ? null : new Set(debs),
  };
}

async function toInstall(profile: Parameters<typeof needsOf>[0], on: ReturnType<typeof machine>) {
  return packageNames(await missingNeeds(needsOf(profile, 'linux'), on), BOOKWORM);
}

test('a bare machine gets a compiler, CMake, a build tool and git, and nothing for a window', async () => {
  expect(await toInstall('headless', machine([], []))).toEqual([
    'g++',
    'gcc',
    'cmake',
    'ninja-build',
    'git',
    'ca-certificates',
    'ccache',
  ]);
});

test('a program on PATH counts, whichever package it came from', async () => {
  const on = machine(
    ['clang++', 'clang', 'cmake', 'make', 'git'],
    [],
    ['/etc/ssl/certs/ca-certificates.crt'],
  );
  expect(await toInstall('headless', on)).toEqual(['ccache']);
});

test('the compiler cache is wanted but not needed', async () => {
  const missing = await missingNeeds(
    needsOf('headless', 'linux'),
    machine(['c++', 'cc', 'cmake', 'ninja', 'git'], []),
  );
  expect(missing.filter((need) => need.optional).map((need) => need.deb)).toEqual(['ccache']);
});

test('the window needs its libraries, installed under either name', async () => {
  const tools = ['c++', 'cc', 'cmake', 'ninja', 'git', 'ccache'];
  const files = ['/etc/ssl/certs/ca-certificates.crt'];
  expect(await toInstall('desktop', machine(tools, ['libnss3'], files))).toEqual([
    'libgtk-3-0',
    'libasound2',
    'libgbm1',
  ]);
  const trixie = ['libgtk-3-0t64', 'libnss3', 'libasound2t64', 'libgbm1'];
  expect(await toInstall('desktop', machine(tools, trixie, files))).toEqual([]);
});

test('macOS and Windows need their own compilers, for every profile', async () => {
  for (const profile of ['headless', 'desktop', 'test'] as const) {
    const mac = await missingNeeds(needsOf(profile, 'darwin'), machine(['clang++', 'git'], null));
    expect(mac.map((need) => need.deb)).toEqual(['cmake']);
    const windows = await missingNeeds(needsOf(profile, 'win32'), machine(['cmake', 'git'], null));
    expect(windows.map((need) => need.deb)).toEqual(['Visual Studio Build Tools']);
  }
});

test('without dpkg nothing is known about libraries, so none is asked for', async () => {
  const missing = await missingNeeds(needsOf('desktop', 'linux'), machine([], null));
  expect(missing.map((need) => need.deb)).not.toContain('libnss3');
});

test.each([
  ['Debian 12', { ID: 'debian', VERSION_ID: '12' }, 'libgtk-3-0'],
  ['Debian 13', { ID: 'debian', VERSION_ID: '13' }, 'libgtk-3-0t64'],
  ['Debian testing', { ID: 'debian' }, 'libgtk-3-0t64'],
  ['Ubuntu 22.04', { ID: 'ubuntu', VERSION_ID: '22.04' }, 'libgtk-3-0'],
  ['Ubuntu 24.04', { ID: 'ubuntu', VERSION_ID: '24.04' }, 'libgtk-3-0t64'],
  [
    'Mint 21',
    { ID: 'linuxmint', ID_LIKE: 'ubuntu debian', VERSION_ID: '21', UBUNTU_CODENAME: 'jammy' },
    'libgtk-3-0',
  ],
  [
    'Mint 22',
    { ID: 'linuxmint', ID_LIKE: 'ubuntu debian', VERSION_ID: '22', UBUNTU_CODENAME: 'noble' },
    'libgtk-3-0t64',
  ],
])('names the packages as %s does', (_, osRelease, name) => {
  expect(packageNames([{ deb: 'libgtk-3-0', deb_t64: 'libgtk-3-0t64' }], osRelease)).toEqual([
    name,
  ]);
});

test('reads os-release, quoted or not', () => {
  expect(parseOsRelease('NAME="Debian GNU/Linux"\nVERSION_ID="12"\nID=debian\n# note\n')).toEqual({
    NAME: 'Debian GNU/Linux',
    VERSION_ID: '12',
    ID: 'debian',
  });
});
