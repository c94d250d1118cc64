// Step 1: programs and libraries of the operating system. Installed by us only as root on Debian and its
// descendants; everywhere else the exact command is named.
import fs from 'node:fs/promises';
import path from 'node:path';
import { exists } from './cache.mjs';
import { CommandError, logPath, read, run, SetupError, which } from './process.mjs';

/**
 * @typedef {'check' | 'engine' | 'headless' | 'desktop' | 'test'} Profile what is to be run: the checks of the source
 *   text, a build of the engine, the server without a window, the app, or everything that `npm test` runs
 *
 * @typedef {object} Need
 * @property {string} deb Debian package; elsewhere the name for people
 * @property {string} [deb_t64] its name since the 64-bit time_t change (Debian 13, Ubuntu 24.04)
 * @property {string[]} [programs] any of these on PATH counts as present
 * @property {string} [file] this file counts as present
 * @property {boolean} [optional] missing, it costs time but nothing fails
 */

/** @type {Need[]} */
const BUILD_NEEDS = [
  { deb: 'g++', programs: ['c++', 'g++', 'clang++'] },
  { deb: 'gcc', programs: ['cc', 'gcc', 'clang'] },
  { deb: 'cmake', programs: ['cmake'] },
  { deb: 'ninja-build', programs: ['ninja', 'make'] },
  { deb: 'git', programs: ['git'] },
  { deb: 'ca-certificates', file: '/etc/ssl/certs/ca-certificates.crt' },
  { deb: 'ccache', programs: ['ccache'], optional: true },
];
/** What Electron links against; found with ldd on a bare Debian 12. @type {Need[]} */
const WINDOW_NEEDS = [
  { deb: 'libgtk-3-0', deb_t64: 'libgtk-3-0t64' },
  { deb: 'libnss3' },
  { deb: 'libasound2', deb_t64: 'libasound2t64' },
  { deb: 'libgbm1' },
];
/** @type {Need[]} */
const CHECK_NEEDS = [{ deb: 'clang-format', programs: ['clang-format'] }];
/** @type {Need[]} */
const TEST_NEEDS = [
  ...CHECK_NEEDS,
  { deb: 'xvfb', programs: ['Xvfb'] },
  { deb: 'xauth', programs: ['xauth'] },
  { deb: 'chromium-headless-shell', programs: ['chromium-headless-shell'] },
  { deb: 'fonts-noto-cjk' },
  { deb: 'fonts-noto-color-emoji' },
  // Vulkan in software
  { deb: 'libvulkan1' },
  { deb: 'mesa-vulkan-drivers' },
];

// biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholders
const DPKG_FORMAT = '${db:Status-Abbrev} ${Package}\\n';

/** macOS brings its window system along. @type {Need[]} */
const MAC_NEEDS = [
  { deb: 'Xcode command line tools', programs: ['clang++'] },
  { deb: 'cmake', programs: ['cmake'] },
  { deb: 'git', programs: ['git'] },
];
/** Microsoft's compiler is not on PATH: CMake finds it, through a program that its installer always leaves here. */
const VSWHERE = path.join(
  process.env['ProgramFiles(x86)'] ?? 'C:\\Program Files (x86)',
  ...['Microsoft Visual Studio', 'Installer', 'vswhere.exe'],
);
/** @type {Need[]} */
const WINDOWS_NEEDS = [
  { deb: 'Visual Studio Build Tools', file: VSWHERE },
  { deb: 'cmake', programs: ['cmake'] },
  { deb: 'git', programs: ['git'] },
];

/**
 * @param {Profile} profile
 * @param {NodeJS.Platform} [platform]
 * @returns {Need[]}
 */
export function needsOf(profile, platform = process.platform) {
  if (profile === 'check') return CHECK_NEEDS;
  if (platform === 'darwin') return MAC_NEEDS;
  if (platform === 'win32') return WINDOWS_NEEDS;
  if (profile === 'engine' || profile === 'headless') return BUILD_NEEDS;
  if (profile === 'desktop') return [...BUILD_NEEDS, ...WINDOW_NEEDS];
  return [...BUILD_NEEDS, ...WINDOW_NEEDS, ...TEST_NEEDS];
}

/**
 * The needs that nothing on this machine meets.
 * @param {Need[]} needs
 * @param {{ hasProgram: (name: string) => Promise<boolean>, hasFile: (file: string) => Promise<boolean>,
 *           debs: ReadonlySet<string> | null }} machine debs: installed packages; null where dpkg does not exist,
 *           and then libraries are taken to be there
 */
export async function missingNeeds(needs, machine) {
  const missing = [];
  for (const need of needs) {
    if (await isMet(need, machine)) continue;
    missing.push(need);
  }
  return missing;
}

/**
 * @param {Need} need
 * @param {Parameters<typeof missingNeeds>[1]} machine
 */
async function isMet(need, machine) {
  for (const name of need.programs ?? []) if (await machine.hasProgram(name)) return true;
  if (need.file && (await machine.hasFile(need.file))) return true;
  if (need.programs || need.file) return false;
  if (machine.debs === null) return true;
  return (
    machine.debs.has(need.deb) || (need.deb_t64 !== undefined && machine.debs.has(need.deb_t64))
  );
}

/**
 * The names to give to apt on this release.
 * @param {Need[]} needs
 * @param {Record<string, string>} osRelease
 */
export function packageNames(needs, osRelease) {
  const has_t64 = has64BitTime(osRelease);
  return needs.map((need) => (has_t64 && need.deb_t64 ? need.deb_t64 : need.deb));
}

