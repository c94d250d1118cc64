import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { LevelPlan } from '../load/run-level.js';
import { BenchProgress } from './bench-progress.js';

const plan: LevelPlan = {
  ...{ concurrency: 4, until: { requests: 8 }, rate: null, warmUp: 0, timeoutMs: 1000 },
  shape: { protocol: 'chat', model: null, maxTokens: 8, usage: true, fields: {} },
  prompt: (mark) => mark,
};

function screen(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 80, rows: 24 });
  let text = '';
  stream.on('data', (part: Buffer) => {
    text += part.toString();
  });
  const shows = async (words: string) => {
    while (!text.includes(words)) await new Promise((resolve) => stream.once('data', resolve));
  };
  return { stream, shows, text: () => text };
}

it('a terminal shows how far it is', async () => {
  const { stream, shows } = screen(true);
  const progress = new BenchProgress(stream);
  progress.start(plan);
  await shows('4 at once');
  await shows('warming up');
  progress.begin();
  progress.output();
  progress.answer(true);
  progress.answer(false);
  await shows('2 of 8');
  await shows('1 not in order');
  progress.stop();
});

it('anything else gets nothing', () => {
  const { stream, text } = screen(false);
  const progress = new BenchProgress(stream);
  progress.start({ ...plan, until: { durationMs: 1000 } });
  progress.begin();
  progress.answer(true);
  progress.stop();
  expect(text()).toBe('');
});
