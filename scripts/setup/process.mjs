// Running other programs: output to a log, lines to a listener, and no child left behind.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { STATE } from './paths.mjs';

/** Lines kept of a failed program's output, for the message. */
const TAIL_LINES = 30;

/** A failure that the person can act on: what went wrong, and what to do. */
export class SetupError extends Error {
  /**
   * @param {string} message
   * @param {string} [advice] what to do about it; may have several lines
   */
  constructor(message, advice) {
    super(message);
    this.name = 'SetupError';
    this.advice = advice;
  }
}

/** A program that could not be started, ended with a status other than 0, or took too long. */
export class CommandError extends Error {
  /**
   * @param {string} message
   * @param {string} output the last lines it printed
   */
  constructor(message, output) {
    super(message);
    this.name = 'CommandError';
    this.output = output;
  }
}

/** @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set();
/** @type {Set<(pids: number[]) => void>} */
const watchers = new Set();

/**
 * Tells the listener the process groups now running, at each change: the lock writes them down, so that whoever
 * takes over after a kill -9 can end what was left running.
 * @param {(pids: number[]) => void} listener
 */
export function watchChildren(listener) {
  watchers.add(listener);
  return () => watchers.delete(listener);
}

function announce() {
  const pids = [...children].flatMap((child) => child.pid ?? []);
  for (const listener of watchers) listener(pids);
}

/**
 * Ends a child and all that it started.
 * @param {number} pid
 * @param {NodeJS.Signals} [signal]
 */
export function killGroup(pid, signal = 'SIGTERM') {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // It ended by itself.
  }
}

function killChildren() {
  for (const child of children) if (child.pid) killGroup(child.pid);
}

let isGuarded = false;
function guardChildren() {
  if (isGuarded) return;
  isGuarded = true;
  process.on('exit', killChildren);
  /** @type {Array<[NodeJS.Signals, number]>} */
  const signals = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ];
  for (const [signal, status] of signals) {
    // Only while a child runs: afterwards the program that set-up was for handles its own signals.
    process.on(signal, () => {
      if (children.size > 0 || process.listenerCount(signal) === 1) process.exit(status);
    });
  }
}

/**
 * @typedef {object} CommandOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env] the whole environment; default: ours
 * @property {string} [input] text for its standard input; default: none
 * @property {string} [log] name of a log file under .pilotlight/logs, written anew
 * @property {(line: string) => void} [onLine] each line of standard output and error
 * @property {number} [timeoutMs] it is ended after this long; default: no limit
 * @property {boolean} [inherit] its output goes straight to the terminal
 * @property {number[]} [okStatus] exit statuses that count as success; default [0]
 * @property {boolean} [mustEnd] never ended by us, also when we are (a package manager in the middle of its work)
 */

/**
 * Runs a program to its end.
 * @param {string} command
 * @param {string[]} args
 * @param {CommandOptions} [options]
 * @returns {Promise<{ output: string, status: number }>} output: everything it printed (empty with `inherit`)
 * @throws {CommandError}
 */
export async function run(command, args, options = {}) {
  guardChildren();
  const log = options.log ? await openLog(options.log) : null;
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: [
      options.input === undefined ? 'ignore' : 'pipe',
      options.inherit ? 'inherit' : 'pipe',
      options.inherit ? 'inherit' : 'pipe',
    ],
    // A group of its own, so that it can be ended together with everything it starts.
    detached: process.platform !== 'win32',
    windowsHide: true,
    shell: process.platform === 'win32' && /\.(cmd|bat)$/i.test(command),
  });
  if (!options.mustEnd) children.add(child);
  announce();
  let output = '';
  let rest = '';
  /** @param {Buffer} chunk */
  const onData = (chunk) => {
    const text = chunk.toString('utf8');
    output += text;
    log?.write(text);
    if (!options.onLine) return;
    const lines = (rest + text).split(/\r?\n|\r/);
    rest = lines.pop() ?? '';
    for (const line of lines) options.onLine(line);
  };
  child.stdout?.on('data', onData);
  child.stderr?.on('data', onData);
  if (options.input !== undefined) child.stdin?.on('error', () => {}).end(options.input);

  let isLate = false;
  const timer = options.timeoutMs
    ? setTimeout(() => {
        isLate = true;
        if (child.pid) killGroup(child.pid, 'SIGKILL');
      }, options.timeoutMs)
    : undefined;
  try {
    const { status, signal } = await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (status, signal) => resolve({ status, signal }));
    }).catch((error) => {
      throw new CommandError(
        `${path.basename(command)} could not be started: ${error.message}`,
        '',
      );
    });
    const ok = options.okStatus ?? [0];
    if (!isLate && status !== null && ok.includes(status)) return { output, status };
    const how = isLate
      ? `did not finish within ${Math.round((options.timeoutMs ?? 0) / 1000)} s`
      : `ended with ${signal ?? `status ${status}`}`;
    throw new CommandError(`${path.basename(command)} ${args[0] ?? ''} ${how}`, tail(output));
  } finally {
    clearTimeout(timer);
    children.delete(child);
    announce();
    if (log) {
      log.end();
      await finished(log).catch(() => {});
    }
  }
}

/**
 * What a program prints, trimmed, or null where it is missing or fails.
 * @param {string} command
 * @param {string[]} args
 */
export async function read(command, args) {
  try {
    return (await run(command, args, { timeoutMs: 20_000 })).output.trim();
  } catch {
    return null;
  }
}

/** @param {string} text */
export function tail(text) {
  return text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}

/** @param {string} name */
export function logPath(name) {
  return path.join(STATE, 'logs', name);
}

/** @param {string} name */
async function openLog(name) {
  const file = logPath(name);
  await fs.mkdir(path.dirname(file), { recursive: true });
  return createWriteStream(file).on('error', () => {});
}

/**
 * The full path of a program on PATH, or null.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} [env]
 */
export async function which(name, env = process.env) {
  const suffixes =
    process.platform === 'win32' ? (env.PATHEXT ?? '.EXE;.CMD;.BAT').split(';') : [''];
  for (const folder of (env.PATH ?? env.Path ?? '').split(path.delimiter)) {
    for (const suffix of suffixes) {
      const file = path.join(folder, name + suffix.toLowerCase());
      const isThere = await fs.access(file, fs.constants.X_OK).then(
        () => true,
        () => false,
      );
      if (folder && isThere) return file;
    }
  }
  return null;
}
