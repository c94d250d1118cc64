/** Finding words in a chat. Pure. */
import type { ChatMessage } from '../../protocol/chats.js';
import { textOf } from './thread.js';

/** One place where the words stand. */
export interface Hit {
  /** Place of the message in the branch. */
  row: number;
  message: string;
  /** Which one within the message, from 0. */
  nth: number;
}

/** More are not told apart: nobody goes through them. */
const HITS_MAX = 10_000;

/** Finds the words as they are, in any case; null for none. */
export function findPattern(query: string): RegExp | null {
  const words = query.trim();
  if (words === '') return null;
  const escaped = words.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&').replace(/\s+/g, '\\s+');
  return new RegExp(escaped, 'gi');
}

/** All places, from the beginning of the chat. */
export function findHits(
  branch: readonly string[],
  messages: ReadonlyMap<string, ChatMessage>,
  query: string,
): Hit[] {
  const pattern = findPattern(query);
  const hits: Hit[] = [];
  if (!pattern) return hits;
  branch.forEach((id, row) => {
    const message = messages.get(id);
    if (!message) return;
    const count = shownText(message).match(pattern)?.length ?? 0;
    for (let nth = 0; nth < count && hits.length < HITS_MAX; nth += 1) {
      hits.push({ row, message: id, nth });
    }
  });
  return hits;
}

const shown = new WeakMap<ChatMessage, string>();

/** A message's text about as it is seen: without the marks of Markdown and the addresses of links. */
function shownText(message: ChatMessage): string {
  if (message.role === 'user') return message.text;
  const known = shown.get(message);
  if (known !== undefined) return known;
  const text = textOf(message)
    .split(/(^```[^\n]*\n[\s\S]*?(?:^```[^\S\n]*$|(?![\s\S])))/m)
    .map((piece, index) => (index % 2 === 1 ? codeText(piece) : proseText(piece)))
    .join('\n');
  shown.set(message, text);
  return text;
}

function codeText(fenced: string): string {
  const [first = '', ...lines] = fenced.split('\n');
  return [first.slice(3), ...lines.filter((line) => !line.startsWith('```'))].join('\n');
}

function proseText(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|\d+\.[ \t]+)/gm, '')
    .replace(/[*`|~]+|(?<!\w)_+|_+(?!\w)/g, '');
}
