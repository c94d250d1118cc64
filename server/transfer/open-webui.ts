/** A chat of Open WebUI's export: a tree under "history", or a plain list in older ones. */
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

const messageSchema = z.looseObject({
  id: z.string().nullish().catch(null),
  parentId: z.string().nullish().catch(null),
  role: z.string(),
  content: z.unknown(),
  timestamp: z.number().nullish().catch(null),
  model: z.string().nullish().catch(null),
  files: z.array(z.unknown()).nullish().catch(null),
});

const chatSchema = z.looseObject({
  title: z.string().nullish().catch(null),
  system: z.string().nullish().catch(null),
  params: z
    .looseObject({ system: z.string().nullish().catch(null) })
    .nullish()
    .catch(null),
  timestamp: z.number().nullish().catch(null),
  history: z
    .looseObject({
      messages: z.record(z.string(), messageSchema),
      currentId: z.string().nullish().catch(null),
    })
    .nullish(),
  messages: z.array(messageSchema).nullish(),
});

const exportedSchema = z.looseObject({
  id: z.string().nullish(),
  title: z.string().nullish().catch(null),
  created_at: z.number().nullish().catch(null),
  updated_at: z.number().nullish().catch(null),
  archived: z.boolean().nullish().catch(null),
  pinned: z.boolean().nullish().catch(null),
  chat: chatSchema,
});

/** Reasoning is written into the text, in an element of its own. */
const DETAILS = /<details type="reasoning"[^>]*>([\s\S]*?)<\/details>/g;

export function isOpenWebUi(value: unknown): boolean {
  const shape = z.looseObject({
    chat: z.union([
      z.looseObject({ history: z.looseObject({ messages: z.record(z.string(), z.unknown()) }) }),
      z.looseObject({ messages: z.array(z.unknown()) }),
    ]),
  });
  return shape.safeParse(value).success;
}

/** @throws ZodError where it is none. */
export function openWebUiChat(value: unknown, now: number): ImportedChat {
  const given = exportedSchema.parse(value);
  const { chat } = given;
  const createdAt = timeOf(given.created_at) ?? timeOf(chat.timestamp) ?? now;
  const nodes: SourceNode[] = [];
  let left = 0;
  const add = (id: string, parent: string | null, message: z.infer<typeof messageSchema>) => {
    const told = partsOf(message.content);
    left += told.left + (message.files?.length ?? 0);
    const isUser = message.role === 'user';
    nodes.push({
      ...{ id, parent, at: timeOf(message.timestamp), parts: told.parts },
      role: message.role === 'system' ? 'skip' : isUser ? 'user' : 'answer',
      model: message.model ?? null,
    });
  };
  let current = chat.history?.currentId ?? null;
  const tree = Object.entries(chat.history?.messages ?? {});
  for (const [id, message] of tree) add(id, message.parentId ?? null, message);
  if (tree.length === 0) {
    let parent: string | null = null;
    (chat.messages ?? []).forEach((message, index) => {
      const id = message.id ?? `${index}`;
      add(id, parent, message);
      parent = id;
    });
    current = parent;
  }
  const { messages, leafId } = turnsOf(nodes, current, createdAt);
  const system = chat.params?.system ?? chat.system ?? '';
  const title = given.title ?? chat.title ?? '';
  return {
    source: `open-webui:${given.id ?? `${createdAt}:${title}`}`,
    title: titleOf(title),
    titleBy: title === '' ? null : 'person',
    folder: null,
    pinned: given.pinned === true,
    archived: given.archived === true,
    createdAt,
    updatedAt: timeOf(given.updated_at) ?? createdAt,
    settings: system === '' ? {} : { system_prompt: system },
    leafId,
    messages,
    left,
  };
}

function partsOf(content: unknown): { parts: MessagePart[]; left: number } {
  const pieces = z
    .array(z.looseObject({ text: z.string().optional().catch(undefined) }))
    .catch([])
    .parse(content);
  const text =
    typeof content === 'string' ? content : pieces.map((piece) => piece.text ?? '').join('');
  const left = pieces.filter((piece) => piece.text === undefined).length;
  const thoughts = Array.from(text.matchAll(DETAILS), ([, inner = '']) => thoughtOf(inner));
  const rest = text.replace(DETAILS, '').trim();
  const parts: MessagePart[] = thoughts
    .filter((thought) => thought !== '')
    .map((thought) => ({ type: 'reasoning', text: thought, ms: 0 }));
  if (rest !== '') parts.push(textPart(rest));
  return { parts, left };
}

/** Without its heading and the quotation marks of each line. */
function thoughtOf(inner: string): string {
  return inner
    .replace(/<summary>[\s\S]*?<\/summary>/, '')
    .replace(/^[ \t]*(?:&gt;|>) ?/gm, '')
    .trim();
}
