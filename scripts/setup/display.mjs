// Is there a screen to open a window on?
import fs from 'node:fs/promises';
import path from 'node:path';
import { exists } from './cache.mjs';

/**
 * @param {NodeJS.ProcessEnv} [env]
 * @param {NodeJS.Platform} [platform]
 */
export async function hasDisplay(env = process.env, platform = process.platform) {
  if (platform === 'darwin' || platform === 'win32') {
    // Over SSH a window would open on the machine's own screen, or fail.
    return !(env.SSH_CONNECTION || env.SSH_TTY);
  }
  return (await hasX(env)) || (await hasWayland(env));
}

/**
 * DISPLAY may be left over from a session that is gone: for a local server, its socket must be there.
 * @param {NodeJS.ProcessEnv} env
 */
export async function hasX(env) {
  const local = /^(?:unix)?:(\d+)/.exec(env.DISPLAY ?? '');
  if (!local) return Boolean(env.DISPLAY);
  const socket = `/tmp/.X11-unix/X${local[1]}`;
  if (await exists(socket)) return true;
  const sockets = await fs.readFile('/proc/net/unix', 'utf8').catch(() => '');
  return sockets.split('\n').some((line) => line.endsWith(`@${socket}`));
}

/** @param {NodeJS.ProcessEnv} env */
async function hasWayland(env) {
  if (!env.WAYLAND_DISPLAY) return false;
  return exists(path.resolve(env.XDG_RUNTIME_DIR ?? '/', env.WAYLAND_DISPLAY));
}
