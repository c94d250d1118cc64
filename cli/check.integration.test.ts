// The self-test from the command line.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SELF_TESTS } from '../protocol/self-test.js';
import { startTestServer, type TestServer } from '../server/test-server.js';
import { runCli } from './test-cli.js';
import { requireProgram } from './test-program.js';

let test: TestServer;
beforeAll(async () => {
  requireProgram();
  test = await startTestServer({ models: ['scripted'], config: { apiKeys: ['secret-key'] } });
});
afterAll(() => test.close());

it('says line by line what holds, and ends with 0', async () => {
  const { code, stdout, stderr } = await runCli([
    ...['check', test.server.url, '--api-key', 'secret-key'],
  ]);
  expect([code, stderr]).toEqual([0, `${test.server.url}, scripted\n`]);
  expect(stdout).toMatch(/^✓ a streamed chat completion +\d+ ms {2}\d+ tokens$/m);
  expect(stdout).toMatch(/^– a tool call +the model knows no tools$/m);
  expect(stdout).toMatch(/^✓ keys are asked for/m);
  expect(stdout).toMatch(/^\d+ passed, 0 failed, \d+ skipped$/m);
  expect(stdout).not.toContain('secret-key');
});

it('is JSON for programs, and ends with 1 where something fails', async () => {
  const { code, stdout } = await runCli(['check', test.server.url, '--json'], {
    ...process.env,
    PILOTLIGHT_API_KEY: 'wrong',
  });
  const { failed, results } = JSON.parse(stdout);
  expect([code, results.length]).toEqual([1, SELF_TESTS.length]);
  expect(failed).toBeGreaterThan(0);
});

it('says where nobody is, and what is no address', async () => {
  const nobody = await runCli(['check', 'http://127.0.0.1:9']);
  expect([nobody.code, nobody.stdout]).toEqual([1, expect.stringContaining('✗ the server')]);
  const wrong = await runCli(['check', 'ftp://x']);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('is not the URL')]);
});
