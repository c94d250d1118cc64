// The built command line, beside a server that runs all the while.
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type TestServer, testServers } from '../server/test-server.js';
import { runCli } from './test-cli.js';

const start = testServers();

const inspectorKey = ({ dataDir }: TestServer, ...args: string[]) =>
  runCli(['inspector', 'key', '--data', dataDir, ...args]);

async function status({ server }: TestServer, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch(`${server.url}/pilotlight/inspector`, { headers })).status;
}

it('the key opens a running server at once, is shown again, and shuts when there is a new one', async () => {
  const test = await start();
  const first = await inspectorKey(test);
  expect(first.code).toBe(0);
  expect(first.stdout).toMatch(/^pl-inspector-[\w-]{43}\n$/);
  expect(first.stderr).toContain('inspector.key');
  expect(first.stderr).not.toContain(first.stdout.trim());
  const key = first.stdout.trim();
  expect(await status(test, key)).toBe(200);
  expect((await inspectorKey(test)).stdout.trim()).toBe(key);
  if (process.platform !== 'win32') {
    const { mode } = await stat(path.join(test.dataDir, 'inspector.key'));
    expect(mode & 0o777).toBe(0o600);
  }
  const second = (await inspectorKey(test, '--new')).stdout.trim();
  expect([await status(test, key), await status(test, second)]).toEqual([403, 200]);
});

it('what cannot be is told in a sentence', async () => {
  const test = await start();
  await writeFile(path.join(test.dataDir, 'inspector.key'), 'something else');
  const said = await inspectorKey(test);
  expect([said.code, said.stdout]).toEqual([1, '']);
  expect(said.stderr).toMatch(/^The inspector's key in .* is damaged: delete the file\.\n$/);
});
