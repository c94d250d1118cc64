import http from 'node:http';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, it } from 'vitest';
import { type ChatEvent, chatEventSchema } from '../../protocol/chats.js';
import { SseParser } from '../../protocol/sse.js';
import { databaseFileOf } from '../store/database.js';
import { newChat, openWindow, request, testChatServers } from './test-chats.js';

const start = testChatServers();

it('give a reader that falls behind all anew, and no more than that waits for it', async () => {
  const test = await start();
  const { id } = await newChat(test);
  const url = `${test.server.url}/pilotlight/chats/events?open=${id}`;
  const response = await new Promise<http.IncomingMessage>((resolve) => {
    http.get(url, { agent: false }, resolve);
  });
  response.pause();
  const drafts = 40;
  const text = 'x'.repeat(3_000_000);
  for (let i = 1; i <= drafts; i++) {
    await request(test, 'PATCH', `/chats/${id}`, { draft: `${i} ${text}` });
  }
  const events: ChatEvent[] = [];
  const parser = new SseParser();
  response.setEncoding('utf8');
  for await (const chunk of response as AsyncIterable<string>) {
    for (const item of parser.push(chunk)) {
      if (item.type === 'message') events.push(chatEventSchema.parse(JSON.parse(item.data)));
    }
    const last = events.at(-1);
    const draft =
      last?.type === 'open' ? last.chat?.draft : last?.type === 'state' ? last.draft : '';
    if (draft?.startsWith(`${drafts} `)) break;
  }
  expect(events.filter(({ type }) => type === 'list')).toHaveLength(2);
  expect(events.length).toBeLessThan(drafts);
});

it('send the list to whoever has another one, and only the chat to whoever has it', async () => {
  const test = await start();
  const [one, two] = [await newChat(test), await newChat(test)];
  let window = await openWindow(test, one.id);
  const other = await openWindow(test);
  const types = () => window.events.map(({ type }) => type);
  const open = async (id: string) => {
    window.close();
    window = await openWindow(test, id, window);
  };
  await open(two.id);
  expect(types()).toEqual(['list-same', 'open']);

  const changes = [
    () => request(test, 'PATCH', `/chats/${one.id}`, { title: 'First' }),
    () => newChat(test, { title: 'Third' }),
    () => request(test, 'POST', '/chat-folders', { name: 'Folder' }),
    () => request(test, 'DELETE', `/chats/${one.id}`),
    () => request(test, 'POST', `/chats/${one.id}/restore`),
    () => request(test, 'PATCH', `/chats/${two.id}`, { pinned: true }),
  ];
  // What changes while nobody listens is made up for; what has been told is not told again.
  for (const change of changes) {
    const { version } = other;
    await change();
    await other.until((now) => now.version > version);
    await window.until((now) => now.version === other.version);
    await open(one.id);
    expect(types()).toEqual(['list-same', 'open']);
    window.close();
    await newChat(test);
    await open(two.id);
    expect(types()).toEqual(['list', 'open']);
    expect(window.list).toEqual(await request(test, 'GET', '/chats'));
    await other.until((now) => now.version === window.version);
  }
});

it('send the list anew once another process has changed the chats', async () => {
  const test = await start();
  const { id } = await newChat(test);
  const window = await openWindow(test);
  const elsewhere = new DatabaseSync(databaseFileOf(test.dataDir));
  elsewhere.exec("UPDATE chats SET title = 'Told by nobody'");
  elsewhere.close();
  const later = await openWindow(test, id, window);
  expect(later.events[0]).toMatchObject({ type: 'list', chats: [{ title: 'Told by nobody' }] });
});

it('say that there is no such chat, and tell of it once it is restored', async () => {
  const test = await start();
  const { id } = await newChat(test);
  const window = await openWindow(test, id);
  await request(test, 'DELETE', `/chats/${id}`);
  await window.until(({ chat }) => chat === null);
  const other = await openWindow(test, id);
  expect(other.chat).toBeNull();
  await request(test, 'POST', `/chats/${id}/restore`);
  for (const each of [window, other]) await each.until(({ chat }) => chat?.id === id);
});
