/** What the window knows of the person's chats, and how each event of the server changes it. Pure. */
import type {
  AnswerMessage,
  Chat,
  ChatEvent,
  ChatFolder,
  ChatMessage,
  ChatProgress,
  ChatSummary,
} from '../../protocol/chats.js';
import { share } from '../api/share.js';
import { branchTo, type Children, childrenOf, type Messages } from './tree.js';

/** What is told of an answer while it is being written. */
export interface LiveAnswer {
  /** Null once it has begun. */
  progress: ChatProgress | null;
  outputTokens: number;
  /** Null: not measured yet. */
  tokensPerSecond: number | null;
}

export interface OpenChat extends Omit<Chat, 'messages'> {
  /** Of all branches, oldest first. */
  messages: Messages;
  children: Children;
  /** Ids of the messages that are shown, from the first to the leaf. */
  branch: readonly string[];
  /** By id of the answer. */
  live: ReadonlyMap<string, LiveAnswer>;
}

/** The chat that the window shows. `missing`: there is none of that id. */
export type Opened =
  | { state: 'none' }
  | { state: 'loading'; id: string }
  | { state: 'missing'; id: string }
  | { state: 'here'; chat: OpenChat };

export interface ChatsState {
  /** In no order; null until the server has told them. */
  chats: readonly ChatSummary[] | null;
  folders: readonly ChatFolder[];
  /** Of chats and folders; null: none is known, or a change has been missed. */
  listVersion: number | null;
  opened: Opened;
}

export const noChats: ChatsState = {
  chats: null,
  folders: [],
  listVersion: null,
  opened: { state: 'none' },
};

const noLive: LiveAnswer = { progress: null, outputTokens: 0, tokensPerSecond: null };

/** The next state. An event about a chat that is not open, or about a message that is gone, changes nothing of it. */
export function reduceChats(state: ChatsState, event: ChatEvent): ChatsState {
  switch (event.type) {
    case 'list':
      return {
        ...state,
        chats: share(state.chats, event.chats),
        folders: share(state.folders, event.folders),
        listVersion: event.version,
      };
    case 'list-same':
      return state;
    case 'folders':
      return {
        ...state,
        folders: share(state.folders, event.folders),
        listVersion: versionAfter(state, event),
      };
    case 'chat':
      return {
        ...withOpen(state, (open) =>
          open.id === event.chat.id ? { ...open, ...event.chat } : open,
        ),
        chats: withChat(state.chats ?? [], event.chat),
        listVersion: versionAfter(state, event),
      };
    case 'chat-deleted': {
      const { opened } = state;
      const gone = opened.state === 'here' && opened.chat.id === event.id;
      return {
        ...state,
        chats: state.chats?.filter(({ id }) => id !== event.id) ?? null,
        listVersion: versionAfter(state, event),
        opened: gone ? { state: 'missing', id: event.id } : opened,
      };
    }
    case 'open':
      return openChat(state, event.chat);
    default:
      return withOpen(state, (open) => reduceOpen(open, event));
  }
}

function versionAfter(
  { listVersion }: ChatsState,
  { version }: { version: number },
): number | null {
  return listVersion !== null && version === listVersion + 1 ? version : null;
}

type OpenEvent = Extract<
  ChatEvent,
  { type: 'state' | 'message' | 'messages-deleted' | 'delta' | 'progress' | 'rate' }
>;

function reduceOpen(open: OpenChat, event: OpenEvent): OpenChat {
  switch (event.type) {
    case 'state': {
      const { settings, leaf_id, draft, draft_attachments } = event;
      const branch =
        leaf_id === open.leaf_id ? open.branch : branchTo(open.messages, leaf_id ?? null);
      return {
        ...open,
        settings: share(open.settings, settings),
        draft,
        draft_attachments: share(open.draft_attachments, draft_attachments),
        leaf_id,
        branch,
      };
    }
    case 'message':
      return withMessage(open, event.message);
    case 'messages-deleted': {
      const messages = new Map(open.messages);
      for (const id of event.ids) messages.delete(id);
      return messages.size === open.messages.size ? open : withTree({ ...open, messages });
    }
    case 'delta': {
      const message = open.messages.get(event.message_id);
      if (message?.role !== 'assistant') return open;
      const grown = grow(message, event);
      if (grown === message) return open;
      const messages = new Map(open.messages).set(message.id, grown);
      const live = open.live.get(message.id);
      if (!live?.progress) return { ...open, messages };
      return { ...open, messages, live: withLive(open.live, message.id, { progress: null }) };
    }
    case 'progress': {
      const message = open.messages.get(event.message_id);
      if (!isRunning(message)) return open;
      return { ...open, live: withLive(open.live, message.id, { progress: event.progress }) };
    }
    case 'rate': {
      const message = open.messages.get(event.message_id);
      if (!isRunning(message)) return open;
      const { output_tokens: outputTokens, tokens_per_s: tokensPerSecond } = event;
      return { ...open, live: withLive(open.live, message.id, { outputTokens, tokensPerSecond }) };
    }
  }
}

