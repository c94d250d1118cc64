import { expect, test } from 'vitest';
import { CommandError, run, watchChildren } from './process.mjs';

const node = process.execPath;

test('hands on whole lines, also of a bar that redraws itself, and returns all output', async () => {
  const lines: string[] = [];
  const script =
    'process.stdout.write("one\\ntw"); setImmediate(() => process.stdout.write("o\\rthree\\n"))';
  const { output } = await run(node, ['-e', script], { onLine: (line) => lines.push(line) });
  expect(lines).toEqual(['one', 'two', 'three']);
  expect(output).toBe('one\ntwo\rthree\n');
});

test('a failure carries the status and the last lines', async () => {
  const script = 'for (let i = 1; i <= 50; i++) console.error("line " + i); process.exitCode = 3';
  const failure = await run(node, ['-e', script]).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CommandError);
  expect((failure as CommandError).message).toMatch(/ended with status 3$/);
  expect((failure as CommandError).output.split('\n')).toHaveLength(30);
  expect((failure as CommandError).output).toMatch(/line 50$/);
});

test('a program that does not exist is named', async () => {
  await expect(run('no-such-program-here', [])).rejects.toThrow(
    /no-such-program-here could not be started/,
  );
});

test('a program that hangs is ended', async () => {
  const script = 'setInterval(() => {}, 1000)';
  await expect(run(node, ['-e', script], { timeoutMs: 300 })).rejects.toThrow(/did not finish/);
});

test('other statuses can count as success', async () => {
  const { status } = await run(node, ['-e', 'process.exitCode = 1'], { okStatus: [0, 1] });
  expect(status).toBe(1);
});

test('tells which groups are running, until they have ended', async () => {
  const seen: number[] = [];
  const unwatch = watchChildren((pids) => seen.push(pids.length));
  await run(node, ['-e', '']);
  unwatch();
  expect(seen).toEqual([1, 0]);
});
