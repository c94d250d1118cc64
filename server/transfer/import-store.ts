/** Chats that come in, into the database. All of it throws StorageError where it cannot be written. */

import { NO_CHAT_SETTINGS } from '../../protocol/chat-settings.js';
import type { ChatMessage } from '../../protocol/chats.js';
import { jsonText, textOf } from '../chats/rows.js';
import { createId } from '../http/ids.js';
import type { Connection, Database } from '../store/database.js';
import { statement } from '../store/statements.js';
import type { ImportedChat } from './imported.js';

/** Sources of the chats that are here, and of those that came from here. */
export function knownSources(database: Database): Set<string> {
  return database.read((connection) => {
    const rows = statement(
      connection,
      'SELECT id, source FROM chats WHERE deleted_at IS NULL',
    ).all();
    return new Set(
      rows.flatMap(({ id, source }) => [
        `pilotlight:${id}`,
        ...(source === null ? [] : [source as string]),
      ]),
    );
  });
}

/** All of it or nothing. @returns its id here. */
export function putChat(database: Database, chat: ImportedChat): string {
  const id = createId('chat_');
  // Ids of the source may be taken here.
  const ids = new Map(chat.messages.map((message) => [message.id, createId('msg_')]));
  const leaf = chat.leafId === null ? null : (ids.get(chat.leafId) ?? null);
  database.write((connection) => {
    statement(
      connection,
      `INSERT INTO chats (id, title, title_by, folder_id, pinned, archived, created_at, updated_at, model, settings,
       leaf_id, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      id,
      chat.title,
      chat.titleBy,
      chat.folder === null ? null : folderNamed(connection, chat.folder),
      Number(chat.pinned),
      Number(chat.archived),
      chat.createdAt,
      chat.updatedAt,
      chat.messages.findLast((message) => message.role === 'assistant')?.model ?? null,
      JSON.stringify({ ...NO_CHAT_SETTINGS, ...chat.settings }),
      leaf,
      chat.source,
    );
    for (const message of chat.messages) {
      const parent = message.parent_id === null ? null : (ids.get(message.parent_id) ?? null);
      putMessage(connection, id, {
        ...message,
        id: ids.get(message.id) ?? message.id,
        parent_id: parent,
      });
    }
  });
  return id;
}

function putMessage(connection: Connection, chatId: string, message: ChatMessage): void {
  const isAnswer = message.role === 'assistant';
  statement(
    connection,
    `INSERT INTO chat_messages (id, chat_id, parent_id, role, created_at, edited_at, text, model, status, parts, failure,
     measure) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    message.id,
    chatId,
    message.parent_id,
    message.role,
    message.created_at,
    message.edited_at,
    isAnswer ? textOf(message) : message.text,
    isAnswer ? message.model : null,
    isAnswer ? message.status : null,
    isAnswer ? JSON.stringify(message.parts) : null,
    isAnswer ? jsonText(message.failure) : null,
    isAnswer ? jsonText(message.measure) : null,
  );
}

/** The id of the folder of this name; a new one at the end where there is none. */
function folderNamed(connection: Connection, name: string): string {
  const found = statement(
    connection,
    'SELECT id FROM chat_folders WHERE name = ? ORDER BY position',
  ).get(name);
  if (found !== undefined) return found.id as string;
  const id = createId('folder_');
  statement(
    connection,
    'INSERT INTO chat_folders (id, name, position) SELECT ?, ?, COALESCE(MAX(position) + 1, 0) FROM chat_folders',
  ).run(id, name);
  return id;
}
