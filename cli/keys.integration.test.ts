// The built command line, beside a server that runs all the while.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type TestServer, testServers } from '../server/test-server.js';
import { runCli } from './test-cli.js';

const start = testServers();

const keys = (test: TestServer, ...args: string[]) =>
  runCli(['keys', ...args, '--data', test.dataDir]);

async function status({ server }: TestServer, key?: string): Promise<number> {
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
  return (await fetch(`${server.url}/v1/models`, { headers })).status;
}

describe('keys', () => {
  it('open and shut a running server at once, each on its own', async () => {
    const test = await start({ models: ['scripted'], config: { apiKeys: [], windowKey: 'w' } });
    expect(await status(test)).toBe(200);

    const added = await keys(test, 'add', 'laptop');
    expect(added.code).toBe(0);
    expect(added.stderr).toContain('"laptop"');
    const laptop = added.stdout.trimEnd();
    expect(added.stdout).toMatch(/^pl-[\w-]{43}\n$/);
    const ci = (await keys(test, 'add', 'ci')).stdout.trimEnd();
    expect(
      await Promise.all([undefined, 'x', laptop, ci, 'w'].map((key) => status(test, key))),
    ).toEqual([401, 401, 200, 200, 200]);

    const listed = await keys(test, 'list');
    expect(listed.stdout).toMatch(/^laptop\t\d{4}-.+Z\nci\t\d{4}-.+Z\n$/);
    expect((await keys(test, 'remove', 'laptop')).code).toBe(0);
    expect(await Promise.all([laptop, ci].map((key) => status(test, key)))).toEqual([401, 200]);
    expect((await keys(test, 'remove', 'ci')).stderr).toContain('the last one');
    expect(await status(test)).toBe(200);

    const log = await readFile(path.join(test.dataDir, 'logs', 'server.log'), 'utf8');
    const clients = log.split('\n').flatMap((line) => (line ? [JSON.parse(line).client] : []));
    expect(new Set(clients)).toEqual(new Set([undefined, 'laptop', 'ci', 'window']));
    for (const key of [laptop, ci]) expect(log).not.toContain(key);
  });

  it('that cannot be are refused in a sentence', async () => {
    const test = await start();
    for (const [args, sentence] of [
      [['add', 'a b'], /name has 1 to 64 letters/],
      [['remove', 'nobody'], /There is no key "nobody"\. There are none\./],
      [['add'], /missing required argument 'name'[\s\S]*Try "pilotlight keys add --help"\.$/m],
      [['ad', 'x'], /unknown command 'ad'[\s\S]*Try "pilotlight keys --help"\.$/m],
    ] as const) {
      const said = await keys(test, ...args);
      expect([said.code, said.stdout]).toEqual([1, '']);
      expect(said.stderr).toMatch(sentence);
    }
    expect(await keys(test, 'list')).toMatchObject({ code: 0, stdout: '' });
  });
});
