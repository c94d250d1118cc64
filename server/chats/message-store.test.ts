import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AnswerMessage, MessagePart, UserMessage } from '../../protocol/chats.js';
import { Database } from '../store/database.js';
import { MessageStore } from './message-store.js';
import { ChatStore } from './store.js';
import { pathTo } from './tree.js';

let dataDir: string;
let database: Database;
let now: number;
let chats: ChatStore;
let messages: MessageStore;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'chat-messages-'));
  database = new Database(dataDir);
  now = 1_000;
  chats = new ChatStore(database, () => now);
  messages = new MessageStore(database, () => now);
});
afterEach(async () => {
  database.close();
  await rm(dataDir, { recursive: true, force: true });
});

const newChat = () => chats.create({ title: null, folder_id: null, settings: {} });

let ids = 0;
function question(parent_id: string | null): UserMessage {
  const id = `q-${ids++}`;
  return {
    id,
    parent_id,
    created_at: now,
    edited_at: null,
    role: 'user',
    text: id,
    attachments: [],
  };
}
function answer(parent_id: string): AnswerMessage {
  return {
    ...{ id: `a-${ids++}`, parent_id, created_at: now, edited_at: null, role: 'assistant' },
    ...{ model: 'm', parts: [], status: 'running', failure: null, measure: null },
  };
}

/** Puts one exchange behind an answer. */
function put(chat: string, parent: string | null): [string, string] {
  const asked = question(parent);
  const answered = answer(asked.id);
  messages.begin(chat, asked, [answered], () => 'lock');
  return [asked.id, answered.id];
}

const idsIn = (chat: string) => chats.find(chat)?.messages.map(({ id }) => id) ?? [];

describe('messages', () => {
  it('of a long chat go for good in one go, with it or without it', () => {
    const [one, two] = [newChat(), newChat()];
    let first = '';
    database.write((connection) => {
      const insert = connection.prepare(
        `INSERT INTO chat_messages (id, chat_id, parent_id, role, created_at, text)
         VALUES (?, ?, ?, 'user', 0, '')`,
      );
      for (const chat of [one, two]) {
        for (let i = 0; i < 3_000; i++) {
          insert.run(`${chat}-${i}`, chat, i === 0 ? null : `${chat}-${i - 1}`);
        }
      }
      first = `${two}-0`;
    });
    chats.delete(one);
    expect(messages.delete(two, first)).toHaveLength(3_000);
    now += 61 * 60_000;
    chats.purge();
    expect(database.notices()).toEqual([]);
    expect(
      database.read((connection) =>
        connection.prepare('SELECT count(*) AS n FROM chat_messages').get(),
      ),
    ).toEqual({ n: 0 });
    expect(chats.find(two)?.leaf_id).toBeNull();
  });

  it('are restored as they went, and not before what they follow', () => {
    const chat = newChat();
    const [, a] = put(chat, null);
    const [q2, a2] = put(chat, a);
    const [q3, a3] = put(chat, a2);
    expect(messages.delete(chat, q3)).toEqual([q3, a3]);
    expect(messages.delete(chat, q2)).toEqual([q2, a2]);
    expect(messages.delete(chat, q2)).toEqual([]);
    expect(messages.restore(chat, q3)).toEqual([]);
    expect(messages.restore(chat, a2)).toEqual([]);
    expect(messages.restore(chat, q2).map(({ id }) => id)).toEqual([q2, a2]);
    expect(messages.restore(chat, q3).map(({ id }) => id)).toEqual([q3, a3]);
    expect(chats.find(chat)?.leaf_id).toBe(a3);
  });

  it('of servers that are gone end with what had come, those of others go on', () => {
    const chat = newChat();
    const asked = question(null);
    const [gone, there] = [answer(asked.id), answer(asked.id)];
    messages.begin(chat, asked, [gone], () => 'gone');
    messages.begin(chat, null, [there], () => 'there');
    const parts: MessagePart[] = [
      { type: 'text', text: 'Half' },
      {
        ...{ type: 'tool_call', id: 'c', step: 0, server: 's', tool: 't', arguments: '{}' },
        ...{ state: 'waiting', result: null, reason: null, ms: null },
      },
    ];
    database.write((connection) => {
      messages.saveAnswer(connection, chat, { ...gone, parts }, 'gone');
    });
    messages.interrupt((owner) => owner === 'there');
    const found = chats.find(chat)?.messages ?? [];
    expect(found.find(({ id }) => id === gone.id)).toMatchObject({
      status: 'interrupted',
      parts: [{ text: 'Half' }, { state: 'refused', reason: 'stopped' }],
    });
    expect(found.find(({ id }) => id === there.id)).toMatchObject({ status: 'running' });
  });

  it('leave a branch that is there on the screen, whatever is asked, deleted and restored', () => {
    const steps = fc.array(
      fc.record({ kind: fc.constantFrom('ask', 'ask', 'delete', 'restore'), at: fc.nat() }),
      { maxLength: 25 },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const chat = newChat();
        const made: string[] = [];
        for (const { kind, at } of all) {
          const there = chats.find(chat)?.messages ?? [];
          const answers = there.filter(({ role }) => role === 'assistant');
          if (kind === 'ask') {
            made.push(
              ...put(
                chat,
                [null, ...answers.map(({ id }) => id)][at % (answers.length + 1)] ?? null,
              ),
            );
          } else if (kind === 'delete') {
            const [message] = there.slice(at % Math.max(1, there.length));
            if (message) messages.delete(chat, message.id);
          } else {
            const id = made[at % Math.max(1, made.length)];
            if (id !== undefined) messages.restore(chat, id);
          }
          const now = chats.find(chat);
          const left = now?.messages ?? [];
          // Nothing hangs in the air, and what is shown reaches from a first message to an end.
          for (const each of left) expect(pathTo(left, each.id).at(-1)).toBe(each);
          if (left.length === 0) expect(now?.leaf_id).toBeNull();
          else expect(pathTo(left, now?.leaf_id ?? null).length).toBeGreaterThan(0);
          expect(left.some(({ parent_id }) => parent_id === now?.leaf_id)).toBe(false);
        }
        for (const id of [...made].reverse()) messages.restore(chat, id);
        for (const id of made) messages.restore(chat, id);
        expect(new Set(idsIn(chat)).size).toBe(idsIn(chat).length);
      }),
      { numRuns: 60 },
    );
  });
});
