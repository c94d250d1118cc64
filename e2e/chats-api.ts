import type { ChatFolder, ChatPatch, ChatSummary } from '../protocol/chats.js';
import { chatFolderListSchema, chatListSchema, chatSummarySchema } from '../protocol/chats.js';

async function call(method: string, url: string, body?: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok)
    throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Makes a chat without messages, as another window would. */
export async function newChat(
  server: string,
  title: string,
  patch: ChatPatch = {},
): Promise<ChatSummary> {
  const chats = `${server}/pilotlight/chats`;
  const chat = chatSummarySchema.parse(await call('POST', chats, { title }));
  if (Object.keys(patch).length > 0) await call('PATCH', `${chats}/${chat.id}`, patch);
  return chat;
}

export async function newFolder(server: string, name: string): Promise<ChatFolder> {
  const made = await call('POST', `${server}/pilotlight/chat-folders`, { name });
  const folder = chatFolderListSchema.parse(made).folders.at(-1);
  if (!folder) throw new Error(`No folder was made of ${name}.`);
  return folder;
}

/** All of them, by title. */
export async function allChats(server: string): Promise<Map<string, ChatSummary>> {
  const { chats } = chatListSchema.parse(await call('GET', `${server}/pilotlight/chats`));
  return new Map(chats.map((chat) => [chat.title, chat]));
}
