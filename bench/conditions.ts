/** What a number depends on besides the programs: written down with every result. */
import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { REPO } from '../scripts/setup/paths.mjs';

export interface Conditions {
  /** ISO 8601, UTC. */
  date: string;
  /** Abbreviated commit; with "+" where files had been changed. */
  commit: string;
  processor: string;
  cores: number;
  memoryBytes: number;
  system: string;
  node: string;
  /** What the kernels of both are built from and how. */
  build: string;
  /** Load of the last minute when the run began; compute threads of both servers are `cores` unless told otherwise. */
  loadAverage: number;
  threads: number;
}

export function conditionsNow(build: string, threads: number): Conditions {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: REPO, encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain', '--untracked-files=no') !== '';
  const cpus = os.cpus();
  return {
    date: new Date().toISOString(),
    commit: git('rev-parse', '--short', 'HEAD') + (isChanged ? '+' : ''),
    processor: cpus[0]?.model.trim() ?? 'unknown',
    cores: cpus.length,
    memoryBytes: os.totalmem(),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
    build,
    loadAverage: os.loadavg()[0] ?? 0,
    threads,
  };
}
