/**
 * A chat as Markdown: the branch that is shown, for reading anywhere. Comments, which no reader shows, tell where each
 * piece begins, so that it can come back.
 */
import type { Chat, ChatMessage, MessagePart } from '../../protocol/chats.js';
import { pathTo } from '../chats/tree.js';
import { fenced } from './chatgpt.js';
import { type ImportedChat, titleOf, turnsOf } from './imported.js';

const MARK = /^<!-- pilotlight:([a-z]+)(?: (.*?))? -->$/;
/** Such a line within a text gets a backslash before it, and one more each time. */
const QUOTED = /^(\\*)(<!-- pilotlight:)/gm;

const quote = (text: string) => text.replace(QUOTED, '\\$1$2');
const unquote = (text: string) => text.replace(/^\\(\\*<!-- pilotlight:)/gm, '$1');

export function markdownOf(chat: Omit<Chat, 'answering'>): string {
  const title = chat.title === '' ? 'Chat' : chat.title;
  const head = {
    id: chat.id,
    created_at: chat.created_at,
    updated_at: chat.updated_at,
    title: chat.title,
  };
  const blocks = [mark('chat', JSON.stringify(head)), `# ${title.replace(/\n/g, ' ')}`];
  const system = chat.settings.system_prompt;
  if (system !== null && system !== '')
    blocks.push(mark('system'), `## Instructions`, quote(system));
  for (const message of pathTo(chat.messages, chat.leaf_id)) blocks.push(...messageBlocks(message));
  return `${blocks.join('\n\n')}\n`;
}

function messageBlocks(message: ChatMessage): string[] {
  const at = new Date(message.created_at).toISOString();
  if (message.role === 'user') {
    const names = message.attachments.map(({ name }) => `- ${name.replace(/\s+/g, ' ')}`);
    const files = names.length === 0 ? [] : [mark('files'), names.join('\n')];
    return [mark('user', at), '## Question', mark('text'), quote(message.text), ...files];
  }
  const head = JSON.stringify({ at, model: message.model });
  return [mark('answer', head), `## ${message.model}`, ...message.parts.flatMap(partBlocks)];
}

function partBlocks(part: MessagePart): string[] {
  switch (part.type) {
    case 'text':
      return [mark('text'), quote(part.text)];
    case 'reasoning':
      return [
        '<details><summary>Reasoning</summary>',
        mark('reasoning'),
        quote(part.text),
        mark('end'),
        '</details>',
      ];
    case 'tool_call':
      return [
        mark('tool'),
        `**${part.tool}** (${part.server})`,
        quote(fenced(part.arguments, 'json')),
        ...(part.result === null ? [] : [quote(fenced(part.result, ''))]),
        mark('end'),
      ];
  }
}

function mark(kind: string, value?: string): string {
  // "--" ends no comment in HTML 5, but ">" after it would.
  return `<!-- pilotlight:${kind}${value === undefined ? '' : ` ${value.replace(/--/g, '-\\u002d')}`} -->`;
}

export function isOwnMarkdown(text: string): boolean {
  return MARK.exec(text.slice(0, text.indexOf('\n')).trim())?.[1] === 'chat';
}

/** @throws SyntaxError where it is none. */
export function markdownChat(text: string, now: number): ImportedChat {
  const pieces = piecesOf(text);
  const [first, ...rest] = pieces;
  if (first?.kind !== 'chat') throw new SyntaxError('it does not begin as a chat of Pilotlight');
  const head = recordOf(first.value);
  const createdAt = typeof head.created_at === 'number' ? head.created_at : now;
  let system: string | null = null;
  let left = 0;
  const nodes: Parameters<typeof turnsOf>[0][number][] = [];
  for (const { kind, value, body } of rest) {
    const last = nodes.at(-1);
    const parent = last?.id ?? null;
    const id = `${nodes.length}`;
    const node = { id, parent, parts: [], model: null };
    if (kind === 'system') {
      // After its heading.
      system = body.replace(/^## .*\n+/, '');
    } else if (kind === 'user') {
      nodes.push({ ...node, role: 'user', at: Date.parse(value) || null });
    } else if (kind === 'answer') {
      const { at, model } = recordOf(value);
      const time = typeof at === 'string' ? Date.parse(at) || null : null;
      nodes.push({
        ...node,
        role: 'answer',
        at: time,
        model: typeof model === 'string' ? model : null,
      });
    } else if (kind === 'text' && body !== '') {
      last?.parts.push({ type: 'text', text: body });
    } else if (kind === 'reasoning') {
      last?.parts.push({ type: 'reasoning', text: body, ms: 0 });
    } else if (kind === 'tool') {
      last?.parts.push({ type: 'text', text: body });
    } else if (kind === 'files') {
      left += body.split('\n').length;
    }
  }
  const { messages, leafId } = turnsOf(nodes, null, createdAt);
  const title = typeof head.title === 'string' ? titleOf(head.title) : '';
  const id = typeof head.id === 'string' ? head.id : `${createdAt}:${title}`;
  return {
    source: `pilotlight:${id}`,
    title,
    titleBy: title === '' ? null : 'person',
    ...{ folder: null, pinned: false, archived: false, createdAt },
    updatedAt: typeof head.updated_at === 'number' ? head.updated_at : createdAt,
    settings: system === null ? {} : { system_prompt: system },
    ...{ leafId, messages, left },
  };
}

interface Piece {
  kind: string;
  value: string;
  body: string;
}

function piecesOf(text: string): Piece[] {
  const pieces: (Omit<Piece, 'body'> & { lines: string[] })[] = [];
  for (const line of text.replace(/\r\n/g, '\n').split('\n')) {
    const found = MARK.exec(line);
    if (found) pieces.push({ kind: found[1] ?? '', value: found[2] ?? '', lines: [] });
    else pieces.at(-1)?.lines.push(line);
  }
  return pieces.map(({ lines, ...piece }) => ({
    ...piece,
    // Blocks are one empty line apart; all else of a text is its own.
    body: unquote(
      lines
        .join('\n')
        .replace(/^\n/, '')
        .replace(/\n+(<details><summary>Reasoning<\/summary>\n*)?$/, ''),
    ),
  }));
}

function recordOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
