/**
 * `npm run bench`: Pilotlight, llama-server and the raw bound in turn, A B C A B C, never two at once; prints the ratios
 * of the paired rounds with their spread, and writes everything to a file after each round.
 *
 *   npm run bench -- --workload chat,overhead --streams 1,16 --rounds 5 --json results.json
 */
import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ratio, table } from '../load/table.js';
import { withLock } from '../scripts/setup/lock.mjs';
import { setUp } from '../scripts/setup/steps.mjs';
import { conditionsNow } from './conditions.js';
import { summaryTable } from './load-client.js';
import { ensureModels, type Models } from './models.js';
import { measureNodeLlamaCpp } from './node-llama-cpp.js';
import { benchDir, ensurePeer, type Peer } from './peer.js';
import { rawBound } from './raw-bound.js';
import { type Results, type Round, type Series, verdicts } from './results.js';
import { type Served, type Setting, startOurs, startPeer, warmUp } from './servers.js';
import { soak } from './soak.js';
import { type Measurement, WORKLOADS, type Workload, type WorkloadName } from './workloads.js';

const ALL = [...Object.keys(WORKLOADS), 'node-llama-cpp', 'soak'];
const { values } = parseArgs({
  options: {
    workload: { type: 'string', default: Object.keys(WORKLOADS).join(',') },
    streams: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    threads: { type: 'string' },
    only: { type: 'string', default: 'ours,peer,bound' },
    requests: { type: 'string', default: '10000' },
    json: { type: 'string' },
    'no-setup': { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});
const names = values.workload.split(',');
const only = values.only.split(',');
const counts = values.streams?.split(',').map(Number) ?? null;
const rounds = Number(values.rounds);
const requests = Number(values.requests);
const cores = Number(values.threads ?? os.availableParallelism());
const isValid =
  names.every((name) => ALL.includes(name)) &&
  only.every((name) => ['ours', 'peer', 'bound'].includes(name)) &&
  [rounds, requests, cores, ...(counts ?? [])].every((n) => Number.isInteger(n) && n > 0);
if (values.help || !isValid) {
  console.error(
    `Usage: npm run bench -- [--workload ${ALL.join(',')}] [--streams 1,4,16,64] [--rounds N]\n` +
      '  [--threads N] [--only ours,peer,bound (ours is always measured)] [--requests N (soak)] [--json FILE] [--no-setup]\n' +
      'llama-server is built the first time, from the same sources as the engine.',
  );
  process.exit(values.help ? 0 : 2);
}
if (!values['no-setup']) await setUp('headless');

const isCompared = names.some((name) => name in WORKLOADS) && only.some((name) => name !== 'ours');
const peer: Peer = await ensurePeer(isCompared);
const results: Results = { conditions: conditionsNow(peer.build, cores), series: [] };
const file = path.resolve(values.json ?? path.join(benchDir(), 'results.json'));

await withLock(
  path.join(benchDir(), 'run.lock'),
  async () => {
    const models = await ensureModels();
    for (const name of names) {
      if (name === 'soak') await runSoak(models);
      else if (name === 'node-llama-cpp') await runNodeLlamaCpp(models);
      else await runWorkload(name as WorkloadName, models);
    }
  },
  ({ pid }) => console.log(`Another bench runs (process ${pid}); two would measure each other.`),
);
console.log(`\nEverything measured is in ${file}`);

async function runWorkload(name: WorkloadName, models: Models): Promise<void> {
  const workload: Workload = WORKLOADS[name];
  for (const streams of counts ?? workload.streams) {
    const series = newSeries(name, streams, `${workload.title}; ${streams} streams`);
    const setting = settingOf(workload, streams, models);
    for (let i = 0; i < rounds; i++) {
      const seed = `${name}/${streams}/${i}`;
      const round: Partial<Round> = { peer: null, bound: null };
      const run = async (start: () => Promise<Served>): Promise<Measurement> => {
        const served = await start();
        try {
          await warmUp(served.target, workload.warmUp(streams, seed));
          return await workload.measure(served, streams, seed);
        } finally {
          await served.stop();
        }
      };
      round.ours = await run(() => startOurs(setting));
      if (only.includes('peer')) round.peer = await run(() => startPeer(peer.server, setting));
      if (only.includes('bound') && workload.waves) {
        round.bound = await rawBound(peer.batchedBench, setting, workload.waves(streams));
      }
      await keep(series, round as Round);
    }
    tell(series);
  }
}

function settingOf(workload: Workload, streams: number, models: Models): Setting {
  return {
    model: models[workload.model],
    slots: workload.slots(streams),
    context: workload.context,
    threads: workload.threads ?? cores,
    speculation: workload.speculation,
  };
}

/** Our server over HTTP against the npm package in its own process, each with four sequences. */
async function runNodeLlamaCpp(models: Models): Promise<void> {
  const { chat } = WORKLOADS;
  const streams = 4;
  const series = newSeries('node-llama-cpp', streams, `${chat.title}; ${streams} sequences`);
  const setting = settingOf(chat, streams, models);
  for (let i = 0; i < rounds; i++) {
    const seed = `node-llama-cpp/${i}`;
    const served = await startOurs(setting);
    let ours: Measurement;
    try {
      await warmUp(served.target, chat.warmUp(streams, seed));
      ours = await chat.measure(served, streams, seed);
    } finally {
      await served.stop();
    }
    const theirs = await measureNodeLlamaCpp(setting, chat.waves(streams), seed);
    await keep(series, { ours, peer: theirs, bound: null });
  }
  tell(series);
}

async function runSoak({ tiny, smol }: Models): Promise<void> {
  const series = newSeries('soak', 16, `${requests} short requests, then 16 streams of short chat`);
  await keep(series, await soak({ tiny, smol, threads: cores, requests }));
  console.log(
    table(
      ['figure', 'value'],
      Object.entries(series.rounds[0]?.ours.figures ?? {}).map(([figure, value]) => [
        figure,
        value.toFixed(2),
      ]),
    ),
  );
}

function newSeries(workload: string, streams: number, title: string): Series {
  console.log(`\n${workload}: ${title}`);
  const series: Series = { workload, streams, rounds: [] };
  results.series.push(series);
  return series;
}

/** Writes all that is known so far and shows the round. */
async function keep(series: Series, round: Round): Promise<void> {
  series.rounds.push(round);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(results, null, 1)}\n`);
  const { ours, peer: theirs, bound } = round;
  const measured = [ours, ...(theirs ? [theirs] : [])];
  console.log(`round ${series.rounds.length}: Pilotlight${theirs ? ', then the peer' : ''}`);
  console.log(summaryTable(measured.map(({ summary }) => summary)));
  if (bound) console.log(`raw bound: ${bound.tokensPerSecond.toFixed(1)} tokens/s`);
  const failure = measured.find(({ summary }) => summary.failure)?.summary.failure;
  if (failure) throw new Error(`A request failed, so these numbers say nothing: ${failure}`);
}

function tell(series: Series): void {
  console.log(
    table(
      ['compared', 'median', 'quartiles', 'min to max', 'rounds', 'wanted', 'reached'],
      verdicts(series).map(({ name, ratio: r, target, better, isReached }) => [
        name,
        ratio(r.median),
        `${ratio(r.low)} to ${ratio(r.high)}`,
        `${ratio(r.min)} to ${ratio(r.max)}`,
        String(r.rounds),
        target === null ? '' : `${better === 'higher' ? '≥' : '≤'} ${target}`,
        isReached === null ? '' : isReached ? 'yes' : 'no',
      ]),
    ),
  );
}
