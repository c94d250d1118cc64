/** A window's view of the chats of a server under test. */
import { afterEach } from 'vitest';
import {
  type AnswerStatus,
  type Ask,
  type Asked,
  askedSchema,
  type Chat,
  type ChatEvent,
  type ChatList,
  type ChatMessage,
  chatEventSchema,
  chatSchema,
} from '../../protocol/chats.js';
import { SseParser } from '../../protocol/sse.js';
import { testServers } from '../test-server.js';

/** In this process or in one of its own. */
interface Served {
  server: { url: string };
}

export interface ChatWindow {
  /** As told by the events so far. */
  readonly list: ChatList;
  /** The open chat; null: there is none. */
  readonly chat: Chat | null;
  /** Of the list. */
  readonly version: number;
  readonly events: readonly ChatEvent[];
  /** Resolves once the predicate holds, now or later. */
  until(predicate: (window: ChatWindow) => boolean): Promise<ChatWindow>;
  close(): void;
}

const windows: ChatWindow[] = [];

/** As testServers(); the windows are closed first. */
export function testChatServers() {
  const start = testServers();
  afterEach(() => {
    for (const window of windows.splice(0)) window.close();
  });
  return start;
}

/** @param known What another window has; it is told only what has changed since. */
export async function openWindow(
  { server: { url } }: Served,
  open: string | null = null,
  known: Pick<ChatWindow, 'list' | 'version'> | null = null,
): Promise<ChatWindow> {
  const query = `?${new URLSearchParams({
    ...(open === null ? {} : { open }),
    ...(known === null ? {} : { list: String(known.version) }),
  })}`;
  const abort = new AbortController();
  const response = await fetch(`${url}/pilotlight/chats/events${query}`, { signal: abort.signal });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const events: ChatEvent[] = [];
  let list: ChatList = known?.list ?? { chats: [], folders: [] };
  let version = known?.version ?? 0;
  let chat: Chat | null = null;
  let look = () => {};
  const window: ChatWindow = {
    get list() {
      return list;
    },
    get chat() {
      return chat;
    },
    get version() {
      return version;
    },
    events,
    until: (predicate) =>
      new Promise((resolve) => {
        const before = look;
        const check = () => {
          if (predicate(window)) resolve(window);
        };
        look = () => {
          before();
          check();
        };
        check();
      }),
    close: () => abort.abort(),
  };
  windows.push(window);
  const read = async () => {
    const parser = new SseParser();
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      for (const item of parser.push(decoder.decode(bytes, { stream: true }))) {
        if (item.type === 'comment') continue;
        const event = chatEventSchema.parse(JSON.parse(item.data));
        events.push(event);
        [list, chat] = [listAfter(list, event), chatAfter(chat, event)];
        if ('version' in event) version = event.version;
        look();
      }
    }
  };
  // Ends with the window, or with its server.
  read().catch(() => {});
  return window.until(() => events.length >= (open === null ? 1 : 2));
}

function listAfter(list: ChatList, event: ChatEvent): ChatList {
  switch (event.type) {
    case 'list':
      return { chats: event.chats, folders: event.folders };
    case 'chat':
      return {
        ...list,
        chats: [event.chat, ...list.chats.filter(({ id }) => id !== event.chat.id)],
      };
    case 'chat-deleted':
      return { ...list, chats: list.chats.filter(({ id }) => id !== event.id) };
    case 'folders':
      return { ...list, folders: event.folders };
    default:
      return list;
  }
}

function chatAfter(chat: Chat | null, event: ChatEvent): Chat | null {
  if (event.type === 'open') return event.chat;
  if (chat === null) return null;
  switch (event.type) {
    case 'chat':
      return event.chat.id === chat.id ? { ...chat, ...event.chat } : chat;
    case 'chat-deleted':
      return event.id === chat.id ? null : chat;
    case 'state': {
      const { type, ...state } = event;
      return { ...chat, ...state };
    }
    case 'message': {
      const { message } = event;
      const isKnown = chat.messages.some(({ id }) => id === message.id);
      const messages = isKnown
        ? chat.messages.map((each) => (each.id === message.id ? message : each))
        : [...chat.messages, message];
      return { ...chat, messages };
    }
    case 'messages-deleted':
      return { ...chat, messages: chat.messages.filter(({ id }) => !event.ids.includes(id)) };
    case 'delta': {
      const { message_id, part, kind, text } = event;
      for (const message of chat.messages) {
        if (message.id !== message_id || message.role !== 'assistant') continue;
        const known = message.parts[part];
        if (known?.type === kind) known.text += text;
        else if (kind === 'text') message.parts[part] = { type: 'text', text };
        else message.parts[part] = { type: 'reasoning', text, ms: null };
      }
      return chat;
    }
    default:
      return chat;
  }
}

/** One request of JSON. @throws where its status is another one than 200. */
export async function request(
  { server: { url } }: Served,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const response = await fetch(`${url}/pilotlight${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return JSON.parse(text);
}

export async function newChat(test: Served, body: object = {}): Promise<Chat> {
  return chatSchema.parse(await request(test, 'POST', '/chats', body));
}

export async function getChat(test: Served, id: string): Promise<Chat> {
  return chatSchema.parse(await request(test, 'GET', `/chats/${id}`));
}

export async function askIn(
  test: Served,
  chat: string,
  text: string,
  more: Partial<Omit<Ask, 'text'>> = {},
): Promise<Asked> {
  const body = { parent_id: null, text, ...more };
  return askedSchema.parse(await request(test, 'POST', `/chats/${chat}/messages`, body));
}

/** The answer; an answer that is not there is an error. */
export function answerIn(chat: Chat | null, id: string | undefined) {
  const found = chat?.messages.find((message) => message.id === id);
  if (found?.role !== 'assistant') throw new Error(`there is no answer ${id}`);
  return found;
}

export const hasStatus = (id: string | undefined, status: AnswerStatus) => (window: ChatWindow) => {
  const message = window.chat?.messages.find((each) => each.id === id);
  return message?.role === 'assistant' && message.status === status;
};

export const hasEnded = (id: string | undefined) => (window: ChatWindow) => {
  const message = window.chat?.messages.find((each) => each.id === id);
  return message?.role === 'assistant' && message.status !== 'running';
};

/** What an answer says. */
export function saidIn(message: ChatMessage): string {
  if (message.role === 'user') return message.text;
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Asks and waits for the whole answer; of a window that has the chat open. */
export async function converse(
  test: Served,
  window: ChatWindow,
  text: string,
  more: Partial<Omit<Ask, 'text'>> = {},
) {
  const id = window.chat?.id ?? '';
  const asked = await askIn(test, id, text, more);
  for (const answer of asked.answer_ids) await window.until(hasEnded(answer));
  return asked;
}
