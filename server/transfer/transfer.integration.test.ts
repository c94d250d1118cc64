import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type Chat, chatListSchema } from '../../protocol/chats.js';
import {
  importPreviewSchema,
  importResultSchema,
  restorePreviewSchema,
  restoreResultSchema,
} from '../../protocol/transfer.js';
import {
  converse,
  getChat,
  newChat,
  openWindow,
  request,
  testChatServers,
} from '../chats/test-chats.js';
import { failure, type TestServer } from '../test-server.js';

const start = testChatServers();

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

const at = ({ server }: TestServer, route: string) => `${server.url}/pilotlight/transfer/${route}`;

async function upload(
  test: TestServer,
  what: 'imports' | 'restores',
  body: Buffer | string,
  name = 'file.json',
) {
  const bytes = new Uint8Array(Buffer.from(body));
  const headers = { 'content-type': 'application/octet-stream' };
  return fetch(at(test, `${what}?name=${encodeURIComponent(name)}`), {
    method: 'POST',
    headers,
    body: bytes,
  });
}

async function bytesOf(test: TestServer, route: string): Promise<Buffer> {
  const response = await fetch(at(test, route));
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

const chatsOf = async (test: TestServer) =>
  chatListSchema.parse(await request(test, 'GET', '/chats'));

/** A chat with two branches, in a folder. */
async function someChat(test: TestServer, title = 'Über Rom 🛵'): Promise<Chat> {
  const folder = (await request(test, 'POST', '/chat-folders', { name: 'Reisen' })) as {
    folders: { id: string }[];
  };
  const folder_id = folder.folders[0]?.id ?? null;
  const chat = await newChat(test, {
    title,
    folder_id,
    settings: { system_prompt: 'Be brief.', seed: 5 },
  });
  const window = await openWindow(test, chat.id);
  const { answer_ids } = await converse(test, window, 'Where to?');
  await converse(test, window, 'And where else?', { parent_id: answer_ids[0] ?? null });
  window.close();
  return getChat(test, chat.id);
}

const shape = (chat: Chat) => ({
  title: chat.title,
  settings: chat.settings,
  messages: chat.messages.map((message) => [
    message.role,
    'text' in message ? message.text : message.parts,
  ]),
  times: chat.messages.map(({ created_at }) => created_at),
});

describe('an export', () => {
  test('as JSON comes in on another machine with all that it was', async () => {
    const here = await start({ models: ['scripted'] });
    const chat = await someChat(here);
    const file = await bytesOf(here, 'export?format=json');
    const there = await start({ models: ['scripted'] });
    const window = await openWindow(there);
    const preview = importPreviewSchema.parse(await (await upload(there, 'imports', file)).json());
    expect(preview).toMatchObject({
      format: 'pilotlight',
      chats: 1,
      messages: 4,
      known: 0,
      titles: [chat.title],
    });
    const result = await request(there, 'POST', `/transfer/imports/${preview.id}`);
    expect(importResultSchema.parse(result)).toEqual({ imported: 1, skipped: 0, refused: [] });
    await window.until(({ list }) => list.chats.length === 1 && list.folders[0]?.name === 'Reisen');
    const [summary] = (await chatsOf(there)).chats;
    const copy = await getChat(there, summary?.id ?? '');
    expect(shape(copy)).toEqual(shape(chat));
    expect(copy.leaf_id).toBe(copy.messages.at(-1)?.id);
    const found = await request(there, 'GET', '/chats/search?q=where%20else');
    expect(JSON.stringify(found)).toContain(copy.id);
  });

  test('that came in before is skipped, or copied where that is wanted, and can be taken back', async () => {
    const here = await start({ models: ['scripted'] });
    await someChat(here);
    const file = await bytesOf(here, 'export');
    const preview = importPreviewSchema.parse(await (await upload(here, 'imports', file)).json());
    expect(preview.known).toBe(1);
    const run = (body: object) => request(here, 'POST', `/transfer/imports/${preview.id}`, body);
    expect(await run({})).toMatchObject({ imported: 0, skipped: 1 });
    expect(await run({ known: 'copy' })).toMatchObject({ imported: 1, skipped: 0 });
    expect((await chatsOf(here)).chats.length).toBe(2);
    expect(await request(here, 'POST', `/transfer/imports/${preview.id}/undo`)).toEqual({
      deleted: 1,
    });
    expect((await chatsOf(here)).chats.length).toBe(1);
  });

  test('as Markdown is a text for one chat and an archive for several, and comes in', async () => {
    const here = await start({ models: ['scripted'] });
    const { id, messages } = await someChat(here);
    const one = await fetch(at(here, `export?format=markdown&chats=${id}`));
    expect(one.headers.get('content-disposition')).toContain(
      "filename*=UTF-8''%C3%9Cber%20Rom%20%F0%9F%9B%B5.md",
    );
    const text = await one.text();
    expect(text).toContain('Where to?');
    await someChat(here, '');
    const archive = await bytesOf(here, 'export?format=markdown');
    expect(archive.subarray(0, 2).toString()).toBe('PK');
    const there = await start({ models: ['scripted'] });
    const response = await upload(there, 'imports', archive, 'chats.zip');
    const preview = importPreviewSchema.parse(await response.json());
    expect(preview).toMatchObject({ format: 'markdown', chats: 2, messages: 2 * messages.length });
  });

  test('of what is not there, or in another format, is refused', async () => {
    const here = await start({ models: [] });
    expect((await fetch(at(here, 'export?chats=chat_gone'))).status).toBe(404);
    expect(await failure(await fetch(at(here, 'export?format=pdf')))).toMatchObject({
      status: 400,
    });
  });
});

describe('a file that comes in', () => {
  test('is refused in words where it is empty or no chats, and leaves nothing behind', async () => {
    const here = await start({ models: [] });
    expect(await failure(await upload(here, 'imports', ''))).toMatchObject({
      status: 400,
      code: 'empty_file',
    });
    expect(await failure(await upload(here, 'imports', 'hello'))).toMatchObject({
      code: 'unreadable_file',
    });
    expect(await failure(await upload(here, 'imports', '[]', ''))).toMatchObject({ param: 'name' });
    expect(readdirSync(path.join(here.dataDir, 'incoming'))).toEqual([]);
    expect((await fetch(at(here, 'imports/gone'), { method: 'POST' })).status).toBe(404);
  });

  test('brings in what is whole where its end is missing', async () => {
    const here = await start({ models: [] });
    const mapping = {
      a: {
        parent: null,
        message: { author: { role: 'user' }, content: { content_type: 'text', parts: ['Hi'] } },
      },
    };
    const text = JSON.stringify([
      { title: 'A', conversation_id: '1', mapping },
      { title: 'B', mapping },
    ]);
    const preview = importPreviewSchema.parse(
      await (await upload(here, 'imports', text.slice(0, -20))).json(),
    );
    expect(preview).toMatchObject({
      chats: 1,
      refused: [{ reason: expect.stringContaining('cut off') }],
    });
    const result = importResultSchema.parse(
      await request(here, 'POST', `/transfer/imports/${preview.id}`),
    );
    expect(result).toMatchObject({ imported: 1, refused: [{}] });
    expect((await chatsOf(here)).chats.map(({ title }) => title)).toEqual(['A']);
  });
});

describe('a backup', () => {
  test('puts back what was deleted and changed since, and keeps aside what was there', async () => {
    const here = await start({ models: ['scripted'] });
    const chat = await someChat(here);
    await request(here, 'PATCH', '/settings', { preferences: { accent: 'green' } });
    const backup = await bytesOf(here, 'backup');
    await request(here, 'DELETE', `/chats/${chat.id}`);
    const later = await newChat(here, { title: 'Later' });
    await request(here, 'PATCH', '/settings', { preferences: { accent: 'rose' } });

    const window = await openWindow(here);
    const opened = await openWindow(here, later.id);
    const preview = restorePreviewSchema.parse(
      await (await upload(here, 'restores', backup, 'b.zip')).json(),
    );
    expect(preview).toMatchObject({ chats: 1, messages: 4, chats_now: 1 });
    const result = restoreResultSchema.parse(
      await request(here, 'POST', `/transfer/restores/${preview.id}`),
    );
    await window.until(({ list }) => list.chats.length === 1 && list.chats[0]?.id === chat.id);
    // The chat that it shows is not in the backup.
    await opened.until((seen) => seen.chat === null);
    expect(await getChat(here, chat.id)).toEqual(chat);
    const settings = (await request(here, 'GET', '/settings')) as {
      preferences: { accent: string };
    };
    expect(settings.preferences.accent).toBe('green');

    const aside = await readFile(result.kept_aside);
    const undo = restorePreviewSchema.parse(
      await (await upload(here, 'restores', aside, 'aside.zip')).json(),
    );
    await request(here, 'POST', `/transfer/restores/${undo.id}`);
    expect((await chatsOf(here)).chats.map(({ id }) => id)).toEqual([later.id]);
    // The window and its search go on with what is there now.
    expect(JSON.stringify(await request(here, 'GET', '/chats/search?q=where'))).not.toContain(
      chat.id,
    );
  });

  test('that is damaged, of a newer version or something else changes nothing', async () => {
    const here = await start({ models: ['scripted'] });
    await newChat(here, { title: 'Here' });
    const backup = await bytesOf(here, 'backup');
    const broken = Buffer.from(backup);
    const place = broken.indexOf('SQLite format 3');
    broken.writeUInt8(0x55, place === -1 ? 2000 : place);
    for (const [bytes, words] of [
      [broken, /damaged/],
      [backup.subarray(0, backup.length - 100), /damaged/],
      [Buffer.from('PK'), /damaged|archive/],
    ] as const) {
      const refused = await failure(await upload(here, 'restores', bytes, 'b.zip'));
      expect(refused).toMatchObject({
        status: 400,
        code: 'unreadable_file',
        message: expect.stringMatching(words),
      });
    }
    expect((await chatsOf(here)).chats.map(({ title }) => title)).toEqual(['Here']);
    expect(readdirSync(path.join(here.dataDir, 'incoming'))).toEqual([]);
  });

  test('holds no secret', async () => {
    const here = await start({ models: [] });
    const folder = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-backup-'));
    folders.push(folder);
    await writeFile(path.join(here.dataDir, 'secrets.json'), '{"canary":"sk-canary"}');
    const backup = await bytesOf(here, 'backup');
    expect(backup.includes('secrets.json')).toBe(false);
    expect(backup.includes('sk-canary')).toBe(false);
  });
});
