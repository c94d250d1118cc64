// A server that is killed while it writes an answer, as a process of its own: what had come is there, and can go on.
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { chatSchema } from '../protocol/chats.js';
import { LONG_CYCLE_TEXT } from '../scripts/test-models/scripts.js';
import { ensureTestModels } from '../scripts/test-models/test-models.js';
import {
  answerIn,
  askIn,
  hasStatus,
  openWindow,
  request,
  saidIn,
} from '../server/chats/test-chats.js';
import { type Run, requireProgram, runProgram } from './test-program.js';

let dataDir: string;
const running: Run[] = [];
beforeAll(requireProgram);
beforeEach(async () => {
  const files = await ensureTestModels(path.join(import.meta.dirname, '..', 'out', 'test-models'));
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-chat-kills-'));
  await mkdir(path.join(dataDir, 'models'));
  await copyFile(files['scripted-long'], path.join(dataDir, 'models', 'scripted-long.gguf'));
});
afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

async function serve() {
  const options = ['--port', '0', '--data', dataDir, '--model', 'scripted-long', '--threads', '1'];
  const run = runProgram(['serve', ...options, '--ctx', '30000']);
  running.push(run);
  return { run, server: { url: await run.ready } };
}

/** Resolves once so many characters of answers are in the file. */
async function untilKept(characters: number): Promise<void> {
  const database = new DatabaseSync(path.join(dataDir, 'pilotlight.sqlite'));
  const sql =
    "SELECT coalesce(sum(length(parts)), 0) AS kept FROM chat_messages WHERE status = 'running'";
  while (Number(database.prepare(sql).get()?.kept) < characters) await wait(20);
  database.close();
}

it('keeps what had come of an answer through the end of its server', async () => {
  const first = await serve();
  const settings = { sampling: { max_tokens: 29_000 } };
  const { id } = chatSchema.parse(await request(first, 'POST', '/chats', { settings }));
  const { answer_ids } = await askIn(first, id, 'Hi.');
  await untilKept(200);
  first.run.child.kill('SIGKILL');
  await first.run.ended;
  const second = await serve();
  const window = await openWindow(second, id);
  const answer = answerIn(window.chat, answer_ids[0]);
  const kept = saidIn(answer);
  expect(answer).toMatchObject({ status: 'interrupted', failure: null });
  expect(kept.length).toBeGreaterThan(100);
  expect(LONG_CYCLE_TEXT.repeat(10_000).startsWith(kept)).toBe(true);
  expect(window.list.chats).toMatchObject([{ id, answering: false, title: 'Hi.' }]);
  await request(second, 'PATCH', `/chats/${id}`, { settings: { sampling: { max_tokens: 10 } } });
  await request(second, 'POST', `/chats/${id}/messages/${answer_ids[0]}/continue`);
  await window.until(hasStatus(answer_ids[0], 'length'));
  const whole = answerIn(window.chat, answer_ids[0]);
  expect(saidIn(whole).length).toBeGreaterThan(kept.length);
  window.close();
});
