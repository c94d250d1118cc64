/** Calls about chats. What they change comes back as events (chats-store.ts); each throws an ApiError that says why not. */

import type { z } from 'zod';
import {
  type Ask,
  type Asked,
  askedSchema,
  type Chat,
  type ChatPatch,
  type ChatSearch,
  type ChatSummary,
  chatSchema,
  chatSearchSchema,
  chatSummarySchema,
  type newChatSchema,
} from '../../protocol/chats.js';
import { readJson, request, sendJson } from './http.js';

const CHATS = '/pilotlight/chats';
/** Browsers send at most 64 KiB when a page goes away; a character takes up to four bytes in JSON, most take one. */
const KEEPALIVE_LENGTH_MAX = 15_000;
const pathOf = (chat: string) => `${CHATS}/${encodeURIComponent(chat)}`;
const messageOf = (chat: string, message: string) =>
  `${pathOf(chat)}/messages/${encodeURIComponent(message)}`;

export const chatsApi = {
  async create(chat: z.input<typeof newChatSchema> = {}): Promise<ChatSummary> {
    return readJson(chatSummarySchema, await sendJson('POST', CHATS, chat));
  },

  /** All of it, once. Whoever shows a chat follows its events instead. */
  async get(chat: string): Promise<Chat> {
    return readJson(chatSchema, await request(pathOf(chat)));
  },

  async change(chat: string, patch: ChatPatch): Promise<void> {
    await sendJson('PATCH', pathOf(chat), patch);
  },

  /** Is sent also while the page goes away. */
  async saveDraft(chat: string, draft: string): Promise<void> {
    await request(pathOf(chat), {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ draft } satisfies ChatPatch),
      keepalive: draft.length <= KEEPALIVE_LENGTH_MAX,
    });
  },

  /** Ids of all files that go with what is being written. */
  async saveAttachments(chat: string, draft_attachments: string[]): Promise<void> {
    await sendJson('PATCH', pathOf(chat), { draft_attachments } satisfies ChatPatch);
  },

  /** It can be restored for a while. */
  async remove(chat: string): Promise<void> {
    await request(pathOf(chat), { method: 'DELETE' });
  },

  async restore(chat: string): Promise<void> {
    await request(`${pathOf(chat)}/restore`, { method: 'POST' });
  },

  async search(query: string, signal?: AbortSignal): Promise<ChatSearch> {
    const path = `${CHATS}/search?q=${encodeURIComponent(query)}`;
    return readJson(chatSearchSchema, await request(path, signal ? { signal } : {}));
  },

  async ask(chat: string, question: Ask): Promise<Asked> {
    return readJson(askedSchema, await sendJson('POST', `${pathOf(chat)}/messages`, question));
  },

  /** Answers a question once more, as a branch; `models` as in Ask. */
  async askAgain(chat: string, question: string, models?: string[]): Promise<Asked> {
    const body = models ? { models } : {};
    const response = await sendJson('POST', `${messageOf(chat, question)}/answers`, body);
    return readJson(askedSchema, response);
  },

  /** Lets an answer that was cut off or stopped go on where it ended. */
  async goOn(chat: string, answer: string): Promise<void> {
    await sendJson('POST', `${messageOf(chat, answer)}/continue`, {});
  },

  async stop(chat: string, answer: string): Promise<void> {
    await sendJson('POST', `${messageOf(chat, answer)}/stop`, {});
  },

  /** Ends all answers of the chat that are being written. */
  async stopAll(chat: string): Promise<void> {
    await sendJson('POST', `${pathOf(chat)}/stop`, {});
  },

  /** Changes the words of a message in place; nobody is asked. */
  async edit(chat: string, message: string, text: string): Promise<void> {
    await sendJson('PATCH', messageOf(chat, message), { text });
  },

  /** Deletes a message with all that follows it. It can be restored for a while. */
  async removeMessage(chat: string, message: string): Promise<void> {
    await request(messageOf(chat, message), { method: 'DELETE' });
  },

  async restoreMessage(chat: string, message: string): Promise<void> {
    await request(`${messageOf(chat, message)}/restore`, { method: 'POST' });
  },
};