function openChat(state: ChatsState, chat: Chat | null): ChatsState {
  const { opened } = state;
  if (opened.state === 'none') return state;
  const id = opened.state === 'here' ? opened.chat.id : opened.id;
  if (chat === null) return { ...state, opened: { state: 'missing', id } };
  if (chat.id !== id) return state;
  const before = opened.state === 'here' ? opened.chat : null;
  // After a reconnection most messages are as they were: those are not drawn again.
  const messages = new Map(
    chat.messages.map((message) => [message.id, share(before?.messages.get(message.id), message)]),
  );
  const next = withTree({ ...chat, messages, children: new Map(), branch: [], live: new Map() });
  return { ...state, opened: { state: 'here', chat: next } };
}

function withOpen(state: ChatsState, change: (open: OpenChat) => OpenChat): ChatsState {
  const { opened } = state;
  if (opened.state !== 'here') return state;
  const chat = change(opened.chat);
  return chat === opened.chat ? state : { ...state, opened: { state: 'here', chat } };
}

function withChat(chats: readonly ChatSummary[], chat: ChatSummary): readonly ChatSummary[] {
  const index = chats.findIndex(({ id }) => id === chat.id);
  return index < 0 ? [...chats, chat] : chats.with(index, chat);
}

function withMessage(open: OpenChat, message: ChatMessage): OpenChat {
  const before = open.messages.get(message.id);
  const messages = new Map(open.messages).set(message.id, message);
  const live = new Map(open.live);
  if (!isRunning(message)) live.delete(message.id);
  const next = { ...open, messages, live };
  return before?.parent_id === message.parent_id ? next : withTree(next);
}

/** The same with what follows from its messages. */
function withTree(open: OpenChat): OpenChat {
  const { messages, leaf_id } = open;
  const branch = share(open.branch, branchTo(messages, leaf_id));
  return { ...open, children: childrenOf(messages), branch };
}

function grow(
  message: AnswerMessage,
  { part: index, kind, text }: Extract<ChatEvent, { type: 'delta' }>,
): AnswerMessage {
  const there = message.parts[index];
  if (there === undefined) {
    if (index !== message.parts.length) return message;
    const part = kind === 'text' ? { type: kind, text } : { type: kind, text, ms: null };
    return { ...message, parts: [...message.parts, part] };
  }
  if (there.type !== kind) return message;
  return { ...message, parts: message.parts.with(index, { ...there, text: there.text + text }) };
}

function withLive(
  live: OpenChat['live'],
  id: string,
  change: Partial<LiveAnswer>,
): OpenChat['live'] {
  return new Map(live).set(id, { ...(live.get(id) ?? noLive), ...change });
}

function isRunning(message: ChatMessage | undefined): message is AnswerMessage {
  return message?.role === 'assistant' && message.status === 'running';
}

/** The same events in fewer: pieces of text that follow each other in one part are put together. */
export function gathered(events: readonly ChatEvent[]): ChatEvent[] {
  const fewer: ChatEvent[] = [];
  for (const event of events) {
    const last = fewer.at(-1);
    const follows =
      event.type === 'delta' &&
      last?.type === 'delta' &&
      last.message_id === event.message_id &&
      last.part === event.part &&
      last.kind === event.kind;
    if (follows) fewer[fewer.length - 1] = { ...last, text: last.text + event.text };
    else fewer.push(event);
  }
  return fewer;
}
