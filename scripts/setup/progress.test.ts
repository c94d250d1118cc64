import { expect, test } from 'vitest';
import { formatDuration, parseBuildLine, StepLine } from './progress.mjs';

test.each([
  ['[12/255] Building CXX object llama.cpp/src/llama.cpp.o', { percent: 4, detail: '12 of 255' }],
  [
    '[255/255] Linking CXX shared module Release/engine.node',
    { percent: 100, detail: '255 of 255' },
  ],
  ['[  7%] Building C object ggml.c.o', { percent: 7, detail: '' }],
  ['[100%] Built target engine', { percent: 100, detail: '' }],
])('reads %s', (line, progress) => {
  expect(parseBuildLine(line)).toEqual(progress);
});

test.each(['', 'ninja: Entering directory', '[0/0] nothing', '[9/2] impossible', ' [1/2] quoted'])(
  'takes "%s" for no progress',
  (line) => {
    expect(parseBuildLine(line)).toBeNull();
  },
);

test.each([
  [400, '0.4 s'],
  [9_960, '10 s'],
  [59_400, '59 s'],
  [185_000, '3 min 5 s'],
])('writes %d ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

function screen() {
  const written: string[] = [];
  return { written, write: (text: string) => written.push(text) };
}

test('without a terminal it prints a line each ten per cent', () => {
  const out = screen();
  const line = new StepLine(3, 5, 'Engine', out);
  line.start();
  for (let percent = 0; percent <= 100; percent++) line.percent(percent);
  line.done();
  expect(out.written.slice(0, 3)).toEqual([
    '[3/5] Engine …\n',
    '[3/5] Engine … 10 %\n',
    '[3/5] Engine … 20 %\n',
  ]);
  expect(out.written.filter((text) => text.includes('%'))).toHaveLength(9);
  expect(out.written.at(-1)).toMatch(/^\[3\/5\] Engine … done in \d+\.\d s\n$/);
});

test('a skipped percentage does not print the ones in between', () => {
  const out = screen();
  const line = new StepLine(1, 1, 'Engine', out);
  line.percent(57, '57 of 100');
  line.percent(59);
  line.percent(60);
  expect(out.written).toEqual(['[1/1] Engine … 57 % (57 of 100)\n', '[1/1] Engine … 60 %\n']);
});
