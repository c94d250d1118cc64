/** The program of a tool server: where it is, what it is given, and how it ends with all that it has started. */
import type { ChildProcess } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { getDefaultEnvironment } from '@modelcontextprotocol/sdk/client/stdio.js';
import spawn from 'cross-spawn';
import type { McpProgram } from '../../protocol/mcp.js';
import { ToolServerError } from './problem.js';

/** Where tools are installed that a desktop's short PATH does not name. */
const FURTHER_FOLDERS = [
  ...['/usr/local/bin', '/opt/homebrew/bin'],
  ...['.local/bin', '.cargo/bin', '.bun/bin', '.deno/bin', '.volta/bin'].map((folder) =>
    path.join(os.homedir(), folder),
  ),
];

/**
 * Starts the program as the leader of a group of its own. The shell before it leaves a watcher in that group, which waits
 * for the end of a pipe that only this process holds: so the group ends even where this process is killed.
 */
const WATCHED = `(trap '' TERM HUP INT; read -r _ <&3; kill -s TERM -- -$$; sleep 2; kill -s KILL -- -$$) \
</dev/null >/dev/null 2>&1 & exec 3<&-; exec "$@"`;

const isWindows = process.platform === 'win32';

export class Program {
  readonly #child: ChildProcess;

  /** @throws ToolServerError where it cannot be started. */
  constructor({ command, args = [], env = {}, cwd = os.homedir() }: McpProgram) {
    const folder = expandHome(cwd);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new ToolServerError('no_folder', folder);
    }
    const environment = { ...getDefaultEnvironment(), ...env };
    environment.PATH = withFurther(env.PATH ?? environment.PATH ?? '');
    const options = {
      ...{ env: environment, cwd: folder, shell: false, windowsHide: true },
      // A group of its own, which can be ended as a whole.
      detached: !isWindows,
    };
    if (isWindows) {
      this.#child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
      return;
    }
    const file = findProgram(expandHome(command), folder, environment.PATH);
    this.#child = spawn('/bin/sh', ['-c', WATCHED, 'sh', file, ...args], {
      ...options,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
  }

  get child(): ChildProcess {
    return this.#child;
  }

  /** Ends it, and all that it has started. @param force At once, without a chance to put things in order. */
  kill(force: boolean): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    if (isWindows) {
      spawn('taskkill', ['/PID', `${pid}`, '/T', '/F'], { stdio: 'ignore' }).on('error', () => {});
      return;
    }
    try {
      process.kill(-pid, force ? 'SIGKILL' : 'SIGTERM');
    } catch {
      // Nobody of the group is left.
    }
  }
}

function expandHome(text: string): string {
  return /^~(?=[\\/]|$)/.test(text) ? os.homedir() + text.slice(1) : text;
}

function withFurther(searched: string): string {
  const folders = searched.split(path.delimiter);
  const further = FURTHER_FOLDERS.filter((folder) => !folders.includes(folder));
  return isWindows ? searched : [...folders, ...further].join(path.delimiter);
}

/** @throws ToolServerError */
function findProgram(command: string, cwd: string, searched: string): string {
  const isPath = command.includes('/');
  const folders = searched.split(path.delimiter).filter((folder) => folder !== '');
  const files = isPath
    ? [path.resolve(cwd, command)]
    : folders.map((folder) => path.resolve(cwd, folder, command));
  const found = files.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
  const usable = found.find((file) => mayRun(file));
  if (usable !== undefined) return usable;
  throw new ToolServerError(found.length > 0 ? 'not_permitted' : 'not_found', command);
}

function mayRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
