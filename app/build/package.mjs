// Packages the app with the Electron runtime that set-up has put in place, for the system it runs on.
//   node app/build/package.mjs              the installers of this system
//   node app/build/package.mjs deb tar.gz   those named
//   node app/build/package.mjs dir          the unpacked app only
//   node app/build/package.mjs dir --e2e    the same, open to Playwright, which needs the inspector
//   --fast                                  packages that are made sooner and are bigger
// What it makes lies in out/package, with the list for updates. Needs out/ built before (`npm run build`).
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { makeDeb } from './deb.mjs';
import { writeUpdateList } from './update-list.mjs';

const repo = path.resolve(import.meta.dirname, '..', '..');
const dist = path.join(repo, 'node_modules', 'electron', 'dist');
const output = path.join(repo, 'out', 'package');
const { arch, platform } = process;
/** Made here: electron-builder downloads a program for each. */
const OWN_TARGETS = ['deb', 'tar.gz'];
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    e2e: { type: 'boolean', default: false },
    fast: { type: 'boolean', default: false },
  },
});

for (const needed of [path.join(dist, 'version'), path.join(repo, 'out', 'main', 'main.js')]) {
  if (existsSync(needed)) continue;
  console.error(`${path.relative(repo, needed)} is missing: run "npm run setup" first.`);
  process.exit(1);
}
const { description, version } = JSON.parse(readFileSync(path.join(repo, 'package.json'), 'utf8'));
const config = parse(readFileSync(path.join(repo, 'electron-builder.yml'), 'utf8'));
const electron = readFileSync(path.join(dist, 'version'), 'utf8').trim().replace(/^v/, '');
const isLinux = platform !== 'darwin' && platform !== 'win32';
const targets = positionals.length > 0 || !isLinux ? positionals : config.linux.target;
const own = isLinux
  ? targets.filter((/** @type {string} */ name) => OWN_TARGETS.includes(name))
  : [];
const others = targets.filter((/** @type {string} */ name) => !own.includes(name));

if (own.length === 0) {
  builder(others);
} else {
  builder(['dir']);
  const suffix = arch === 'x64' ? '' : `-${arch}`;
  const unpacked = path.join(output, `linux${suffix}-unpacked`);
  for (const target of own) {
    const file = await (target === 'deb' ? deb(unpacked) : archive(unpacked));
    console.log(`  • made            file=${path.relative(repo, file)}`);
  }
  if (others.some((/** @type {string} */ name) => name !== 'dir')) {
    builder([...others, '--prepackaged', unpacked]);
  }
}
if (targets.some((/** @type {string} */ name) => name !== 'dir') || targets.length === 0) {
  await writeUpdateList(output, { version, platform, arch });
}

/** @param {string[]} args */
function builder(args) {
  const system = { darwin: '--mac', win32: '--win' }[/** @type {string} */ (platform)];
  const { status } = spawnSync(
    process.execPath,
    [
      createRequire(import.meta.url).resolve('electron-builder/cli.js'),
      system ?? '--linux',
      ...args,
      `--config.electronVersion=${electron}`,
      ...(values.e2e ? ['--config.electronFuses.enableNodeCliInspectArguments=true'] : []),
    ],
    { cwd: repo, stdio: 'inherit' },
  );
  if (status !== 0) process.exit(status ?? 1);
}

/** @param {string} unpacked */
function deb(unpacked) {
  return makeDeb({
    ...{ unpacked, output, version, arch, config, description },
    icons: path.join(repo, 'resources', 'icon'),
    license: path.join(repo, 'LICENSE'),
    level: values.fast ? 3 : 19,
  });
}

/** @param {string} unpacked */
async function archive(unpacked) {
  const name = `${config.linux.executableName}-${version}-linux-${arch}`;
  const file = path.join(output, `${name}.tar.gz`);
  await fs.rm(file, { force: true });
  const { status } = spawnSync(
    'tar',
    [
      ...['--create', '--owner=0', '--group=0', '--numeric-owner'],
      ...[`--use-compress-program=gzip -${values.fast ? 1 : 9}`, `--file=${file}`],
      ...[`--transform=s,^\\.,${name},`, `--directory=${unpacked}`, '.'],
    ],
    { stdio: 'inherit' },
  );
  if (status !== 0) throw new Error('tar did not make the archive.');
  return file;
}
