/** The branch that is shown, as rows to draw. Pure. */
import type { AnswerMessage, ChatMessage } from '../../protocol/chats.js';
import type { OpenChat } from '../chats/chats-state.js';
import { branchesAt } from '../chats/tree.js';

export interface Row {
  message: ChatMessage;
  /** Ids of the messages in its place, itself among them, oldest first. */
  branches: readonly string[];
  /** Answers of several models to the same question, to be shown beside each other; else only its own. */
  beside: readonly AnswerMessage[];
}

type Shown = Pick<OpenChat, 'messages' | 'children' | 'branch'>;

/** One row of the chat, from its beginning; null behind its leaf. */
export function rowAt(chat: Shown, index: number): Row | null {
  const id = chat.branch[index];
  const message = id === undefined ? undefined : chat.messages.get(id);
  if (!message) return null;
  const branches = branchesAt(chat.messages, chat.children, message.id);
  const beside = besideOf(chat, message, branches, index === chat.branch.length - 1);
  return { message, branches, beside };
}

/**
 * Answers that were asked for at once: the server gives them the same moment. Beside each other they stand only until
 * the chat goes on from one of them.
 */
function besideOf(
  chat: Shown,
  message: ChatMessage,
  branches: readonly string[],
  isLast: boolean,
): readonly AnswerMessage[] {
  if (message.role !== 'assistant') return [];
  if (!isLast || branches.length < 2) return [message];
  const answers = branches.flatMap((id) => {
    const other = chat.messages.get(id);
    const isBeside = other?.role === 'assistant' && other.created_at === message.created_at;
    return isBeside && !chat.children.has(id) ? [other] : [];
  });
  return answers.length > 1 ? answers : [message];
}

/** The answers at the end of the branch that are being written. */
export function runningAnswers(chat: Shown): readonly AnswerMessage[] {
  const last = rowAt(chat, chat.branch.length - 1);
  return last?.beside.filter(({ status }) => status === 'running') ?? [];
}

/** The last question of the branch, or null. */
export function lastQuestion(chat: Shown): ChatMessage | null {
  const id = chat.branch.findLast((each) => chat.messages.get(each)?.role === 'user');
  return (id !== undefined && chat.messages.get(id)) || null;
}

/** The last answer of the branch, or null. */
export function lastAnswer(chat: Shown): AnswerMessage | null {
  const last = rowAt(chat, chat.branch.length - 1)?.message;
  return last?.role === 'assistant' ? last : null;
}

/** Whether it ended before its end, so that it can go on. */
export function canGoOn({ status }: AnswerMessage): boolean {
  return status === 'stopped' || status === 'length' || status === 'interrupted';
}

/** Whether several models have answered in the branch. */
export function hasSeveralModels(chat: Shown): boolean {
  let first: string | null = null;
  for (const id of chat.branch) {
    const message = chat.messages.get(id);
    if (message?.role !== 'assistant') continue;
    if (first !== null && message.model !== first) return true;
    first = message.model;
  }
  return false;
}

/** What a message says, without reasoning and calls of tools. */
export function textOf(message: ChatMessage): string {
  if (message.role === 'user') return message.text;
  const texts = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.filter((text) => text !== '').join('\n\n');
}

const guesses = new WeakMap<ChatMessage, number>();

/** Height in CSS pixels before a message was drawn once: near enough that the scroll bar does not jump much. */
export function guessHeight(message: ChatMessage): number {
  const known = guesses.get(message);
  if (known !== undefined) return known;
  const text = textOf(message);
  const lines = text.length / (message.role === 'user' ? 60 : 90) + text.split('\n', 200).length;
  const height = 64 + Math.ceil(lines) * 26;
  guesses.set(message, height);
  return height;
}
