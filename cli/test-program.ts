/** The built command line as a process of its own, for tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';

const REPO = path.resolve(import.meta.dirname, '..');
const PROGRAM = path.join(REPO, 'out', 'cli', 'pilotlight.js');

export interface Run {
  child: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  /** Resolves with the URL of the ready line. */
  ready: Promise<string>;
  /** Resolves when standard error holds these words. */
  errorLine: (words: string) => Promise<void>;
  /** Resolves with the exit code, or the signal. */
  ended: Promise<number | string>;
}

/** @throws where it is not built. */
export function requireProgram(): void {
  for (const file of [PROGRAM, path.join(REPO, 'out', 'native', 'engine.node')]) {
    if (!existsSync(file)) throw new Error(`${file} is missing: run "npm run setup" first.`);
  }
}

export function runProgram(args: readonly string[], env: NodeJS.ProcessEnv = {}): Run {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      const url = /ready at (\S+) /.exec(out)?.[1];
      if (url) resolve(url);
    });
    void ended.then((code) => reject(new Error(`ended with ${code}: ${err}`)));
  });
  ready.catch(() => {});
  const errorLine = async (words: string) => {
    while (!err.includes(words)) await once(child.stderr, 'data');
  };
  return { child, stdout: () => out, stderr: () => err, errorLine, ready, ended };
}
