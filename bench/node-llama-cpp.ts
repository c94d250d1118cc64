/**
 * The npm package node-llama-cpp with the binary it brings, in a project of its own outside the repository; installed
 * the first time, which needs the npm registry.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { exists, readJson } from '../scripts/setup/cache.mjs';
import { npmCommand } from '../scripts/setup/npm.mjs';
import { REPO } from '../scripts/setup/paths.mjs';
import { CommandError, run } from '../scripts/setup/process.mjs';
import { type Measured, summarize } from './load-client.js';
import { benchDir } from './peer.js';
import type { Wave } from './raw-bound.js';
import type { Setting } from './servers.js';
import { wordText } from './words.js';
import type { Measurement } from './workloads.js';

/** What the driver prints. */
interface Report {
  wallMs: number;
  cpuMs: number;
  rssBytes: number;
  answers: Measured[];
}

/** Runs the waves with its own batching, in one process and without HTTP. */
export async function measureNodeLlamaCpp(
  setting: Setting,
  waves: readonly Wave[],
  seed: string,
): Promise<Measurement> {
  const folder = await ensureProject();
  const task = path.join(folder, 'task.json');
  const prompts = waves.map(({ streams, prompt, output }, wave) =>
    Array.from({ length: streams }, (_, s) => ({
      text: wordText(`${seed}/${s}/${wave}`, prompt),
      output,
    })),
  );
  const warm = prompts[0]?.map(({ text }) => ({ text: text.slice(0, 100), output: 16 })) ?? [];
  await writeFile(task, JSON.stringify({ ...setting, waves: prompts, warm }));
  const driver = path.join(import.meta.dirname, 'node-llama-cpp-driver.mjs');
  const { output } = await run(process.execPath, [driver, folder, task]);
  const line = output.split('\n').find((text) => text.startsWith('{"wallMs"'));
  if (line === undefined) throw new Error(`node-llama-cpp did not finish:\n${output}`);
  const { wallMs, cpuMs, rssBytes, answers } = JSON.parse(line) as Report;
  const use = { serverCpu: cpuMs / wallMs, clientCpu: 0, otherCpu: null, serverRss: rssBytes };
  return {
    summary: { ...summarize(answers, wallMs), streams: prompts[0]?.length ?? 0, ...use },
    figures: {},
  };
}

/** @returns the folder of a project that has the package, of the version that the engine's sources come from */
async function ensureProject(): Promise<string> {
  const pin = await readJson(path.join(REPO, 'native', 'llama-source.json'));
  const name = `${pin.package}@${pin.version}`;
  const folder = path.join(benchDir(), `node-llama-cpp-${pin.version}`);
  if (await exists(path.join(folder, 'node_modules', pin.package, 'package.json'))) return folder;
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }\n');
  const npm = await npmCommand();
  try {
    // The scripts of the package would build it where its binary does not load.
    await run(npm.command, [...npm.args, 'install', '--ignore-scripts', '--no-audit', name], {
      cwd: folder,
      log: 'bench-node-llama-cpp.log',
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new Error(
      `${name} could not be installed; this workload needs the npm registry.\n${error.output}`,
    );
  }
  return folder;
}
