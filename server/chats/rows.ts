/** Rows of the database ↔ what the protocol says of chats. */
import { type ChatSettings, NO_CHAT_SETTINGS } from '../../protocol/chat-settings.js';
import type {
  AnswerFailure,
  AnswerMeasure,
  AnswerMessage,
  AnswerStatus,
  ChatFolder,
  ChatMessage,
  ChatSummary,
  MessagePart,
} from '../../protocol/chats.js';
import { attachmentsColumn, attachmentsIn } from '../attachments/columns.js';

export type Row = Record<string, unknown>;

/** As it is kept: whether it is being answered, only the server that answers knows. */
export type StoredSummary = Omit<ChatSummary, 'answering'>;

export const SUMMARY_COLUMNS =
  'id, title, title_by, folder_id, pinned, archived, created_at, updated_at, model';

export function summaryOf(row: Row): StoredSummary {
  return {
    id: row.id as string,
    title: row.title as string,
    title_by: row.title_by as ChatSummary['title_by'],
    folder_id: row.folder_id as string | null,
    pinned: row.pinned === 1,
    archived: row.archived === 1,
    created_at: row.created_at as number,
    updated_at: row.updated_at as number,
    model: row.model as string | null,
  };
}

/** What a later version has added to them has its default. */
export function settingsOf(text: unknown): ChatSettings {
  return { ...NO_CHAT_SETTINGS, ...(JSON.parse(text as string) as Partial<ChatSettings>) };
}

export function folderOf(row: Row): ChatFolder {
  return { id: row.id as string, name: row.name as string, position: row.position as number };
}

export const MESSAGE_COLUMNS = `id, parent_id, role, created_at, edited_at, text, model, status, parts, failure,
  measure, CASE role WHEN 'user' THEN ${attachmentsColumn('message')} END AS attachments`;

export function messageOf(row: Row): ChatMessage {
  const shared = {
    id: row.id as string,
    parent_id: row.parent_id as string | null,
    created_at: row.created_at as number,
    edited_at: row.edited_at as number | null,
  };
  if (row.role === 'user') {
    return {
      ...shared,
      role: 'user',
      text: row.text as string,
      attachments: attachmentsIn(row.attachments),
    };
  }
  return {
    ...shared,
    role: 'assistant',
    model: row.model as string,
    status: row.status as AnswerStatus,
    parts: jsonOf<MessagePart[]>(row.parts) ?? [],
    failure: jsonOf<AnswerFailure>(row.failure),
    measure: jsonOf<AnswerMeasure>(row.measure),
  };
}

function jsonOf<T>(text: unknown): T | null {
  return text === null ? null : (JSON.parse(text as string) as T);
}

export const jsonText = (value: unknown): string | null =>
  value === null ? null : JSON.stringify(value);

/** What it says, without what it thought and called. */
export function textOf(answer: Pick<AnswerMessage, 'parts'>): string {
  return answer.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
