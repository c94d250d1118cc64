import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { TestModelName } from '../scripts/test-models/catalogue.js';
import { putModels, REPO, removeFolder, temporaryFolder } from './folders.js';

export interface Served {
  /** Such as "http://127.0.0.1:40123". */
  url: string;
  stop(): Promise<void>;
}

/** Runs `pilotlight serve` as a person would, with a data folder of its own and these models beside the built-in one. */
export async function serve(
  models: readonly TestModelName[],
  options: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const data = await temporaryFolder('pilotlight-serve');
  await putModels(path.join(data, 'models'), models);
  const cli = path.join(REPO, 'out', 'cli', 'pilotlight.js');
  const args = ['serve', '--port', '0', '--data', data, ...options];
  const child = spawn(process.execPath, [cli, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await removeFolder(data);
  };
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    const url = /http:\/\/[\w.]+:\d+/.exec(printed)?.[0];
    if (url) {
      child.stdout.resume();
      return { url, stop };
    }
  }
  await stop();
  throw new Error(`pilotlight serve ended without an address: ${printed}`);
}
