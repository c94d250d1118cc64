// The stages of `npm test`, in their order. Each returns its counts and goes on to the end whatever fails.
import fs from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { exists } from '../setup/cache.mjs';
import { buildFolder, buildTarget } from '../setup/engine-build.mjs';
import { engineInputs } from '../setup/engine-key.mjs';
import { OUT, REPO } from '../setup/paths.mjs';
import { run, SetupError, which } from '../setup/process.mjs';
import { StepLine } from '../setup/progress.mjs';
import { MODULES, prepareModules } from './backend-modules.mjs';
import { countJUnit, countPlaywright, countVitest } from './count.mjs';
import * as tools from './tools.mjs';

/** @typedef {import('./count.mjs').Count} Count */
/** @typedef {import('../setup/system-packages.mjs').Profile} Profile */

/**
 * @typedef {object} Stage
 * @property {string} title
 * @property {Profile} profile what has to be set up
 * @property {boolean} needsModels whether the generated test models are used
 * @property {() => Promise<Count>} run
 */

const node = process.execPath;
const PACKAGES = path.join(OUT, 'package');

/** @type {Record<string, Stage>} */
export const STAGES = {
  lint: {
    title: 'Lint and format (Biome)',
    profile: 'check',
    needsModels: false,
    run: async () =>
      tools.countAsOne(
        'biome',
        await tools.tool(node, [
          tools.packageScript('@biomejs/biome/bin/biome'),
          'check',
          '--error-on-warnings',
        ]),
      ),
  },
  types: {
    title: 'Types (TypeScript)',
    profile: 'check',
    needsModels: false,
    run: async () =>
      tools.countAsOne(
        'tsc',
        await tools.tool(node, [tools.packageScript('typescript/bin/tsc'), '-b']),
      ),
  },
  format: {
    title: 'C++ format (clang-format)',
    profile: 'check',
    needsModels: false,
    run: async () => {
      const files = await cppFiles();
      return tools.countAsOne(
        'clang-format',
        await tools.tool('clang-format', ['--dry-run', '-Werror', ...files]),
      );
    },
  },
  unused: {
    title: 'Unused files, exports and packages (knip)',
    profile: 'check',
    needsModels: false,
    run: async () =>
      tools.countAsOne('knip', await tools.tool(node, [tools.packageScript('knip/bin/knip.js')])),
  },
  unit: {
    title: 'Unit and integration tests (Vitest)',
    profile: 'headless',
    needsModels: true,
    run: runVitest,
  },
  cpp: {
    title: 'C++ tests (CTest: plain, address and thread sanitizers)',
    profile: 'headless',
    needsModels: true,
    run: runCTest,
  },
  backends: {
    title: 'Backends as modules: CPU variants, and Vulkan in software',
    profile: 'test',
    needsModels: true,
    run: runBackends,
  },
  e2e: {
    title: 'End to end, from the clone (Playwright)',
    profile: 'test',
    needsModels: true,
    // The packaged app is what people have, and gets every test of the app; from the clone it starts and answers.
    run: () => runPlaywright('e2e', { PILOTLIGHT_E2E_BRIEF: '1' }),
  },
  package: {
    title: 'Packages: built, unpacked, installed and started',
    profile: 'test',
    needsModels: false,
    run: async () => {
      const failure = await buildPackages();
      if (failure !== null || process.platform !== 'linux') {
        return tools.countAsOne('packages', failure);
      }
      return runPlaywright('packages', { PILOTLIGHT_PACKAGES: PACKAGES }, ['--project=packages']);
    },
  },
  'e2e-packaged': {
    title: 'End to end, packaged (Playwright)',
    profile: 'test',
    needsModels: true,
    run: async () => {
      const executable = packagedExecutable();
      if (!(await exists(executable))) {
        return tools.countAsOne(
          'e2e-packaged',
          `there is no ${executable}: run the stage "package" first`,
        );
      }
      return runPlaywright('e2e-packaged', { PILOTLIGHT_E2E_EXECUTABLE: executable });
    },
  },
};

async function runVitest() {
  const report = await tools.freshReport('vitest.json');
  const failure = await tools.tool(node, [
    tools.packageScript('vitest/vitest.mjs'),
    'run',
    ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    ...['e2e', 'out', 'dist'].flatMap((folder) => ['--exclude', `${folder}/**`]),
  ]);
  return tools.settle('vitest', failure, await tools.countReport(report, countVitest));
}

