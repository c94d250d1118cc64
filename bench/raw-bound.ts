/**
 * The raw bound: how long llama-batched-bench needs for the same prefill and decode at the same batch, without sampling,
 * chat template or HTTP.
 */
import { run } from '../scripts/setup/process.mjs';
import type { Setting } from './servers.js';

/** One wave: `streams` sequences that each take `prompt` tokens in and give `output` tokens. */
export interface Wave {
  streams: number;
  prompt: number;
  output: number;
  /** The prompt is computed once for all. */
  isShared?: boolean;
  /** Only its prefill counts. */
  isPrefillOnly?: boolean;
}

export interface RawBound {
  prefillMs: number;
  decodeMs: number;
  /** Output tokens over both. */
  tokensPerSecond: number;
}

/** All waves, one after another. */
export async function rawBound(
  program: string,
  setting: Setting,
  waves: readonly Wave[],
): Promise<RawBound> {
  const bound = { prefillMs: 0, decodeMs: 0, tokens: 0 };
  for (const group of groups(waves)) {
    const [wave] = group;
    if (wave === undefined) continue;
    for (const line of await batchedBench(program, setting, group)) {
      bound.prefillMs += line.t_pp * 1000;
      if (wave.isPrefillOnly) continue;
      bound.decodeMs += line.t_tg * 1000;
      bound.tokens += line.pl * line.tg;
    }
  }
  const { prefillMs, decodeMs, tokens } = bound;
  return { prefillMs, decodeMs, tokensPerSecond: (tokens / (prefillMs + decodeMs)) * 1000 };
}

/** Waves that one call can measure: they differ in their output only. */
export function groups(waves: readonly Wave[]): Wave[][] {
  const byKey = new Map<string, Wave[]>();
  for (const wave of waves) {
    const key = JSON.stringify({ ...wave, output: 0 });
    byKey.set(key, [...(byKey.get(key) ?? []), wave]);
  }
  return [...byKey.values()];
}

async function batchedBench(
  program: string,
  setting: Setting,
  group: readonly Wave[],
): Promise<Line[]> {
  const [{ streams, prompt, isShared } = { streams: 0, prompt: 0, isShared: false }] = group;
  const outputs = group.map(({ output }) => output);
  const context = Math.max(setting.context, prompt + Math.max(...outputs)) * streams;
  const { output } = await run(program, [
    ...['-m', setting.model, '-c', String(context), '--no-kv-unified', '-b', '2048', '-ub', '512'],
    ...['-t', String(setting.threads), '-npp', String(prompt), '-ntg', outputs.join(',')],
    ...['-npl', String(streams), '--output-format', 'jsonl', ...(isShared ? ['-pps'] : [])],
  ]);
  const lines = parseBatchedBench(output);
  if (lines.length !== group.length) {
    throw new Error(
      `llama-batched-bench gave ${lines.length} of ${group.length} lines:\n${output}`,
    );
  }
  return lines;
}

/** What is used of a line; times are seconds. */
interface Line {
  pl: number;
  tg: number;
  t_pp: number;
  t_tg: number;
}

export function parseBatchedBench(output: string): Line[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes('"t_tg"'))
    .map((line) => JSON.parse(line));
}
