import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { TestModelName } from '../scripts/test-models/catalogue.js';
import { putModels, REPO, removeFolder, temporaryFolder } from './folders.js';

/** Settings of a person who has used it for a while. */
const SETTLED = { preferences: { welcomed: true } };

export interface Served {
  /** Such as "http://127.0.0.1:40123". */
  url: string;
  /** Its data folder. */
  data: string;
  stop(): Promise<void>;
}

/** Runs `pilotlight serve` as a person would, with a data folder of its own and these models beside the built-in one. */
export async function serve(
  models: readonly TestModelName[],
  options: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  /**
   * What settings.json says at first, beside that the first run has been gone through. Where they name a port the
   * address is theirs, else it is any free port.
   */
  settings: { port?: number; preferences?: object } & Record<string, unknown> = {},
): Promise<Served> {
  const data = await temporaryFolder('pilotlight-serve');
  await putModels(path.join(data, 'models'), models);
  const cli = path.join(REPO, 'out', 'cli', 'pilotlight.js');
  const address = settings.port === undefined ? ['--port', '0'] : [];
  const content = { ...SETTLED, ...settings };
  await fs.writeFile(path.join(data, 'settings.json'), JSON.stringify(content));
  const args = ['serve', ...address, '--data', data, ...options];
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
      return { url, data, stop };
    }
  }
  await stop();
  throw new Error(`pilotlight serve ended without an address: ${printed}`);
}
