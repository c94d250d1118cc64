import { expect, it } from 'vitest';
import { groups, parseBatchedBench } from './raw-bound.js';

it('measures waves that differ in their output only in one call', () => {
  const wave = { streams: 4, prompt: 55, output: 48 };
  const prefill = { ...wave, isPrefillOnly: true };
  expect(groups([wave, { ...wave, output: 64 }, prefill, { ...wave, output: 96 }])).toEqual([
    [wave, { ...wave, output: 64 }, { ...wave, output: 96 }],
    [prefill],
  ]);
});

it('reads the lines of numbers among the others', () => {
  const line = '{"pp": 55, "tg": 48, "pl": 4, "t_pp": 0.5, "t_tg": 1.5, "speed": 100}';
  const output = `main: n_kv_max = 1024\n\n${line}\n{"other": 1}\nllama_perf: done\n`;
  expect(parseBatchedBench(output)).toEqual([
    expect.objectContaining({ pl: 4, tg: 48, t_pp: 0.5, t_tg: 1.5 }),
  ]);
});
