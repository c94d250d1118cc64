/** Starts the server under measurement, ours or the peer, with the same slots, context and threads, and stops it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Target } from '../load/api.js';
import { REPO } from '../scripts/setup/paths.mjs';
import { ask, targetOf } from './load-client.js';
import { benchDir } from './peer.js';

export interface Setting {
  /** GGUF file. */
  model: string;
  /** Sequences at the same time. */
  slots: number;
  /** Tokens for each slot. */
  context: number;
  threads: number;
  /** Draft tokens from the text so far, in both. */
  speculation: boolean;
}

export interface Served {
  target: Target;
  pid: number;
  /** Ends it and resolves when it is gone. */
  stop(): Promise<void>;
}

const PROGRAM = path.join(REPO, 'out', 'cli', 'pilotlight.js');
const HOST = '127.0.0.1';
/** A model of some 100 MB loads in well under this. */
const READY_MS = 120_000;
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** `pilotlight serve` with a data folder of its own. `env` is added to its environment. */
export async function startOurs(setting: Setting, env: NodeJS.ProcessEnv = {}): Promise<Served> {
  const data = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-bench-'));
  const { model, slots, context, threads } = setting;
  const args = [
    ...[PROGRAM, 'serve', '--port', '0', '--data', data],
    ...['--models', path.dirname(model), '--model', model],
    ...['--ctx', context, '--parallel', slots, '--threads', threads].map(String),
    ...speculationArguments(setting),
  ];
  const log = await logFile('pilotlight.log');
  const child = start(process.execPath, args, log, env);
  const served = await untilReady(child, log, async () => {
    const printed = await readFile(log, 'utf8');
    return /http:\/\/[\d.]+:\d+/.exec(printed)?.[0] ?? null;
  });
  const stop = async () => {
    await end(child);
    await rm(data, { recursive: true, force: true });
  };
  return { ...served, stop };
}

/** Said in either case, whatever the default is; a build from before there was a choice has none to make. */
function speculationArguments({ speculation }: Setting): string[] {
  const help = execFileSync(process.execPath, [PROGRAM, 'serve', '--help'], { encoding: 'utf8' });
  if (help.includes('--speculation')) return ['--speculation', speculation ? 'ngram' : 'off'];
  if (speculation) throw new Error('This build of Pilotlight has no --speculation.');
  return [];
}

/** llama-server; what is not set here is at its default. */
export async function startPeer(program: string, setting: Setting): Promise<Served> {
  const port = await freePort();
  const log = await logFile('llama-server.log');
  const child = start(program, peerArguments(setting, port), log);
  const url = `http://${HOST}:${port}`;
  const served = await untilReady(child, log, async () => {
    const answer = await fetch(`${url}/health`).catch(() => null);
    return answer?.ok ? url : null;
  });
  return { ...served, stop: () => end(child) };
}

export function peerArguments(setting: Setting, port: number): string[] {
  const { model, slots, context, threads, speculation } = setting;
  return [
    ...['-m', model, '--host', HOST, '--port', String(port), '-np', String(slots)],
    ...['-c', String(context * slots), '--no-kv-unified', '-t', String(threads)],
    ...['-b', '2048', '-ub', '512', '--no-webui'],
    // Its store of prompts in memory only costs time where no prompt comes back.
    ...['--cache-ram', '0'],
    ...(speculation ? ['--spec-type', process.env.PILOTLIGHT_BENCH_SPEC ?? 'ngram-simple'] : []),
  ];
}

/** Sends each of these once, all at the same time; fails where an answer is not whole. */
export async function warmUp(target: Target, bodies: readonly object[]): Promise<void> {
  const answers = await Promise.all(bodies.map((body) => ask(target, body)));
  const failure = answers.find((answer) => answer.failure !== null)?.failure;
  if (failure) throw new Error(`A request to warm up failed: ${failure.message}`);
}

function start(program: string, args: string[], log: string, env: NodeJS.ProcessEnv = {}) {
  const output = openSync(log, 'w');
  const child = spawn(program, args, {
    stdio: ['ignore', output, output],
    env: { ...process.env, ...env },
  });
  closeSync(output);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

async function untilReady(
  child: ChildProcess,
  log: string,
  look: () => Promise<string | null>,
): Promise<{ target: Target; pid: number }> {
  const deadline = performance.now() + READY_MS;
  let failure = '';
  child.once('error', (error) => {
    failure = error.message;
  });
  for (;;) {
    const url = await look();
    if (url !== null && child.pid !== undefined) return { target: targetOf(url), pid: child.pid };
    const isGone = failure !== '' || child.exitCode !== null || child.signalCode !== null;
    if (isGone || performance.now() > deadline) {
      child.kill('SIGKILL');
      const output = (await readFile(log, 'utf8')).trimEnd().split('\n').slice(-20).join('\n');
      throw new Error(`${path.basename(child.spawnfile)} did not start. ${failure}\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function logFile(name: string): Promise<string> {
  const folder = path.join(benchDir(), 'logs');
  await mkdir(folder, { recursive: true });
  return path.join(folder, name);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, HOST, () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
