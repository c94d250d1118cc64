// Bundles the TypeScript of every process into out/: `npm run build`, or `node scripts/build.mjs`.
// All bundles are built aside and moved to their places when all have succeeded.
import fs from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { exists, inTemporaryFolder, placeFolder } from './setup/cache.mjs';
import { OUT, REPO } from './setup/paths.mjs';

/** Electron 33 runs Chromium 130 and Node 20.18; everything newer follows. */
const NODE_TARGET = 'node20.18';
const BROWSER_TARGET = 'chrome130';

/** Not bundled: Electron's own module, and packages with a binary beside their code. */
const EXTERNAL = ['electron', '@photostructure/sqlite', '@napi-rs/keyring'];

/**
 * One folder under out/ with the bundles that go there.
 * @typedef {object} NodeBundle
 * @property {string} folder
 * @property {'es' | 'cjs'} format
 * @property {Record<string, string>} entries output file name: source
 */

/** @type {NodeBundle[]} */
export const NODE_BUNDLES = [
  { folder: 'main', format: 'es', entries: { 'main.js': 'app/main.ts' } },
  // A sandboxed preload script is CommonJS.
  { folder: 'preload', format: 'cjs', entries: { 'preload.cjs': 'app/preload.ts' } },
  {
    folder: 'server',
    format: 'es',
    entries: { 'main.js': 'server/main.ts', 'engine.js': 'server/engine/process.ts' },
  },
  { folder: 'cli', format: 'es', entries: { 'pilotlight.js': 'cli/pilotlight.ts' } },
];

/** What the bundles are made of, for the stamp of the set-up step. */
export const BUNDLE_INPUTS = [
  ...[
    'app',
    'server',
    'protocol',
    'cli',
    'load',
    'renderer',
    'messages',
    'native/index.ts',
    'scripts/build.mjs',
    'resources/icon',
  ],
  ...['package.json', 'package-lock.json', 'tsconfig.base.json'],
];

/** @param {string} file relative to the clone, with forward slashes */
export function isBundleInput(file) {
  return !/\.test\.(ts|tsx|mts)$|(^|\/)(tsconfig\.json|README\.md)$/.test(file);
}

/**
 * @param {NodeBundle} bundle
 * @param {string} outDir
 * @param {string} version
 * @returns {import('vite').InlineConfig}
 */
function nodeConfig(bundle, outDir, version) {
  return {
    ...sharedConfig(version),
    root: REPO,
    ssr: { noExternal: true, target: 'node' },
    resolve: {
      conditions: ['node', 'import', 'module', 'default'],
      mainFields: ['module', 'main'],
    },
    build: {
      ssr: true,
      target: NODE_TARGET,
      outDir,
      emptyOutDir: true,
      sourcemap: true,
      minify: false,
      rollupOptions: {
        input: Object.fromEntries(
          Object.entries(bundle.entries).map(([file, source]) => [
            file.replace(/\.c?js$/, ''),
            path.join(REPO, source),
          ]),
        ),
        external: EXTERNAL,
        output: {
          format: bundle.format,
          entryFileNames: bundle.format === 'cjs' ? '[name].cjs' : '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
        },
      },
    },
  };
}

/**
 * @param {string} outDir
 * @param {string} version
 * @returns {Promise<import('vite').InlineConfig>}
 */
async function rendererConfig(outDir, version) {
  const { default: react } = await import('@vitejs/plugin-react');
  return {
    ...sharedConfig(version),
    root: path.join(REPO, 'renderer'),
    // Relative, because the page is opened from a file, from the server's root and from a subfolder alike.
    base: './',
    plugins: [react()],
    // Formulas: what comes with rehype-katex offends the page's content security policy, and is slow for it.
    resolve: {
      alias: {
        'hast-util-from-html-isomorphic': path.join(REPO, 'renderer/markdown/formula-html.ts'),
      },
    },
    build: {
      target: BROWSER_TARGET,
      outDir,
      emptyOutDir: true,
      sourcemap: true,
      // Syntax themes and fonts are big on purpose and load when needed.
      chunkSizeWarningLimit: 2000,
      // The page's content security policy allows no data: fonts or scripts.
      assetsInlineLimit: 0,
      rollupOptions: {
        input: ['index.html', 'docs.html'].map((page) => path.join(REPO, 'renderer', page)),
      },
    },
  };
}

/**
 * @param {string} version
 * @returns {import('vite').InlineConfig}
 */
function sharedConfig(version) {
  return {
    configFile: false,
    logLevel: 'warn',
    mode: 'production',
    define: { __APP_VERSION__: JSON.stringify(version) },
  };
}

/**
 * Builds the named folders, or all.
 * @param {string[]} [only] such as ['server', 'renderer']
 * @throws where a source does not bundle; nothing in out/ has changed then
 */
export async function buildBundles(only = []) {
  const known = [...NODE_BUNDLES.map((bundle) => bundle.folder), 'renderer'];
  const unknown = only.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(
      `There is no bundle called ${unknown.join(', ')}: expected ${known.join(', ')}.`,
    );
  }
  const wanted = only.length > 0 ? only : known;
  const { build } = await import('vite');
  const { version } = JSON.parse(await fs.readFile(path.join(REPO, 'package.json'), 'utf8'));
  await inTemporaryFolder(OUT, async (temporary) => {
    for (const bundle of NODE_BUNDLES) {
      if (!wanted.includes(bundle.folder)) continue;
      await build(nodeConfig(bundle, path.join(temporary, bundle.folder), version));
    }
    if (wanted.includes('renderer')) {
      await build(await rendererConfig(path.join(temporary, 'renderer'), version));
    }
    for (const folder of wanted) {
      const target = path.join(OUT, folder);
      await placeFolder(path.join(temporary, folder), target, { replace: await exists(target) });
    }
  });
}

if (import.meta.filename === process.argv[1]) {
  const { positionals } = parseArgs({ allowPositionals: true });
  try {
    await buildBundles(positionals);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : error}\n`);
    process.exitCode = 1;
  }
}
