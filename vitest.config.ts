import { defineConfig } from 'vitest/config';

/** The tests of the engine's other layout need what `node scripts/test.mjs backends` builds. */
const modules = process.env.PILOTLIGHT_MODULES_DIR ? [] : ['**/*.modules.test.ts'];

/**
 * Unit tests (*.test.ts) and integration tests (*.integration.test.ts: the real addon, real sockets). The latter need
 * what `npm run setup` builds: out/native/engine.node and the bundles.
 */
export default defineConfig({
  test: {
    include: ['**/*.test.ts', '**/*.test.tsx'],
    exclude: ['**/node_modules/**', 'out/**', 'dist/**', 'e2e/**', ...modules],
    // two cores are what the smallest supported machine has
    maxWorkers: 2,
    // a test reads the tokens of the window
    css: { include: [/tokens\.css/] },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
  define: { __APP_VERSION__: JSON.stringify('0.0.0-test') },
});
