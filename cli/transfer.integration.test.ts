// The built command line against a real server.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatListSchema } from '../protocol/chats.js';
import { startTestServer, type TestServer } from '../server/test-server.js';
import { runCli } from './test-cli.js';

let test: TestServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-tést-'));
  test = await startTestServer({ models: [] });
});
afterAll(async () => {
  await test.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (...args: string[]) => runCli([...args, '--url', test.server.url], process.env);

async function titles(): Promise<string[]> {
  const response = await fetch(`${test.server.url}/pilotlight/chats`);
  return chatListSchema.parse(await response.json()).chats.map(({ title }) => title);
}

const CONVERSATION = {
  title: 'Von nebenan',
  conversation_id: '1',
  mapping: {
    a: {
      parent: null,
      message: { author: { role: 'user' }, content: { content_type: 'text', parts: ['Hi'] } },
    },
  },
};

it('chats come in, go out, are backed up and restored', async () => {
  const theirs = path.join(folder, 'conversations.json');
  await writeFile(theirs, JSON.stringify([CONVERSATION, { title: 'Broken', mapping: { a: 5 } }]));
  const came = await run('chats', 'import', theirs);
  expect(came).toMatchObject({ code: 0, stdout: '1 chat has come in.\n' });
  expect(came.stderr).toContain('conversations.json 2: It cannot be read');
  expect((await run('chats', 'import', theirs)).stdout).toMatch(
    /^0 chats have come in\. 1 had come in before and was left out/,
  );

  const out = path.join(folder, 'chats.json');
  expect(await run('chats', 'export', out)).toMatchObject({ code: 0, stdout: `${out}\n` });
  expect(await readFile(out, 'utf8')).toContain('Von nebenan');
  const again = await run('chats', 'export', out);
  expect(again.code).toBe(1);
  expect(again.stderr).toContain('is there already');

  const backup = path.join(folder, 'backup.zip');
  expect((await run('backup', backup)).code).toBe(0);
  const more = path.join(folder, 'more.json');
  await writeFile(
    more,
    JSON.stringify([{ ...CONVERSATION, conversation_id: '2', title: 'Later' }]),
  );
  await run('chats', 'import', more);
  const asked = await run('restore', backup);
  expect(asked.code).toBe(1);
  expect(asked.stderr).toMatch(/has 1 chat, to take the place of the 2 chats here.* --yes/s);
  expect((await titles()).length).toBe(2);
  const done = await run('restore', backup, '--yes');
  expect(done.code).toBe(0);
  expect(done.stdout).toMatch(/^1 chat of \S+ is back\. /);
  expect(await titles()).toEqual(['Von nebenan']);
  expect(existsSync(done.stdout.trim().split(' is in ')[1] ?? '')).toBe(true);
});

it('what is no such file is refused in a sentence', async () => {
  const words = path.join(folder, 'words.txt');
  await writeFile(words, 'hello');
  for (const [args, sentence] of [
    [['chats', 'import', path.join(folder, 'gone')], /There is no file/],
    [['chats', 'import', words], /holds no chats/],
    [['restore', words], /damaged/],
    [['chats', 'export', '--format', 'pdf'], /json, markdown/],
    [['chats', 'export', '--chat', 'gone'], /There is no chat "gone"/],
  ] as const) {
    const said = await run(...args);
    expect(said).toMatchObject({ code: 1, stdout: '' });
    expect(said.stderr).toMatch(sentence);
  }
});
