import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { machineBusyMs, processTree, processUse } from './process-use.js';

describe.runIf(process.platform === 'linux')('on Linux', () => {
  it('adds up a process and those below it', async () => {
    const script = 'console.log(1); setInterval(() => {}, 1000)';
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      await once(child.stdout, 'data');
      const tree = processTree(process.pid);
      expect(tree[0]?.pid).toBe(process.pid);
      expect(tree.map(({ pid }) => pid)).toContain(child.pid);
      const own = processUse(child.pid ?? 0);
      expect(own?.rssBytes).toBeGreaterThan(2 ** 20);
      expect(processUse(process.pid)?.rssBytes).toBeGreaterThan(own?.rssBytes ?? 0);
      expect(machineBusyMs()).toBeGreaterThan(0);
    } finally {
      child.kill();
      await once(child, 'close');
    }
  });
});

it('knows nothing of a process that is not there', () => {
  expect(processUse(0)).toBeNull();
});