async function runBackends() {
  const report = await tools.freshReport('backends.json');
  const line = new StepLine(1, 1, 'Engine with modules', process.stdout);
  try {
    await prepareModules(line);
    line.done();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stdout.write(`${error.message}\n${error.advice ?? ''}\n`);
    return tools.countAsOne('backends', 'the engine with modules did not build');
  }
  const vitest = [
    ...[tools.packageScript('vitest/vitest.mjs'), 'run', '.modules.test.ts'],
    ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
  ];
  const failure = await tools.tool(node, vitest, { PILOTLIGHT_MODULES_DIR: MODULES });
  return tools.settle('backends', failure, await tools.countReport(report, countVitest));
}

async function runCTest() {
  const report = await tools.freshReport('ctest.xml');
  // The tests link the backend; GPU backends and modules have tests of their own.
  const inputs = await engineInputs({ gpu: 'cpu', layout: 'static', cpu: 'native' });
  try {
    const line = new StepLine(1, 1, 'C++ tests', process.stdout);
    await buildTarget(inputs, 'engine_tests', line);
    line.done();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stdout.write(`${error.message}\n${error.advice}\n`);
    return tools.countAsOne('ctest', 'the tests did not build');
  }
  const ctest = [
    '--test-dir',
    buildFolder(inputs),
    '-C',
    'Release',
    // Each of them computes on one thread.
    '--parallel',
    String(availableParallelism()),
    '--output-on-failure',
    '--output-junit',
    report,
  ];
  const failure = await tools.tool(...(await withFixedAddresses('ctest', ctest)));
  const xml = await fs.readFile(report, 'utf8').catch(() => null);
  return tools.settle('ctest', failure, xml === null ? null : countJUnit(xml));
}

/**
 * The thread sanitizer of GCC 12 cannot place its shadow memory where the kernel randomizes more than 28 bits.
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<[string, string[]]>}
 */
async function withFixedAddresses(command, args) {
  if (process.platform !== 'linux') return [command, args];
  const isAllowed = await run('setarch', ['-R', 'true']).then(
    () => true,
    () => false,
  );
  return isAllowed ? ['setarch', ['-R', command, ...args]] : [command, args];
}

/**
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 * @param {string[]} [args]
 */
async function runPlaywright(name, env, args = []) {
  const report = await tools.freshReport(`${name}.json`);
  const cli = tools.packageScript('@playwright/test/cli.js');
  const config = path.join('e2e', 'playwright.config.ts');
  const command = await tools.withScreen(node, [
    ...[cli, 'test', '-c', config, '--reporter=list,json'],
    ...args,
  ]);
  const failure = await tools.tool(...command, { PLAYWRIGHT_JSON_OUTPUT_NAME: report, ...env });
  return tools.settle(name, failure, await tools.countReport(report, countPlaywright));
}

/**
 * The unpacked application, with the one change that lets Playwright drive it, and on Linux the packages that are made
 * without the network.
 */
async function buildPackages() {
  const script = path.join(REPO, 'app', 'build', 'package.mjs');
  const hasDpkg = (await which('dpkg-deb')) !== null;
  const targets = process.platform === 'linux' ? ['tar.gz', ...(hasDpkg ? ['deb'] : [])] : ['dir'];
  return tools.tool(node, [script, ...targets, '--e2e', '--fast']);
}

/** Where electron-builder.yml puts the unpacked application's program. */
function packagedExecutable() {
  const folder = PACKAGES;
  const suffix = process.arch === 'arm64' ? '-arm64' : '';
  if (process.platform === 'darwin') {
    return path.join(folder, `mac${suffix}`, 'Pilotlight.app', 'Contents', 'MacOS', 'Pilotlight');
  }
  if (process.platform === 'win32') {
    return path.join(folder, `win${suffix}-unpacked`, 'Pilotlight.exe');
  }
  return path.join(folder, `linux${suffix}-unpacked`, 'pilotlight');
}

async function cppFiles() {
  const files = await fs.readdir(path.join(REPO, 'native'), { recursive: true });
  return files.filter((file) => /\.(h|cpp)$/.test(file)).map((file) => path.join('native', file));
}
