// The built command line against a real server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../server/test-server.js';
import { runCli } from './test-cli.js';

const KEY = 'pl-secret-0123456789';
let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({
    models: ['random', 'scripted', 'unknown-arch'],
    config: { apiKeys: [KEY] },
  });
});
afterAll(() => test.close());

const run = (...args: string[]) =>
  runCli([...args, '--url', test.server.url], { ...process.env, PILOTLIGHT_API_KEY: KEY });

describe('a model', () => {
  it('is loaded, listed and unloaded', async () => {
    const loaded = await run('load', 'scripted', '--ctx', '512', '--ttl', '600', '--pin');
    expect(loaded).toMatchObject({ code: 0, stderr: '' });
    expect(loaded.stdout).toMatch(
      /^scripted is loaded in \d.* on CPU, with 512 tokens of context\.$/m,
    );
    const listed = await run('ps');
    expect(listed.stdout).toMatch(/^ID +STATUS +MEMORY +CONTEXT +RUNNING +WAITING +ON$/m);
    expect(listed.stdout).toMatch(/^scripted +loaded, pinned +.* 512 +0 +0 +CPU$/m);
    const { stdout } = await run('ps', '--json');
    const ids = (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
    expect(ids).toContain('scripted');
    expect(await run('unload', 'scripted')).toMatchObject({
      ...{ code: 0, stdout: 'scripted is in memory no more.\n' },
    });
    await run('unload', 'random');
    expect((await run('ps')).stderr).toMatch(/^No model is in memory\./);
  });

  it.each<[string[], RegExp]>([
    [['load', 'unknown-arch'], /martian/],
    [['load', 'nobody'], /There is no model "nobody"/],
    [['unload', '../no body'], /There is no model/],
    [['load', 'scripted', '--ctx', '0'], /--ctx.*whole number/],
    [['load', 'scripted', '--ttl', 'soon'], /--ttl.*whole number/],
  ])('%j is refused in a sentence', async (args, sentence) => {
    const said = await run(...args);
    expect(said).toMatchObject({ code: 1, stdout: '' });
    expect(said.stderr).toMatch(sentence);
  });
});

describe('a server', () => {
  const env = { ...process.env, PILOTLIGHT_API_KEY: '' };
  it('that wants a key says so, and the key is never shown', async () => {
    const none = await runCli(['ps', '--url', test.server.url], env);
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toContain('wants a key');
    const wrong = ['ps', '--url', test.server.url, '--api-key', 'pl-wrong'];
    expect((await runCli(wrong, env)).stderr).not.toContain('pl-wrong');
  });

  it.each<[string, RegExp]>([
    [
      'http://127.0.0.1:9',
      /^Nobody listens at http:\/\/127\.0\.0\.1:9\. Start the app.* with --url\.$/m,
    ],
    ['ftp://a', /is not the URL of a server/],
    ['nonsense', /is not the URL of a server/],
  ])('%s is none', async (url, sentence) => {
    const said = await runCli(['ps', '--url', url], env);
    expect(said).toMatchObject({ code: 1, stdout: '' });
    expect(said.stderr).toMatch(sentence);
  });
});
