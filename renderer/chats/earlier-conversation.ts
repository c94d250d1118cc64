/** The one conversation that a window kept in its browser before the server kept chats: it becomes a chat, once. */

import { z } from 'zod';
import { NO_CHAT_SETTINGS } from '../../protocol/chat-settings.js';
import type { ChatMessage } from '../../protocol/chats.js';
import { type ChatExport, EXPORT_VERSION, importPreviewSchema } from '../../protocol/transfer.js';
import { chatsApi } from '../api/chats.js';
import { readJson, request, sendJson } from '../api/http.js';

const CONVERSATION_KEY = 'pilotlight.conversation';
const DRAFT_KEY = 'pilotlight.draft';
const IMPORTS = '/pilotlight/transfer/imports';
/** Characters of a title that is made from a question. */
const TITLE = 60;

const storedSchema = z.object({
  version: z.literal(1),
  turns: z
    .array(
      z.object({
        question: z.string(),
        answer: z.object({
          model: z.string(),
          text: z.string(),
          reasoning: z.string(),
          reasoningMs: z.number().nullable(),
          status: z.enum(['running', 'complete', 'length', 'stopped', 'failed']),
          failure: z.object({ message: z.string() }).nullable(),
        }),
      }),
    )
    .min(1),
});

/** The stored conversation as an export of one chat, or null where none is stored that can be read. */
export function earlierChat(stored: string | null, id: string, now: number): ChatExport | null {
  let json: unknown = null;
  try {
    json = JSON.parse(stored ?? 'null');
  } catch {
    return null;
  }
  const conversation = storedSchema.safeParse(json);
  if (!conversation.success) return null;
  const messages: ChatMessage[] = [];
  conversation.data.turns.forEach(({ question, answer }, turn) => {
    const parent = messages.at(-1)?.id ?? null;
    const place = { created_at: now, edited_at: null };
    const asked = `${id}-q${turn}`;
    messages.push({
      ...place,
      id: asked,
      parent_id: parent,
      role: 'user',
      text: question,
      attachments: [],
    });
    const { model, text, reasoning, reasoningMs, status, failure } = answer;
    messages.push({
      ...place,
      id: `${id}-a${turn}`,
      parent_id: asked,
      role: 'assistant',
      model,
      parts: [
        ...(reasoning === ''
          ? []
          : [{ type: 'reasoning' as const, text: reasoning, ms: reasoningMs }]),
        ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ],
      status: status === 'running' ? 'stopped' : status,
      failure: failure && { code: 'other', message: failure.message, retry_after: null },
      measure: null,
    });
  });
  const title = (conversation.data.turns[0]?.question ?? '').replace(/\s+/g, ' ').trim();
  const chat: ChatExport['chats'][number] = {
    id,
    title: title.length > TITLE ? `${title.slice(0, TITLE).trimEnd()}…` : title,
    title_by: null,
    folder_id: null,
    pinned: false,
    archived: false,
    created_at: now,
    updated_at: now,
    model: null,
    settings: NO_CHAT_SETTINGS,
    draft: '',
    leaf_id: messages.at(-1)?.id ?? null,
    messages,
  };
  const format = 'pilotlight.chats';
  return { format, version: EXPORT_VERSION, exported_at: now, folders: [], chats: [chat] };
}

/** Hands over what is stored, and forgets it here. What fails is tried again by the next window. */
export async function handOverConversation(): Promise<void> {
  try {
    const stored = localStorage.getItem(CONVERSATION_KEY);
    const draft = localStorage.getItem(DRAFT_KEY);
    const id = `earlier-${Date.now().toString(36)}`;
    const chat = earlierChat(stored, id, Date.now());
    if (chat) {
      const file = { method: 'POST', body: JSON.stringify(chat) };
      const path = `${IMPORTS}?name=${encodeURIComponent('conversation.json')}`;
      const preview = await readJson(importPreviewSchema, await request(path, file));
      await sendJson('POST', `${IMPORTS}/${encodeURIComponent(preview.id)}`, {});
    }
    localStorage.removeItem(CONVERSATION_KEY);
    if (draft) await chatsApi.saveDraft((await chatsApi.create()).id, draft);
    localStorage.removeItem(DRAFT_KEY);
  } catch {
    // Without a place to store anything there is nothing to hand over; without the server it stays where it is.
  }
}
