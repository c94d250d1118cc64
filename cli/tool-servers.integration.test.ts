// What tool servers have started ends with Pilotlight, however Pilotlight ends.
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type McpServer, mcpServerListSchema } from '../protocol/mcp.js';
import { ensureTestModels } from '../scripts/test-models/test-models.js';
import { answerIn, askIn, getChat, newChat } from '../server/chats/test-chats.js';
import { testProgram } from '../server/mcp/test-program.js';
import { type Run, requireProgram, runProgram } from './test-program.js';

/** Milliseconds between two looks at what the system has. */
const LOOK_MS = 50;

let dataDir: string;
let run: Run;
let url: string;
beforeAll(requireProgram);
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-tool-servers-'));
  const files = await ensureTestModels(path.join(import.meta.dirname, '..', 'out', 'test-models'));
  await mkdir(path.join(dataDir, 'models'));
  await copyFile(files.toolcall, path.join(dataDir, 'models', 'toolcall.gguf'));
  await serve();
});
afterEach(async () => {
  run.child.kill('SIGKILL');
  await run.ended;
  await rm(dataDir, { recursive: true, force: true });
});

async function serve(): Promise<void> {
  const options = ['--port', '0', '--data', dataDir, '--model', 'toolcall', '--threads', '1'];
  run = runProgram(['serve', ...options, '--ctx', '2048']);
  url = await run.ready;
}

async function send(method: string, route: string, body?: object): Promise<McpServer[]> {
  const response = await fetch(`${url}/pilotlight/mcp/${route}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return mcpServerListSchema.parse(await response.json()).servers;
}

/** Starts one that ignores all that it can, with a child that does so too. @returns both. */
async function startStubborn(): Promise<number[]> {
  await send('PUT', 'servers', { mcpServers: { stubborn: testProgram('stubborn') } });
  await send('PATCH', 'servers/stubborn', { enabled: true });
  for (;;) {
    const [server] = await send('GET', 'servers');
    const line = server?.log.find((each) => each.startsWith('pids '));
    if (server?.status === 'ready' && line) return line.split(' ').slice(1).map(Number);
    await wait(LOOK_MS);
  }
}

/** Zombies are gone too: they only wait for someone to notice. */
function isRunning(pid: number): boolean {
  try {
    const state = execFileSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' });
    return !state.trim().startsWith('Z');
  } catch {
    return false;
  }
}

async function allGone(pids: readonly number[]): Promise<void> {
  while (pids.some(isRunning)) await wait(LOOK_MS);
}

it.skipIf(process.platform === 'win32')('it is stopped', async () => {
  const pids = await startStubborn();
  expect(pids.map(isRunning)).toEqual([true, true]);
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(0);
  await allGone(pids);
});

it.skipIf(process.platform === 'win32')('it is killed', async () => {
  const pids = await startStubborn();
  run.child.kill('SIGKILL');
  await run.ended;
  await allGone(pids);
});

it.skipIf(process.platform === 'win32')('the tool server is switched off', async () => {
  const pids = await startStubborn();
  await send('PATCH', 'servers/stubborn', { enabled: false });
  await allGone(pids);
  expect((await send('GET', 'servers'))[0]?.status).toBe('off');
});

/** Resolves once a call that waits for the person is in the file. */
async function untilWaitingIsKept(): Promise<void> {
  const database = new DatabaseSync(path.join(dataDir, 'pilotlight.sqlite'));
  const sql = `SELECT count(*) AS waiting FROM chat_messages WHERE parts LIKE '%"state":"waiting"%'`;
  while (Number(database.prepare(sql).get()?.waiting) === 0) await wait(LOOK_MS);
  database.close();
}

it('a call that waits when it is killed comes to nothing, and nothing is lost', async () => {
  await send('PUT', 'servers', { mcpServers: { weather: testProgram() } });
  await send('PATCH', 'servers/weather', { enabled: true });
  const { id } = await newChat({ server: { url } });
  const { answer_ids } = await askIn({ server: { url } }, id, 'What is the weather in Rome?');
  await untilWaitingIsKept();
  run.child.kill('SIGKILL');
  await run.ended;
  await serve();
  const answer = answerIn(await getChat({ server: { url } }, id), answer_ids[0]);
  expect(answer.status).toBe('interrupted');
  expect(answer.parts.at(-1)).toMatchObject({
    ...{ type: 'tool_call', tool: 'get_weather', state: 'refused', reason: 'stopped' },
  });
});
