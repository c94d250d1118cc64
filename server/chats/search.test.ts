import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../store/database.js';
import { MessageStore } from './message-store.js';
import { searchChats } from './search.js';
import { ChatStore } from './store.js';

let dataDir: string;
let database: Database;
let now = 1_000;
let chats: ChatStore;
let messages: MessageStore;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'chat-search-'));
  database = new Database(dataDir);
  now = 1_000;
  chats = new ChatStore(database, () => now);
  messages = new MessageStore(database, () => now);
});
afterEach(async () => {
  database.close();
  await rm(dataDir, { recursive: true, force: true });
});

let ids = 0;

/** A chat of one question. */
function put(text: string, title = ''): { chat: string; message: string } {
  const chat = chats.create({ title, folder_id: null, settings: {} });
  const message = `msg-${ids++}`;
  messages.begin(
    chat,
    {
      ...{ id: message, parent_id: null, created_at: now, edited_at: null },
      ...{ role: 'user', text, attachments: [] },
    },
    [],
    () => '',
  );
  return { chat, message };
}

const find = (query: string) =>
  searchChats(database, query).results.map(({ chat_id, message_id }) => message_id ?? chat_id);

describe('search', () => {
  it.each([
    ['The heat pump hums.', ['heat', 'HEAT hums', 'pum', 'eat', 'hums pump', 'he at']],
    ['Das Café in Zürich', ['cafe', 'zürich', 'ZURICH', 'Caf']],
    ['世界你好，我们走吧', ['世界', '你好', '我', '世界你好', '走吧']],
    ['日本語のテキスト', ['テキスト', 'の', '日本語']],
    ['한국어 문장', ['한국', '한국어']],
    ['A family: 👩‍👩‍👧 🎉', ['👩‍👩‍👧', '🎉', 'family 🎉']],
    ['x = "a" OR b* NOT (c) AND ^d:e', ['"a"', 'OR', 'b*', 'NOT', '(c)', '^d:e', 'd:e', '"']],
    ["it's 100 % a_b", ["it's", '100 %', '%', 'a_b', '_']],
  ])('finds in %j', (text, queries) => {
    const { message } = put(text);
    put('Something else.');
    for (const query of queries) expect([query, find(query)]).toEqual([query, [message]]);
  });

  it('finds nothing for nothing, and nothing that is not there', () => {
    put('The heat pump hums.');
    for (const query of ['', '   ', 'heat cold', 'heat_', 'pump*', 'NEAR(heat pump)', '\u0000']) {
      expect([query, find(query)]).toEqual([query, []]);
    }
  });

  it('shows titles first, the text around, and what was changed only as it is now', () => {
    const { chat, message } = put('We spoke of heat.', 'Heat pumps');
    expect(searchChats(database, 'heat').results).toMatchObject([
      { chat_id: chat, message_id: null, excerpt: [{ text: 'Heat', hit: true }, { hit: false }] },
      { message_id: message, title: 'Heat pumps', excerpt: [{ hit: false }, { text: 'heat' }, {}] },
    ]);
    messages.edit({
      ...{ id: message, parent_id: null, created_at: now, edited_at: now },
      ...{ role: 'user', text: 'We spoke of cold.', attachments: [] },
    });
    chats.patch(chat, { title: 'Cold' });
    expect(find('heat')).toEqual([]);
    expect(find('cold')).toEqual([chat, message]);
  });

  it('does not find what is deleted, until it is restored', () => {
    const { chat, message } = put('needle');
    messages.delete(chat, message);
    expect(find('needle')).toEqual([]);
    messages.restore(chat, message);
    chats.delete(chat);
    expect(find('needle')).toEqual([]);
    chats.restore(chat);
    expect(find('needle')).toEqual([message]);
  });
});

/** Whether any file of the database has the bytes. */
function isInFiles(text: string): boolean {
  const bytes = Buffer.from(text);
  return readdirSync(dataDir).some((name) =>
    readFileSync(path.join(dataDir, name)).includes(bytes),
  );
}

describe('what was deleted', () => {
  it('goes for good after an hour, out of the file too', () => {
    const secret = 'Zyxwvut qponmlk';
    const { chat } = put(`The secret is ${secret}.`, secret);
    const other = put(`And again: ${secret}.`);
    for (let i = 0; i < 50; i++) put(`Filler ${i} of no meaning.`);
    chats.delete(chat);
    messages.delete(other.chat, other.message);
    chats.patch(other.chat, { title: '' });
    expect(isInFiles(secret)).toBe(true);
    now += 59 * 60_000;
    chats.purge();
    expect(isInFiles(secret)).toBe(true);
    now += 2 * 60_000;
    expect(chats.restore(chat)).toBe(false);
    chats.purge();
    expect(isInFiles(secret)).toBe(false);
    // Nor do the three characters in a row by which it was found.
    for (const part of ['zyx', 'wvu', 'qpo', 'nml'])
      expect([part, isInFiles(part)]).toEqual([part, false]);
    expect(chats.list().chats.map(({ id }) => id)).toContain(other.chat);
    expect(chats.find(other.chat)?.messages).toEqual([]);
  });
});
