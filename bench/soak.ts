/** Whether memory stays flat over many requests, and how late the event loops are under 16 streams. Ours only. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Target } from '../load/api.js';
import { runLoad } from './load-client.js';
import { processTree } from './process-use.js';
import type { Round } from './results.js';
import { type Served, startOurs, warmUp } from './servers.js';
import { wordText } from './words.js';
import { WORKLOADS } from './workloads.js';

const STREAMS = 16;
const QUARTERS = 4;
const MIB = 2 ** 20;

export async function soak(options: {
  tiny: string;
  smol: string;
  threads: number;
  requests: number;
}): Promise<Round> {
  const { tiny, smol, threads, requests } = options;
  const common = { slots: STREAMS, speculation: false };
  const served = await startOurs({ ...common, model: tiny, context: 512, threads: 1 });
  try {
    await manyRequests(served.target, 'warm', STREAMS * 20);
    const figures = { ...memory(served.pid, 'start') };
    let summary = await manyRequests(served.target, 'first', STREAMS, served.pid);
    for (let quarter = 1; quarter <= QUARTERS; quarter++) {
      summary = await manyRequests(
        served.target,
        `${quarter}`,
        Math.ceil(requests / QUARTERS),
        served.pid,
      );
      Object.assign(figures, memory(served.pid, `${(quarter * 100) / QUARTERS}_percent`));
    }
    const lag = await loopLag({ ...common, model: smol, context: 512, threads });
    return {
      ours: { summary, figures: { requests, ...figures, ...lag } },
      ...{ peer: null, bound: null },
    };
  } finally {
    await served.stop();
  }
}

function manyRequests(target: Target, seed: string, n: number, pid: number | null = null) {
  const bodies = Array.from({ length: STREAMS }, (_, stream) =>
    Array.from({ length: Math.ceil(n / STREAMS) }, (_, i) => ({
      messages: [{ role: 'user', content: wordText(`soak/${seed}/${stream}/${i}`, 40) }],
      temperature: 0,
      max_tokens: 16,
    })),
  );
  return runLoad(target, bodies, pid);
}

/** Resident memory of the server and of its engine process, its only child. */
function memory(pid: number, when: string): Record<string, number> {
  const [server, engine] = processTree(pid);
  return {
    [`server_${when}_mib`]: (server?.use.rssBytes ?? Number.NaN) / MIB,
    [`engine_${when}_mib`]: (engine?.use.rssBytes ?? Number.NaN) / MIB,
  };
}

/** Lag of both event loops while 16 streams of short chat run, after all is loaded. */
async function loopLag(setting: Parameters<typeof startOurs>[0]): Promise<Record<string, number>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-lag-'));
  const probe = pathToFileURL(path.join(import.meta.dirname, 'loop-lag-probe.mjs')).href;
  try {
    const served: Served = await startOurs(setting, {
      NODE_OPTIONS: `--import ${probe}`,
      PILOTLIGHT_BENCH_LAG_DIR: folder,
    });
    try {
      await warmUp(served.target, WORKLOADS.chat.warmUp(STREAMS, 'lag'));
      for (const { pid } of processTree(served.pid)) process.kill(pid, 'SIGUSR2');
      await WORKLOADS.chat.measure(served, STREAMS, 'lag');
    } finally {
      await served.stop();
    }
    return {
      ...(await readLag(folder, 'engine', 'engine')),
      ...(await readLag(folder, 'pilotlight', 'server')),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readLag(
  folder: string,
  program: string,
  name: string,
): Promise<Record<string, number>> {
  const text = await readFile(path.join(folder, `${program}.json`), 'utf8');
  const figures = Object.entries(JSON.parse(text) as Record<string, number>);
  return Object.fromEntries(figures.map(([key, value]) => [`${name}_loop_lag_${key}`, value]));
}
