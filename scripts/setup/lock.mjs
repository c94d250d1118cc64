// One set-up at a time in a clone. The lock is a file that names its holder; a holder that is gone loses it, and
// what that holder had started and left running is ended first.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { killGroup, watchChildren } from './process.mjs';

/**
 * @typedef {object} Holder
 * @property {string} token unique to this acquisition
 * @property {number} pid
 * @property {string | null} startedAt start time of the process, so that a reused pid is not taken for the holder
 * @property {string} host
 * @property {number[]} groups process groups it runs now
 */

const POLL_MS = 200;
/** A holder on another machine (shared folder, container) cannot be looked up; it refreshes its file this often. */
const HEARTBEAT_MS = 10_000;
const HEARTBEAT_LOST_MS = 120_000;
/** After a takeover the new holder looks again, in case two took over at the same moment. */
const SETTLE_MS = 150;

/**
 * Runs work while holding the lock.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {(holder: Holder) => void} [onWait] called once if another set-up holds it
 * @returns {Promise<T>}
 */
export async function withLock(file, work, onWait) {
  const release = await acquire(file, onWait);
  try {
    return await work();
  } finally {
    await release();
  }
}

/**
 * @param {string} file
 * @param {(holder: Holder) => void} [onWait]
 */
async function acquire(file, onWait) {
  await fs.mkdir(path.dirname(file), { recursive: true });
  /** @type {Holder} */
  const own = {
    token: randomUUID(),
    pid: process.pid,
    startedAt: await processStart(process.pid),
    host: hostname(),
    groups: [],
  };
  let hasWaited = false;
  let tookOver = false;
  for (;;) {
    if (await create(file, own)) {
      if (tookOver) await sleep(SETTLE_MS);
      if ((await holderOf(file))?.token === own.token) break;
    }
    const holder = await holderOf(file);
    if (holder === null && !(await isUnreadable(file))) continue;
    if (holder === null || (await isGone(file, holder))) {
      if (await takeAway(file, holder)) tookOver = true;
      continue;
    }
    if (!hasWaited) onWait?.(holder);
    hasWaited = true;
    await sleep(POLL_MS);
  }
  return keep(file, own);
}

/**
 * Keeps the file current while the lock is held.
 * @param {string} file
 * @param {Holder} own
 * @returns {Promise<() => Promise<void>>} the release
 */
async function keep(file, own) {
  let writing = Promise.resolve();
  const unwatch = watchChildren((groups) => {
    own.groups = groups;
    const text = JSON.stringify(own);
    writing = writing.then(() => replace(file, text)).catch(() => {});
  });
  const heartbeat = setInterval(() => {
    const now = new Date();
    fs.utimes(file, now, now).catch(() => {});
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return async () => {
    clearInterval(heartbeat);
    unwatch();
    await writing;
    if ((await holderOf(file))?.token === own.token) await fs.rm(file, { force: true });
  };
}

/**
 * @param {string} file
 * @param {Holder} own
 * @returns {Promise<boolean>} false where the lock exists
 */
async function create(file, own) {
  const temporary = `${file}.${own.token}`;
  await fs.writeFile(temporary, JSON.stringify(own));
  try {
    // A hard link appears whole or not at all, and never over an existing file.
    await fs.link(temporary, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    // A file system without hard links: an exclusive copy is the next best thing.
    return fs.copyFile(temporary, file, fs.constants.COPYFILE_EXCL).then(
      () => true,
      (copyError) => {
        if (copyError.code === 'EEXIST') return false;
        throw copyError;
      },
    );
  } finally {
    await fs.rm(temporary, { force: true });
  }
}

/**
 * @param {string} file
 * @param {string} text
 */
async function replace(file, text) {
  const temporary = `${file}.${randomUUID()}`;
  await fs.writeFile(temporary, text);
  await fs.rename(temporary, file);
}

/**
 * @param {string} file
 * @returns {Promise<Holder | null>} null where there is no lock or it cannot be read
 */
async function holderOf(file) {
  try {
    const holder = JSON.parse(await fs.readFile(file, 'utf8'));
    return typeof holder?.token === 'string' && typeof holder.pid === 'number' ? holder : null;
  } catch {
    return null;
  }
}

/**
 * A lock file without sense in it, and not just being written.
 * @param {string} file
 */
async function isUnreadable(file) {
  const stat = await fs.stat(file).catch(() => null);
  if (stat === null) return false;
  await sleep(POLL_MS);
  return (await fs.stat(file).catch(() => null)) !== null && (await holderOf(file)) === null;
}

/**
 * @param {string} file
 * @param {Holder} holder
 */
async function isGone(file, holder) {
  if (holder.host !== hostname()) {
    const stat = await fs.stat(file).catch(() => null);
    return stat !== null && Date.now() - stat.mtimeMs > HEARTBEAT_LOST_MS;
  }
  return !(await isSameProcess(holder.pid, holder.startedAt));
}

/**
 * Removes a lock whose holder is gone and ends what it left running.
 * @param {string} file
 * @param {Holder | null} holder
 * @returns {Promise<boolean>} false where someone else was faster
 */
async function takeAway(file, holder) {
  const aside = `${file}.${randomUUID()}`;
  try {
    await fs.rename(file, aside);
  } catch {
    return false;
  }
  const moved = await holderOf(aside);
  if (moved && moved.token !== holder?.token) {
    // Someone took over between our look and our rename: give theirs back.
    await fs.link(aside, file).catch(() => {});
    await fs.rm(aside, { force: true });
    return false;
  }
  if (holder && holder.host === hostname()) await endGroups(holder.groups);
  await fs.rm(aside, { force: true });
  return true;
}

/** @param {number[]} groups */
async function endGroups(groups) {
  for (const group of groups) {
    // While any member lives its number is not given to another process, so a living leader is the old one unless
    // the whole group ended; then only an unrelated process could have it, which is no group leader of ours.
    if (await isGroupAlive(group)) killGroup(group, 'SIGKILL');
  }
}

/** @param {number} group */
async function isGroupAlive(group) {
  if (process.platform === 'win32') return isSameProcess(group, null);
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {number} pid
 * @param {string | null} startedAt null: the pid alone decides
 */
async function isSameProcess(pid, startedAt) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPERM') return false;
  }
  const start = await processStart(pid);
  return start === null || startedAt === null || start === startedAt;
}

/**
 * Start time of a process in clock ticks since boot, from field 22 of /proc/PID/stat; null elsewhere than on Linux.
 * @param {number} pid
 */
async function processStart(pid) {
  try {
    const stat = await fs.readFile(`/proc/${pid}/stat`, 'utf8');
    // The program's name, in parentheses, may hold spaces.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
