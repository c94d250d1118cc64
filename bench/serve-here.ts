import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { REPO } from '../scripts/setup/paths.mjs';

export interface ServedHere {
  /** Such as "http://127.0.0.1:40123". */
  url: string;
  stop(): Promise<void>;
}

/** `pilotlight serve` with an empty data folder of its own. */
export async function serveHere(): Promise<ServedHere> {
  const data = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-bench-'));
  const program = path.join(REPO, 'out', 'cli', 'pilotlight.js');
  const child = spawn(process.execPath, [program, 'serve', '--port', '0', '--data', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    await end(child);
    await rm(data, { recursive: true, force: true });
  };
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    const url = /http:\/\/[\d.]+:\d+/.exec(printed)?.[0];
    if (url) {
      child.stdout.resume();
      return { url, stop };
    }
  }
  await stop();
  throw new Error(`pilotlight serve ended without an address: ${printed}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
