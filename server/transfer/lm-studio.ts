/** A conversation as LM Studio keeps it (conversations/*.conversation.json): turns that each have versions. */
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

const pieceSchema = z.looseObject({
  type: z.string().catch(''),
  text: z.string().optional().catch(undefined),
});
const contentSchema = z.union([z.string(), z.array(pieceSchema)]);

const stepSchema = z.looseObject({
  type: z.string().catch(''),
  content: contentSchema.optional().catch(undefined),
  style: z.looseObject({ type: z.string() }).optional().catch(undefined),
  genInfo: z.looseObject({ identifier: z.string().optional() }).optional().catch(undefined),
});

const versionSchema = z.looseObject({
  role: z.string(),
  content: contentSchema.optional().catch(undefined),
  steps: z.array(stepSchema).optional().catch(undefined),
});

const messageSchema = z.looseObject({
  versions: z.array(versionSchema),
  currentlySelected: z.number().int().min(0).catch(0),
});

const conversationSchema = z.looseObject({
  name: z.string().nullish().catch(null),
  pinned: z.boolean().catch(false),
  createdAt: z.number().nullish().catch(null),
  systemPrompt: z.string().catch(''),
  messages: z.array(messageSchema),
});

export function isLmStudio(value: unknown): boolean {
  const shape = z.looseObject({
    messages: z.array(z.looseObject({ versions: z.array(z.unknown()) })).min(1),
  });
  return shape.safeParse(value).success;
}

/**
 * @param name Of its file, which tells it from others.
 * @throws ZodError where it is none.
 */
export function lmStudioChat(value: unknown, name: string, now: number): ImportedChat {
  const given = conversationSchema.parse(value);
  const createdAt = timeOf(given.createdAt) ?? now;
  const nodes: SourceNode[] = [];
  let left = 0;
  let parent: string | null = null;
  given.messages.forEach(({ versions, currentlySelected }, turn) => {
    let chosen = parent;
    versions.forEach((version, index) => {
      const told = partsOf(version);
      left += told.left;
      const role = version.role === 'user' ? 'user' : 'answer';
      const id = `${turn}.${index}`;
      nodes.push({
        ...{ id, parent, at: null, parts: told.parts, model: told.model },
        role: version.role === 'system' ? 'skip' : role,
      });
      if (index === currentlySelected || index === 0) chosen = id;
    });
    parent = chosen;
  });
  const { messages, leafId } = turnsOf(nodes, parent, createdAt);
  return {
    source: `lm-studio:${name}`,
    title: titleOf(given.name ?? ''),
    titleBy: given.name ? 'person' : null,
    folder: null,
    pinned: given.pinned,
    archived: false,
    createdAt,
    updatedAt: createdAt,
    settings: given.systemPrompt === '' ? {} : { system_prompt: given.systemPrompt },
    leafId,
    messages,
    left,
  };
}

function partsOf({ content, steps }: z.infer<typeof versionSchema>): {
  parts: MessagePart[];
  model: string | null;
  left: number;
} {
  const parts: MessagePart[] = [];
  let model: string | null = null;
  let left = 0;
  for (const step of [{ content, style: undefined, genInfo: undefined }, ...(steps ?? [])]) {
    model = step.genInfo?.identifier ?? model;
    if (step.content === undefined) continue;
    const pieces = typeof step.content === 'string' ? [{ text: step.content }] : step.content;
    const text = pieces.map((piece) => piece.text ?? '').join('');
    left += pieces.filter((piece) => piece.text === undefined).length;
    if (text === '') continue;
    const isThought = step.style?.type === 'thinking';
    parts.push(isThought ? { type: 'reasoning', text, ms: 0 } : textPart(text));
  }
  return { parts, model, left };
}
