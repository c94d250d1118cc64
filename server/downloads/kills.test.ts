// Processes that are killed at any moment of a download, one after the other: what arrives in the end is whole.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestHub } from '../hub/test-hub.js';
import { filesIn, putRandom, REPO, sha256 } from './test-downloads.js';

const KILLS = 8;
const PARTS = ['m-00001-of-00002.gguf', 'm-00002-of-00002.gguf'];
const SIZE = 1_500_000;

const sourceOf = (name: string) =>
  JSON.stringify(pathToFileURL(path.join(import.meta.dirname, name)).href);

/** Fetches both parts, telling the bytes that it has. */
const SCRIPT = `
import { Downloads } from ${sourceOf('downloads.ts')};
import { openHub } from ${sourceOf('../hub/hub.ts')};
const [modelsDir, endpoint, files] = process.argv.slice(1);
const variant = {
  name: 'm', quantization: null, files: JSON.parse(files), size_bytes: 0,
};
const downloads = await Downloads.open({
  modelsDir: () => modelsDir,
  hub: openHub({
    endpoint: () => endpoint, secrets: { get: async () => null }, env: {}, resolveProxy: null,
  }).client,
  details: async () => ({ revision: 'main', variants: [variant] }),
  memory: () => 1e9,
  onArrived: async () => null,
  log: { info() {}, warn() {} },
  goOn: true,
  rules: { retry: { firstMs: 1, longestMs: 10, tries: 50 }, stallMs: 60000 },
});
const tell = () => console.log(JSON.stringify(downloads.list().map((each) => each.received_bytes)));
tell();
downloads.subscribe(tell);
const never = new AbortController().signal;
const { id } = await downloads.start({ repo: ${JSON.stringify(REPO)}, revision: 'main' }, never);
console.log((await downloads.settled(id, never)).status);
process.exit(0);
`;

let hub: TestHub;
let modelsDir: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  hub = await TestHub.start();
  hub.addRepo(REPO);
  modelsDir = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-kills-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await hub.close();
  await rm(modelsDir, { recursive: true, force: true });
});

/** Ends with what it said last; killed once it has so many bytes. `before`: what it found; null: nothing. */
async function run(
  files: object[],
  killAt: number,
): Promise<{ last: string; before: number | null }> {
  const args = ['--import', 'tsx', '--input-type=module', '-e', SCRIPT];
  const child = spawn(process.execPath, [...args, modelsDir, hub.endpoint, JSON.stringify(files)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const closed = once(child, 'close');
  let last = '';
  let before: number | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    const isFirst = last === '';
    last = line;
    if (!line.startsWith('[')) break;
    const [bytes] = JSON.parse(line) as number[];
    if (isFirst) before = bytes ?? null;
    if ((bytes ?? 0) >= killAt) child.kill('SIGKILL');
  }
  await closed;
  return { last, before };
}

it(`${KILLS} kills, and the files are whole`, async () => {
  const told = PARTS.map((part) => ({
    ...{ path: part, size_bytes: SIZE, sha256: sha256(putRandom(hub, part, SIZE)) },
  }));
  const starts: number[] = [];
  for (let kill = 1; kill <= KILLS; kill++) {
    // So far and no further, so that it is killed before its end however slow this machine is.
    const end = Math.floor((2 * SIZE * kill) / (KILLS + 1));
    const path = PARTS[end < SIZE ? 0 : 1] ?? '';
    hub.misbehave({ kind: 'stall', at: end % SIZE }, { path });
    const { before } = await run(told, end - Math.floor((Math.random() * SIZE) / KILLS));
    starts.push(before ?? 0);
    hub.behave();
  }
  // Each went on where the one before had been.
  expect(starts).toEqual([...starts].sort((a, b) => a - b));
  expect(starts.at(-1)).toBeGreaterThan(SIZE);
  expect((await run(told, Number.POSITIVE_INFINITY)).last).toBe('done');
  expect(await filesIn(modelsDir)).toEqual(
    Object.fromEntries(told.map((file) => [`${REPO}/${file.path}`, file.sha256])),
  );
  expect(await readdir(modelsDir)).toEqual(['ada']);
});
