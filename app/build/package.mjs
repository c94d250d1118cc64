// Packages the app with the Electron runtime that set-up has put in place, for the system it runs on.
//   node app/build/package.mjs              the installers of this system
//   node app/build/package.mjs dir          the unpacked app only
//   node app/build/package.mjs dir --e2e    the same, open to Playwright, which needs the inspector
// What it makes lies in out/package. Needs out/ built before (`npm run build`).
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';

const repo = path.resolve(import.meta.dirname, '..', '..');
const dist = path.join(repo, 'node_modules', 'electron', 'dist');
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { e2e: { type: 'boolean', default: false } },
});

for (const needed of [path.join(dist, 'version'), path.join(repo, 'out', 'main', 'main.js')]) {
  if (existsSync(needed)) continue;
  console.error(`${path.relative(repo, needed)} is missing: run "npm run setup" first.`);
  process.exit(1);
}
const version = readFileSync(path.join(dist, 'version'), 'utf8').trim().replace(/^v/, '');
const system = { darwin: '--mac', win32: '--win' }[/** @type {string} */ (process.platform)];
const { status } = spawnSync(
  process.execPath,
  [
    createRequire(import.meta.url).resolve('electron-builder/cli.js'),
    system ?? '--linux',
    ...positionals,
    `--config.electronVersion=${version}`,
    ...(values.e2e ? ['--config.electronFuses.enableNodeCliInspectArguments=true'] : []),
  ],
  { cwd: repo, stdio: 'inherit' },
);
process.exit(status ?? 1);
