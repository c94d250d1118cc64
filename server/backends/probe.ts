/** Tries a module in an engine process that may be lost over it. */
import type { BackendModule } from '../../protocol/engine-channel.js';
import { type ExpendableAnswer, ExpendableProcess } from '../engine/expendable.js';
import type { SpawnEngine } from '../engine/spawn.js';

/** A GPU’s first start compiles its kernels, on a slow machine for minutes; a hang takes longer. Milliseconds. */
const PATIENCE = 180_000;

export type Probe =
  | { outcome: 'works'; module: BackendModule }
  /** It says itself that it cannot be used: a library is missing, the processor lacks something. */
  | { outcome: 'refused'; reason: string }
  /** It crashed, hung or computed wrong results. */
  | { outcome: 'broken'; reason: string };

export interface ProbeTarget {
  name: string;
  file: string;
}

/** Loads a module and computes with it. Never rejects. */
export async function probeModule(spawn: SpawnEngine, { name, file }: ProbeTarget): Promise<Probe> {
  const process = new ExpendableProcess(spawn, PATIENCE);
  const answer = await process.ask({ type: 'probe', file });
  process.end();
  if (answer.type === 'probed') return { outcome: 'works', module: answer.module };
  if (answer.type === 'probe-failed') {
    return { outcome: answer.broken ? 'broken' : 'refused', reason: answer.message };
  }
  return { outcome: 'broken', reason: crashReason(name, answer) };
}

/** How well each module suits the processor; one that crashes gets a reason instead. Never rejects. */
export async function scoreModules(
  spawn: SpawnEngine,
  modules: readonly ProbeTarget[],
): Promise<(number | { reason: string })[]> {
  const scores = [];
  let process: ExpendableProcess | null = null;
  for (const { name, file } of modules) {
    process ??= new ExpendableProcess(spawn, PATIENCE);
    const answer: ExpendableAnswer = await process.ask({ type: 'score', file });
    if (answer.type === 'scored') {
      scores.push(answer.score);
      continue;
    }
    scores.push({ reason: crashReason(name, answer) });
    process.end();
    process = null;
  }
  process?.end();
  return scores;
}

function crashReason(name: string, answer: ExpendableAnswer): string {
  if (answer.type === 'late') {
    return `The backend module ${name} did not answer within ${PATIENCE / 1000} seconds when it was tried.`;
  }
  if (answer.type !== 'exit')
    return `The backend module ${name} gave a wrong answer when it was tried.`;
  const { code, signal } = answer.exit;
  return `The backend module ${name} crashed when it was tried (${signal ?? `code ${code}`}).`;
}
