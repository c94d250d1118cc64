// `npm start`: sets up what is missing, then opens the window, or serves without one where there is no display.
import { spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkNode } from './setup/node-version.mjs';

checkNode();
const { hasDisplay, hasX } = await import('./setup/display.mjs');
const { executableName, runtimeFolder } = await import('./setup/electron-runtime.mjs');
const { endWithParent } = await import('./setup/orphan.mjs');
const { OUT, REPO } = await import('./setup/paths.mjs');
const { reportFailure, setUp } = await import('./setup/steps.mjs');

const args = process.argv.slice(2);
endWithParent();
try {
  if (await hasDisplay()) {
    await setUp('desktop');
    await openWindow();
  } else {
    process.stderr.write('No display found: serving without a window.\n');
    await setUp('headless');
    await serve();
  }
} catch (error) {
  reportFailure(error);
}

/** The server runs in this very process, so the terminal's signals reach it. */
async function serve() {
  const cli = path.join(OUT, 'cli', 'pilotlight.js');
  process.argv = [process.execPath, cli, 'serve', ...args];
  await import(pathToFileURL(cli).href);
}

async function openWindow() {
  const isWaylandOnly = process.platform === 'linux' && !(await hasX(process.env));
  // Chromium reports every desktop service it does not find as an error; what matters to people the app says itself.
  const flags = ['--log-level=3', ...(isWaylandOnly ? ['--ozone-platform-hint=auto'] : [])];
  // Terminals inside editors that are Electron apps themselves set this for their own helpers.
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  const electron = path.join(runtimeFolder(), executableName());
  const child = spawn(electron, [...flags, REPO, ...args], {
    stdio: 'inherit',
    env: { ...env, ...(await sandboxEnvironment()) },
  });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  process.on('SIGINT', () => {
    // A terminal's Ctrl-C has reached the window's process already: a second one would cut its leave short.
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  child.on('error', (error) => reportFailure(error));
  child.on('exit', (status, signal) => {
    process.exit(signal ? 128 + 15 : (status ?? 1));
  });
}

/**
 * Chromium refuses to sandbox for root, and cannot where the kernel keeps user namespaces from ordinary programs (a
 * development runtime has no set-uid helper; an installed Pilotlight has one).
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
async function sandboxEnvironment() {
  if (process.platform !== 'linux') return {};
  if (process.getuid?.() === 0) return { ELECTRON_DISABLE_SANDBOX: '1' };
  const read = (/** @type {string} */ name) =>
    fs.readFile(`/proc/sys/kernel/${name}`, 'utf8').then(
      (text) => text.trim(),
      () => null,
    );
  const isDenied =
    (await read('unprivileged_userns_clone')) === '0' ||
    (await read('apparmor_restrict_unprivileged_userns')) === '1';
  if (!isDenied) return {};
  process.stderr.write(
    'This kernel does not let programs sandbox themselves: the window runs without its sandbox.\n',
  );
  return { ELECTRON_DISABLE_SANDBOX: '1' };
}
