/** Our own JSON: chats with their whole trees, and back. */
import type { z } from 'zod';
import type { Chat, ChatFolder } from '../../protocol/chats.js';
import {
  type ChatExport,
  chatExportSchema,
  EXPORT_VERSION,
  type ExportedChat,
  exportedChatSchema,
} from '../../protocol/transfer.js';
import type { ImportedChat } from './imported.js';

/** The beginning and the end of the text; the chats come between, with commas. */
export function exportFrame(folders: readonly ChatFolder[], now: number): [string, string] {
  const head: Omit<ChatExport, 'chats'> = {
    format: 'pilotlight.chats',
    version: EXPORT_VERSION,
    exported_at: now,
    folders: [...folders],
  };
  return [`${JSON.stringify(head).slice(0, -1)},"chats":[`, ']}\n'];
}

export function exportedChat(chat: Omit<Chat, 'answering'>): ExportedChat {
  return exportedChatSchema.parse(chat);
}

/** What a file says before its chats are read. */
const headSchema = chatExportSchema.pick({ format: true, version: true, folders: true });
export type ExportHead = z.infer<typeof headSchema>;

/** @throws ZodError */
export function exportHead(value: unknown): ExportHead {
  return headSchema.parse(value);
}

/** @throws ZodError where it is none; RangeError where its messages are no tree. */
export function ownChat(value: unknown, folders: readonly ChatFolder[]): ImportedChat {
  const chat = exportedChatSchema.parse(value);
  const known = new Set<string | null>([null]);
  let left = 0;
  const messages = chat.messages.map((message) => {
    if (!known.has(message.parent_id))
      throw new RangeError(`the message ${message.id} follows none`);
    if (known.has(message.id)) throw new RangeError(`the message ${message.id} is there twice`);
    known.add(message.id);
    if (message.role === 'user') {
      left += message.attachments.length;
      return { ...message, attachments: [] };
    }
    return { ...message, status: message.status === 'running' ? 'interrupted' : message.status };
  });
  return {
    source: `pilotlight:${chat.id}`,
    title: chat.title,
    titleBy: chat.title_by,
    folder: folders.find(({ id }) => id === chat.folder_id)?.name ?? null,
    pinned: chat.pinned,
    archived: chat.archived,
    createdAt: chat.created_at,
    updatedAt: chat.updated_at,
    // A preset is known by its id on its own machine only; its text is here.
    settings: { ...chat.settings, preset_id: null },
    leafId: known.has(chat.leaf_id) ? chat.leaf_id : null,
    messages,
    left,
  };
}
