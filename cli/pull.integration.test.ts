// `pilotlight pull` and `pilotlight rm` as people run them, against a hub on this machine.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testHubs } from '../server/hub/test-client.js';
import type { TestHub } from '../server/hub/test-hub.js';
import { testGguf } from '../server/library/test-gguf.js';
import { type Run, requireProgram, runProgram } from './test-program.js';

const REPO = 'ada/tiny';
const FILE = 'tiny-Q4_K_M.gguf';
const SIZE = 300_000;
/** Where a connection hangs. */
const AT = 100_000;

const hubs = testHubs();
const running: Run[] = [];
let hub: TestHub;
let dataDir: string;
let bytes: Buffer;

beforeAll(requireProgram);
beforeEach(async () => {
  hub = await hubs.hub();
  bytes = randomBytes(SIZE);
  hub.addRepo(REPO, { files: { [FILE]: bytes } });
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-pull-'));
});
afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

function run(...args: string[]): Run {
  const started = runProgram([...args, '--data', dataDir], { HF_ENDPOINT: hub.endpoint });
  running.push(started);
  return started;
}

/** What it said, once it has ended. */
async function ended(started: Run) {
  const code = await started.ended;
  return { code, stdout: started.stdout(), stderr: started.stderr() };
}

const modelsDir = () => path.join(dataDir, 'models');
const fileOf = () => path.join(modelsDir(), 'ada', 'tiny', FILE);

/** Bytes of the part that is there. */
async function partOf(): Promise<number> {
  const folder = path.join(modelsDir(), '.downloads');
  const [id = 'none'] = await readdir(folder).catch(() => []);
  return (await stat(path.join(folder, id, '0.partial')).catch(() => null))?.size ?? 0;
}

/** A pull that hangs in its middle. */
async function hanging(): Promise<Run> {
  hub.misbehave({ kind: 'stall', at: AT });
  const started = run('pull', REPO);
  while ((await partOf()) < AT) await wait(5);
  return started;
}

const lastRange = () => hub.requests.filter(({ place }) => place === 'bytes').at(-1)?.headers.range;

describe('pull', () => {
  it('brings the model and says where it is', async () => {
    const told = await ended(run('pull', `hf.co/${REPO}:q4_k_m`));
    expect([told.code, told.stdout]).toEqual([0, `${fileOf()}\n`]);
    expect(told.stderr).toContain(`${REPO}: tiny-Q4_K_M, revision `);
    expect(told.stderr).toContain('All of it is here');
    expect(await readFile(fileOf())).toEqual(bytes);
    expect(await readdir(modelsDir())).toEqual(['ada']);
    // Once more: nothing comes.
    hub.requests.length = 0;
    expect((await ended(run('pull', REPO))).code).toBe(0);
    expect(hub.requests.filter(({ place }) => place !== 'api')).toEqual([]);
  });

  it('is paused by Ctrl-C, and says how to go on', async () => {
    const started = await hanging();
    started.child.kill('SIGINT');
    const told = await ended(started);
    expect(told.code).toBe(130);
    expect(told.stderr).toContain('Paused at 33 %.\nThe same command goes on with it.\n');
    expect((await ended(run('pull', REPO))).code).toBe(0);
    expect(lastRange()).toBe(`bytes=${AT}-`);
    expect(await readFile(fileOf())).toEqual(bytes);
  });

  it('that is killed is gone on with', async () => {
    const started = await hanging();
    // Another one leaves it alone as long as it lives.
    const other = await ended(run('pull', REPO));
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('Another process')]);
    started.child.kill('SIGKILL');
    await started.ended;
    expect((await ended(run('pull', REPO))).code).toBe(0);
    expect(lastRange()).toBe(`bytes=${AT}-`);
    expect(await readFile(fileOf())).toEqual(bytes);
  });

  it('says what goes wrong, and goes on', async () => {
    hub.misbehave({ kind: 'status', status: 503 }, { place: 'bytes' });
    const told = await ended(run('pull', REPO));
    expect(told.code).toBe(0);
    expect(told.stderr).toContain('is in trouble (503).');
  });

  it.each([
    ['ada/none', 'There is no model ada/none'],
    ['tiny', '"tiny" is no model of Hugging Face: name one as OWNER/NAME'],
    [`${REPO}:Q9`, 'ada/tiny has no "Q9". There are: Q4_K_M.'],
  ])('of %s is refused', async (name, words) => {
    const told = await ended(run('pull', name));
    expect([told.code, told.stdout]).toEqual([1, '']);
    expect(told.stderr).toContain(words);
    expect(told.stderr).not.toContain('    at ');
  });

  it('into a folder that is not there is refused', async () => {
    const told = await ended(run('pull', REPO, '--models', path.join(dataDir, 'none')));
    expect([told.code, told.stderr]).toEqual([1, expect.stringContaining('there is no folder')]);
  });
});

describe('rm', () => {
  beforeEach(async () => {
    await mkdir(path.dirname(fileOf()), { recursive: true });
    await writeFile(fileOf(), testGguf());
  });

  it('deletes nothing without a yes', async () => {
    const told = await ended(run('rm', 'tiny-Q4_K_M'));
    expect([told.code, told.stderr]).toEqual([1, expect.stringContaining('add --yes')]);
    expect(existsSync(fileOf())).toBe(true);
  });

  it('deletes the files and says which', async () => {
    const told = await ended(run('rm', 'tiny-Q4_K_M', '--yes'));
    expect([told.code, told.stdout]).toEqual([0, `${fileOf()}\n`]);
    expect(await readdir(modelsDir())).toEqual([]);
  });

  it('of what is not there says what there is', async () => {
    const told = await ended(run('rm', 'nobody', '--yes'));
    expect([told.code, told.stderr]).toEqual([
      1,
      expect.stringContaining('There are: tiny-Q4_K_M.'),
    ]);
  });
});
