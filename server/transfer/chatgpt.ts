/** A conversation of ChatGPT's export (conversations.json): a tree of messages under "mapping". */
import { z } from 'zod';
import type { MessagePart } from '../../protocol/chats.js';
import {
  type ImportedChat,
  type SourceNode,
  textPart,
  timeOf,
  titleOf,
  turnsOf,
} from './imported.js';

const seconds = z.number().nullish().catch(null);

const messageSchema = z.looseObject({
  author: z.looseObject({ role: z.string() }),
  create_time: seconds,
  content: z.looseObject({ content_type: z.string().catch('text') }),
  metadata: z
    .looseObject({
      model_slug: z.string().nullish().catch(null),
      is_visually_hidden_from_conversation: z.boolean().nullish().catch(null),
    })
    .nullish()
    .catch(null),
});

const conversationSchema = z.looseObject({
  id: z.string().nullish(),
  conversation_id: z.string().nullish(),
  title: z.string().nullish().catch(null),
  create_time: seconds,
  update_time: seconds,
  is_archived: z.boolean().nullish().catch(null),
  is_starred: z.boolean().nullish().catch(null),
  current_node: z.string().nullish().catch(null),
  mapping: z.record(
    z.string(),
    z.looseObject({ message: z.unknown(), parent: z.string().nullish().catch(null) }),
  ),
});

const textSchema = z.looseObject({ text: z.string() });
const partsSchema = z.looseObject({ parts: z.array(z.unknown()) });
const codeSchema = z.looseObject({ text: z.string(), language: z.string().catch('') });
const thoughtsSchema = z.looseObject({
  thoughts: z.array(
    z.looseObject({ summary: z.string().catch(''), content: z.string().catch('') }),
  ),
});

export function isChatGpt(value: unknown): boolean {
  return z.looseObject({ mapping: z.record(z.string(), z.unknown()) }).safeParse(value).success;
}

/** @throws ZodError where it is none. */
export function chatGptChat(value: unknown, now: number): ImportedChat {
  const given = conversationSchema.parse(value);
  const createdAt = timeOf(given.create_time) ?? now;
  let left = 0;
  const nodes = Object.entries(given.mapping).map(([id, { message, parent }]): SourceNode => {
    const node = { id, parent: parent ?? null, at: null, parts: [], model: null };
    const parsed = messageSchema.safeParse(message);
    if (!parsed.success) return { ...node, role: 'skip' };
    const { author, create_time, metadata, content } = parsed.data;
    const isHidden =
      metadata?.is_visually_hidden_from_conversation === true || author.role === 'system';
    if (isHidden) return { ...node, role: 'skip' };
    const isUser = author.role === 'user';
    const told = partsOf(content);
    left += told.left;
    if (told.parts.length === 0 && !isUser) return { ...node, role: 'skip' };
    return {
      ...node,
      role: isUser ? 'user' : 'answer',
      at: timeOf(create_time),
      parts: told.parts,
      model: metadata?.model_slug ?? null,
    };
  });
  const current = given.current_node ?? null;
  const { messages, leafId } = turnsOf(nodes, current, createdAt);
  const id = given.conversation_id ?? given.id ?? `${given.create_time}:${given.title}`;
  return {
    source: `chatgpt:${id}`,
    title: titleOf(given.title ?? ''),
    titleBy: 'person',
    folder: null,
    pinned: given.is_starred === true,
    archived: given.is_archived === true,
    createdAt,
    updatedAt: timeOf(given.update_time) ?? createdAt,
    settings: {},
    leafId,
    messages,
    left,
  };
}

/** `left`: pieces that are no text. */
function partsOf(content: z.infer<typeof messageSchema>['content']): {
  parts: MessagePart[];
  left: number;
} {
  if (content.content_type === 'thoughts') {
    const { thoughts } = thoughtsSchema.catch({ thoughts: [] }).parse(content);
    const text = thoughts.map(({ summary, content: body }) => `${summary}\n\n${body}`.trim());
    const whole = text.filter((each) => each !== '').join('\n\n');
    return { parts: whole === '' ? [] : [{ type: 'reasoning', text: whole, ms: 0 }], left: 0 };
  }
  // How long it thought, and what the person has written of themselves for every chat.
  if (
    ['reasoning_recap', 'user_editable_context', 'model_editable_context'].includes(
      content.content_type,
    )
  ) {
    return { parts: [], left: 0 };
  }
  const listed = partsSchema.safeParse(content);
  if (listed.success) {
    const texts = listed.data.parts.map((part) =>
      typeof part === 'string' ? part : (textSchema.safeParse(part).data?.text ?? null),
    );
    const text = texts.filter((each) => each !== null && each !== '').join('\n\n');
    const left = texts.filter((each) => each === null).length;
    return { parts: text === '' ? [] : [textPart(text)], left };
  }
  const code = codeSchema.safeParse(content);
  if (!code.success || code.data.text === '') return { parts: [], left: code.success ? 0 : 1 };
  const isCode = content.content_type === 'code' || content.content_type === 'execution_output';
  const language = code.data.language === 'unknown' ? '' : code.data.language;
  return { parts: [textPart(isCode ? fenced(code.data.text, language) : code.data.text)], left: 0 };
}

/** As a block of code that its own fences do not end. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
