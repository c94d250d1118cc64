// The built command line against the hub of tests.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestHub } from '../server/hub/test-hub.js';
import { testGguf } from '../server/library/test-gguf.js';
import { runCli } from './test-cli.js';

let hub: TestHub;
let dataDir: string;

beforeEach(async () => {
  hub = await TestHub.start();
  dataDir = await mkdtemp(path.join(tmpdir(), 'pilotlight-search-'));
  const settings = { hub_endpoint: hub.endpoint };
  await writeFile(path.join(dataDir, 'settings.json'), JSON.stringify(settings));
  const files = { 'tiny-Q8_0.gguf': testGguf(), 'tiny-Q4_K_M.gguf': testGguf({ dataBytes: 1 }) };
  hub.addRepo('ada/tiny-GGUF', {
    ...{ files, downloads: 1234, likes: 5, license: 'mit', gated: true },
    task: 'text-\u001b[31mred',
  });
  hub.addRepo('bob/tiny-GGUF', { files, downloads: 99 });
});
afterEach(async () => {
  await hub.close();
  await rm(dataDir, { recursive: true });
});

const search = (...args: string[]) => runCli(['search', '--data', dataDir, ...args]);

test('lists models, those with most downloads first where asked', async () => {
  const { code, stdout, stderr } = await search('tiny', 'gguf', '--sort', 'downloads');
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain('There is no model with GGUF files for "tiny gguf"');
  const found = await search('tiny', '--sort', 'downloads');
  expect(found.stdout.split('\n')).toEqual([
    'MODEL          DOWNLOADS  LIKES  CHANGED     NOTES',
    'ada/tiny-GGUF  1,234      5      2026-01-02  gated, text-\uFFFD[31mred',
    'bob/tiny-GGUF  99         0      2026-01-02',
    '',
  ]);
});

test('shows what can be fetched of a model', async () => {
  const { code, stdout, stderr } = await search('ada/tiny-GGUF');
  expect(code).toBe(0);
  const lines = stdout.split('\n').map((line) => line.split(/\s+/).slice(0, 2));
  expect(lines.slice(0, 3)).toEqual([
    ['VARIANT', 'FORMAT'],
    ['tiny-Q4_K_M', 'Q4_K_M'],
    ['tiny-Q8_0', 'Q8_0'],
  ]);
  expect(stderr).toContain('licence mit');
});

test('writes JSON, and failures in words', async () => {
  const { stdout } = await search('tiny', '--json', '--limit', '1');
  expect(JSON.parse(stdout)).toMatchObject([{ repo: expect.stringMatching(/tiny/) }]);
  const none = await search('ada/none');
  expect([none.code, none.stdout]).toEqual([1, '']);
  expect(none.stderr).toMatch(/^There is no model ada\/none on /);
  hub.misbehave({ kind: 'status', status: 503 }, { place: 'api' });
  expect((await search('tiny')).stderr).toMatch(/is in trouble \(503\)/);
});