/** Ubuntu releases before the change of names; their derivatives have version numbers of their own. */
const UBUNTU_BEFORE_T64 = ['bionic', 'focal', 'jammy'];

/** @param {Record<string, string>} osRelease */
function has64BitTime(osRelease) {
  const codename = osRelease.UBUNTU_CODENAME;
  if (codename) return !UBUNTU_BEFORE_T64.includes(codename);
  const version = Number.parseFloat(osRelease.VERSION_ID ?? '');
  // Debian testing has no version.
  return osRelease.ID === 'ubuntu' ? version >= 24.04 : !(version < 13);
}

/**
 * /etc/os-release as a record.
 * @param {string} text
 * @returns {Record<string, string>}
 */
export function parseOsRelease(text) {
  return Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(?:"(.*)"|(.*))$/gm)].map(([, key, quoted, plain]) => [
      key,
      quoted ?? plain ?? '',
    ]),
  );
}

/** @param {Need[]} needs */
async function findMissing(needs) {
  const librariesWanted = needs.filter((need) => !need.programs && !need.file);
  return missingNeeds(needs, {
    hasProgram: async (name) => (await which(name)) !== null,
    hasFile: exists,
    debs: librariesWanted.length > 0 ? await installedDebs(librariesWanted) : null,
  });
}

/**
 * @param {Need[]} needs
 * @returns {Promise<ReadonlySet<string> | null>}
 */
async function installedDebs(needs) {
  if (process.platform !== 'linux' || !(await which('dpkg-query'))) return null;
  const names = needs.flatMap((need) => (need.deb_t64 ? [need.deb, need.deb_t64] : [need.deb]));
  // Unknown names make its status 1; the known ones are printed all the same.
  const { output } = await run('dpkg-query', ['-W', '-f', DPKG_FORMAT, ...names], {
    okStatus: [0, 1],
  });
  const installed = output.split('\n').filter((line) => line.startsWith('ii '));
  return new Set(installed.map((line) => line.split(/\s+/)[1] ?? ''));
}

/** @param {Profile} profile */
export function systemPackagesStep(profile) {
  const needs = needsOf(profile);
  return {
    title: 'System packages',
    isDone: async () => (await findMissing(needs)).every((need) => need.optional),
    /** @param {import('./progress.mjs').StepLine} line */
    run: async (line) => {
      const missing = await findMissing(needs);
      if (process.platform !== 'linux') throw foreignSystem(missing);
      const osRelease = parseOsRelease(
        await fs.readFile('/etc/os-release', 'utf8').catch(() => ''),
      );
      if (!(await which('apt-get'))) throw otherLinux(missing);
      const names = packageNames(missing, osRelease);
      const command = `apt-get update && apt-get install -y --no-install-recommends ${names.join(' ')}`;
      if (process.getuid?.() !== 0) {
        throw new SetupError(
          `These packages are missing: ${names.join(', ')}.`,
          `Run this, then start again:\n  sudo sh -c '${command}'`,
        );
      }
      await install(names, command, line);
      return names.join(' ');
    },
  };
}

/**
 * @param {string[]} names
 * @param {string} command what the person would type
 * @param {import('./progress.mjs').StepLine} line
 */
async function install(names, command, line) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  /** @param {string[]} args */
  const apt = (...args) =>
    run('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=600', ...args], {
      env,
      log: 'apt.log',
      mustEnd: true,
    });
  line.phase(`installing ${names.join(' ')}`);
  try {
    // Finishes what a killed run left half configured; does nothing otherwise.
    await run('dpkg', ['--configure', '-a'], { env, mustEnd: true }).catch(() => {});
    await apt('update');
    const install = ['install', '-y', '--no-install-recommends', ...names];
    await apt(...install).catch(async () => {
      await apt('-y', '--fix-broken', 'install');
      await apt(...install);
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(
      `apt-get failed: ${error.message}\n${error.output}`,
      `See ${logPath('apt.log')}, or run it yourself and start again:\n  ${command}`,
    );
  }
}

/** @param {Need[]} missing */
function programsOf(missing) {
  return missing.filter((need) => !need.optional).map((need) => need.deb);
}

/** @param {Need[]} missing */
function otherLinux(missing) {
  return new SetupError(
    `These programs or libraries are missing: ${programsOf(missing).join(', ')}.`,
    'Install them with your package manager, for example\n' +
      '  Fedora:  sudo dnf install gcc-c++ cmake ninja-build git ccache\n' +
      '  Arch:    sudo pacman -S --needed gcc cmake ninja git ccache\n' +
      'then start again.',
  );
}

/** @param {Need[]} missing */
function foreignSystem(missing) {
  const what = `These programs are missing: ${programsOf(missing).join(', ')}.`;
  if (process.platform === 'darwin') {
    return new SetupError(
      what,
      'Install Apple’s command line tools and CMake, then start again:\n' +
        '  xcode-select --install\n  brew install cmake ninja clang-format',
    );
  }
  return new SetupError(
    what,
    'Install Visual Studio Build Tools with "Desktop development with C++", CMake and Git, then start again:\n' +
      '  winget install Microsoft.VisualStudio.2022.BuildTools --override "--add Microsoft.VisualStudio.Workload.VCTools --includeRecommended"\n' +
      '  winget install Kitware.CMake Git.Git',
  );
}

/** Which C++ compiler is used, in one line, or null where none is found. Part of the engine's cache key. */
export async function compilerId() {
  if (process.platform === 'win32') return read('cmake', ['--version']);
  const compiler = process.env.CXX ?? 'c++';
  const first = (await read(compiler, ['--version']))?.split('\n')[0];
  return first ? `${compiler} ${first}` : null;
}
