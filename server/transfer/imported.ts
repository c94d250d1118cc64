/** A chat as another program or another machine has written it, before it gets ids and a place here. */
import type { ChatSettings } from '../../protocol/chat-settings.js';
import type { AnswerMessage, ChatMessage, MessagePart } from '../../protocol/chats.js';
import { TEXT_LENGTH_MAX, TITLE_LENGTH_MAX } from '../../protocol/chats.js';

export interface ImportedChat {
  /** Program and id there, by which it is known when it comes once more. */
  source: string;
  title: string;
  titleBy: 'person' | 'model' | null;
  /** Name of its folder. */
  folder: string | null;
  pinned: boolean;
  archived: boolean;
  /** Milliseconds since 1970, as all times here. */
  createdAt: number;
  updatedAt: number;
  settings: Partial<ChatSettings>;
  leafId: string | null;
  /** Ids are those of the source; whatever follows a message comes after it. */
  messages: ChatMessage[];
  /** Pieces that cannot be brought over, such as pictures. */
  left: number;
}

/** A message of the source; its `parent` is one of the others, or there is none. */
export interface SourceNode {
  id: string;
  parent: string | null;
  /** Pieces of an answer that follow each other are one answer here; `skip` is for what no person wrote or read. */
  role: 'user' | 'answer' | 'skip';
  at: number | null;
  parts: MessagePart[];
  model: string | null;
}

/** Where the source does not say which model answered. */
const UNKNOWN_MODEL = 'unknown';

/**
 * A tree in which questions and answers take turns. Two questions in a row get an answer between them that has not come;
 * an answer with nothing before it gets a question without words.
 * @param nodes In any order. What hangs on nothing, or in a circle, is left out.
 * @param current The node up to which the chat is shown; null: the last one.
 */
export function turnsOf(
  nodes: readonly SourceNode[],
  current: string | null,
  fallbackTime: number,
): { messages: ChatMessage[]; leafId: string | null } {
  const children = new Map<string | null, SourceNode[]>();
  const known = new Set(nodes.map(({ id }) => id));
  for (const node of nodes) {
    const parent = node.parent !== null && known.has(node.parent) ? node.parent : null;
    children.set(parent, [...(children.get(parent) ?? []), node]);
  }
  const messages: ChatMessage[] = [];
  /** The message that a node has become; of a node on several answers the last one. */
  const becameOf = new Map<string, string>();
  const put = <M extends ChatMessage>(message: M): M => {
    messages.push(message);
    return message;
  };
  const question = (id: string, parent: string | null, text: string, at: number) =>
    put({
      ...{ id, parent_id: parent, created_at: at, edited_at: null },
      ...{ role: 'user', text: text.slice(0, TEXT_LENGTH_MAX), attachments: [] },
    });
  const answer = (id: string, parent: string, at: number, status: AnswerMessage['status']) =>
    put({
      ...{ id, parent_id: parent, created_at: at, edited_at: null },
      ...{
        role: 'assistant',
        model: UNKNOWN_MODEL,
        parts: [],
        status,
        failure: null,
        measure: null,
      },
    });

  interface Step {
    node: SourceNode;
    /** The last message before it. */
    last: ChatMessage | null;
    /** The answer that it may go on. */
    open: AnswerMessage | null;
    at: number;
  }
  const steps: Step[] = [];
  const visit = (parent: string | null, from: Omit<Step, 'node'>) => {
    const below = children.get(parent) ?? [];
    // The last one is taken first from the end of the list, so they go on in reverse.
    for (const node of below.toReversed()) steps.push({ ...from, node });
  };
  visit(null, { last: null, open: null, at: fallbackTime });
  for (let step = steps.pop(); step; step = steps.pop()) {
    const { node } = step;
    const at = node.at ?? step.at;
    let { last, open } = step;
    if (node.role === 'user') {
      if (last?.role === 'user') last = answer(`${node.id}:before`, last.id, at, 'interrupted');
      last = question(node.id, last?.id ?? null, textOfParts(node.parts), at);
      open = null;
    } else if (node.role === 'answer') {
      last ??= question(`${node.id}:before`, null, '', at);
      const isShared =
        (children.get(node.parent)?.filter(({ role }) => role !== 'user').length ?? 0) > 1;
      if (open === null || isShared) {
        const before = open;
        const parentId: string = before?.parent_id ?? last.id;
        open = answer(node.id, parentId, at, 'complete');
        if (before !== null) open.parts.push(...before.parts);
        last = open;
      }
      open.parts.push(...node.parts);
      if (node.model !== null) open.model = node.model;
    }
    if (last !== null) becameOf.set(node.id, last.id);
    visit(node.id, { last, open, at });
  }
  const asked = current === null ? undefined : becameOf.get(current);
  return { messages, leafId: asked ?? messages.at(-1)?.id ?? null };
}

export function textOfParts(parts: readonly MessagePart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

export const textPart = (text: string): MessagePart => ({ type: 'text', text });

/** A title of one line. */
export function titleOf(text: string): string {
  return Array.from(text.replace(/\s+/g, ' ').trim()).slice(0, TITLE_LENGTH_MAX).join('').trim();
}

/** Milliseconds since 1970 beyond which there is no date. */
const TIME_MAX = 8.64e15;

/** What a clock cannot have shown becomes `now`; such a time could be neither kept nor shown. */
export function withDates(chat: ImportedChat, now: number): ImportedChat {
  const date = (at: number) => (Math.abs(at) <= TIME_MAX ? Math.round(at) : now);
  return {
    ...chat,
    createdAt: date(chat.createdAt),
    updatedAt: date(chat.updatedAt),
    messages: chat.messages.map((message) => ({
      ...message,
      created_at: date(message.created_at),
      edited_at: message.edited_at === null ? null : date(message.edited_at),
    })),
  };
}

/** Seconds since 1970, as many programs write them, or milliseconds; null: it is neither. */
export function timeOf(value: number | null | undefined): number | null {
  if (value === null || value === undefined || !Number.isFinite(value) || value <= 0) return null;
  // Milliseconds of 1973 are seconds of the year 5138.
  return Math.round(value > 1e11 ? value : value * 1000);
}
