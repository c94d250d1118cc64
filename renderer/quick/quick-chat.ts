import type { AnswerMessage, ChatMessage } from '../../protocol/chats.js';
import { chatsApi } from '../api/chats.js';
import type { ChatsSnapshot, ChatsStore } from '../chats/chats-store.js';

/** The messages of the chat that is open, as they are shown. */
export function messagesOf({ opened }: ChatsSnapshot): readonly ChatMessage[] {
  if (opened.state !== 'here') return [];
  const { branch, messages } = opened.chat;
  return branch.flatMap((id) => messages.get(id) ?? []);
}

/** The answer at the end, while there is one. */
export function lastAnswer(messages: readonly ChatMessage[]): AnswerMessage | null {
  const last = messages.at(-1);
  return last?.role === 'assistant' ? last : null;
}

/** What was said, without reasoning and tools. */
export function answerText({ parts }: AnswerMessage): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

/**
 * Asks in the chat that is open, or begins one.
 * @throws ApiError with a sentence for people; a chat that was begun for nothing is gone again
 */
export async function askIn(store: ChatsStore, text: string): Promise<void> {
  const { opened } = store.snapshot();
  if (opened.state === 'here') {
    const parent = opened.chat.branch.at(-1) ?? null;
    await chatsApi.ask(opened.chat.id, { parent_id: parent, text });
    return;
  }
  const { id } = await chatsApi.create();
  try {
    await chatsApi.ask(id, { parent_id: null, text });
  } catch (cause) {
    await chatsApi.remove(id).catch(() => {});
    throw cause;
  }
  store.open(id);
}
