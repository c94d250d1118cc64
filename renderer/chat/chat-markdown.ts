/** A chat as Markdown, for the clipboard. Pure. */
import type { OpenChat } from '../chats/chats-state.js';
import { rowAt, textOf } from './thread.js';

interface Words {
  question: string;
  answer: (model: string) => string;
}

/** What is shown, under headings that say who speaks. `nameOf` gives the name of a model for people. */
export function chatMarkdown(
  chat: Pick<OpenChat, 'title' | 'messages' | 'children' | 'branch'>,
  nameOf: (model: string) => string,
  words: Words,
): string {
  const parts = chat.title === '' ? [] : [`# ${chat.title}`];
  chat.branch.forEach((_, index) => {
    const row = rowAt(chat, index);
    if (row?.message.role === 'user')
      parts.push(`## ${words.question}`, textOf(row.message).trim());
    for (const answer of row?.beside ?? []) {
      parts.push(`## ${words.answer(nameOf(answer.model))}`, textOf(answer).trim());
    }
  });
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
