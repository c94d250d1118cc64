/**
 * The person's chats in the database: summaries, settings and what changes them. Their messages are in message-store.ts.
 * All of it throws StorageError where it cannot be written; nothing has changed then.
 */

import { NO_CHAT_SETTINGS } from '../../protocol/chat-settings.js';
import type { Chat, ChatFolder, ChatList, ChatPatch, Preset } from '../../protocol/chats.js';
import { attachmentsColumn, attachmentsIn, linkAttachments } from '../attachments/columns.js';
import { createId } from '../http/ids.js';
import type { Connection, Database } from '../store/database.js';
import { statement } from '../store/statements.js';
import {
  folderOf,
  MESSAGE_COLUMNS,
  messageOf,
  type Row,
  type StoredSummary,
  SUMMARY_COLUMNS,
  settingsOf,
  summaryOf,
} from './rows.js';
import { newestLeaf } from './tree.js';

/** How long what was deleted can be restored, in milliseconds: longer than a person looks for what is missing. */
const RESTORE_MS = 60 * 60 * 1000;

/** For stateOf. */
const STATE_COLUMNS = `settings, draft, leaf_id, ${attachmentsColumn('draft')} AS draft_attachments`;

export type StoredChat = Omit<Chat, 'answering'>;
type StoredList = Omit<ChatList, 'chats'> & { chats: StoredSummary[] };

export interface NewChat {
  title: string | null;
  folder_id: string | null;
  settings: NonNullable<ChatPatch['settings']>;
}

export class ChatStore {
  constructor(
    readonly database: Database,
    /** Milliseconds since 1970. */
    readonly now: () => number = Date.now,
  ) {}

  list(): StoredList {
    return this.database.read((connection) => ({
      chats: statement(
        connection,
        `SELECT ${SUMMARY_COLUMNS} FROM chats WHERE deleted_at IS NULL ORDER BY updated_at DESC, id`,
      )
        .all()
        .map(summaryOf),
      folders: foldersIn(connection),
    }));
  }

  find(id: string): StoredChat | null {
    return this.database.read((connection) => findChat(connection, id));
  }

  summary(id: string): StoredSummary | null {
    return this.database.read((connection) => {
      const row = statement(
        connection,
        `SELECT ${SUMMARY_COLUMNS} FROM chats WHERE id = ? AND deleted_at IS NULL`,
      ).get(id);
      return row === undefined ? null : summaryOf(row);
    });
  }

  /** What of it changes while it is open. */
  state(
    id: string,
  ): Pick<StoredChat, 'settings' | 'draft' | 'draft_attachments' | 'leaf_id'> | null {
    return this.database.read((connection) => {
      const row = statement(
        connection,
        `SELECT ${STATE_COLUMNS} FROM chats WHERE id = ? AND deleted_at IS NULL`,
      ).get(id);
      return row === undefined ? null : stateOf(row);
    });
  }

  hasMessage(chatId: string, id: string): boolean {
    return this.database.read(
      (connection) =>
        statement(
          connection,
          'SELECT 1 FROM chat_messages WHERE id = ? AND chat_id = ? AND deleted_at IS NULL',
        ).get(id, chatId) !== undefined,
    );
  }

  create({ title, folder_id, settings }: NewChat): string {
    const id = createId('chat_');
    const now = this.now();
    this.database.write((connection) => {
      statement(
        connection,
        `INSERT INTO chats (id, title, title_by, folder_id, created_at, updated_at, settings)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ).run(
        id,
        title ?? '',
        title === null ? null : 'person',
        folder_id,
        now,
        now,
        JSON.stringify({ ...NO_CHAT_SETTINGS, ...settings }),
      );
    });
    return id;
  }

  /** Attachments are looked up by whoever calls. @returns false where there is no such chat. */
  patch(id: string, patch: ChatPatch): boolean {
    const { title, settings, leaf_id: leaf, draft, draft_attachments: files } = patch;
    return this.database.write((connection) => {
      const row = statement(
        connection,
        'SELECT settings FROM chats WHERE id = ? AND deleted_at IS NULL',
      ).get(id);
      if (row === undefined) return false;
      const set = (column: string, value: string | number | null) => {
        statement(connection, `UPDATE chats SET ${column} = ? WHERE id = ?`).run(value, id);
      };
      if (title !== undefined) {
        set('title', title);
        set('title_by', title === '' ? null : 'person');
      }
      if (patch.folder_id !== undefined) set('folder_id', patch.folder_id);
      if (patch.pinned !== undefined) set('pinned', Number(patch.pinned));
      if (patch.archived !== undefined) set('archived', Number(patch.archived));
      if (settings !== undefined) {
        set('settings', JSON.stringify({ ...settingsOf(row.settings), ...settings }));
      }
      if (draft !== undefined) set('draft', draft);
      if (files !== undefined) {
        statement(connection, 'DELETE FROM draft_attachments WHERE chat_id = ?').run(id);
        linkAttachments(connection, 'draft', id, files);
      }
      if (leaf !== undefined) {
        set('leaf_id', leaf === null ? null : newestLeaf(nodesIn(connection, id), leaf));
      }
      return true;
    });
  }

  /** Unless somebody has given it one meanwhile. @returns whether it has this one now. */
  giveTitle(id: string, title: string, by: 'model' | null): boolean {
    return this.database.write(
      (connection) =>
        statement(
          connection,
          `UPDATE chats SET title = ?, title_by = ?
           WHERE id = ? AND title_by IS NULL AND deleted_at IS NULL`,
        ).run(title, by, id).changes > 0,
    );
  }

  /** @returns false where there is no such chat. */
  delete(id: string): boolean {
    return this.database.write(
      (connection) =>
        statement(
          connection,
          'UPDATE chats SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL',
        ).run(this.now(), id).changes > 0,
    );
  }

  /** @returns false where it is not among what can be restored. */
  restore(id: string): boolean {
    return this.database.write(
      (connection) =>
        statement(
          connection,
          'UPDATE chats SET deleted_at = NULL WHERE id = ? AND deleted_at > ?',
        ).run(id, this.now() - RESTORE_MS).changes > 0,
    );
  }

  /** What was deleted long enough ago goes for good, out of the file too. Never throws. */
  purge(): void {
    const before = this.now() - RESTORE_MS;
    let gone = 0;
    this.database.tryWrite('Chats', (connection) => {
      const run = (sql: string) => {
        gone += Number(statement(connection, sql).run(before).changes);
      };
      // The first look costs nothing where there is nothing, which is nearly always.
      run('DELETE FROM chats WHERE deleted_at <= ?');
      run('DELETE FROM chat_messages WHERE deleted_at <= ?');
    });
    if (gone > 0) this.database.emptyLog();
  }

  folders(): ChatFolder[] {
    return this.database.read(foldersIn);
  }

  hasFolder(id: string): boolean {
    return this.folders().some((folder) => folder.id === id);
  }

  /** At the end. */
  addFolder(name: string): string {
    const id = createId('folder_');
    this.database.write((connection) => {
      const position = foldersIn(connection).length;
      statement(connection, 'INSERT INTO chat_folders (id, name, position) VALUES (?, ?, ?)').run(
        id,
        name,
        position,
      );
    });
    return id;
  }

  /** @returns false where there is none. */
  changeFolder(
    id: string,
    change: { name?: string | undefined; position?: number | undefined },
  ): boolean {
    return this.database.write((connection) => {
      const folders = foldersIn(connection);
      const folder = folders.find((each) => each.id === id);
      if (folder === undefined) return false;
      const { name = folder.name, position = folder.position } = change;
      const others = folders.filter((each) => each !== folder);
      putFolders(connection, others.toSpliced(position, 0, { ...folder, name }));
      return true;
    });
  }

  /** Its chats stay, in no folder. @returns their ids; null where there is no such folder. */
  deleteFolder(id: string): string[] | null {
    return this.database.write((connection) => {
      const folders = foldersIn(connection);
      if (!folders.some((each) => each.id === id)) return null;
      const inside = statement(
        connection,
        'SELECT id FROM chats WHERE folder_id = ? AND deleted_at IS NULL',
      ).all(id);
      statement(connection, 'DELETE FROM chat_folders WHERE id = ?').run(id);
      putFolders(
        connection,
        folders.filter((each) => each.id !== id),
      );
      return inside.map((row) => row.id as string);
    });
  }

  presets(): Preset[] {
    return this.database.read((connection) =>
      statement(connection, 'SELECT id, name, system_prompt FROM presets ORDER BY name, id')
        .all()
        .map((row) => ({
          id: row.id as string,
          name: row.name as string,
          system_prompt: row.system_prompt as string,
          built_in: false,
        })),
    );
  }

  /** @param id Null: a new one. @returns null where there is none of this id. */
  putPreset(id: string | null, preset: Pick<Preset, 'name' | 'system_prompt'>): Preset | null {
    const { name, system_prompt } = preset;
    const known = id ?? createId('preset_');
    const { changes } = this.database.write((connection) =>
      statement(
        connection,
        id === null
          ? 'INSERT INTO presets (name, system_prompt, id) VALUES (?, ?, ?)'
          : 'UPDATE presets SET name = ?, system_prompt = ? WHERE id = ?',
      ).run(name, system_prompt, known),
    );
    return changes > 0 ? { id: known, name, system_prompt, built_in: false } : null;
  }

  /** @returns false where there is none. */
  deletePreset(id: string): boolean {
    return this.database.write(
      (connection) => statement(connection, 'DELETE FROM presets WHERE id = ?').run(id).changes > 0,
    );
  }
}

export function findChat(connection: Connection, id: string): StoredChat | null {
  const row = statement(
    connection,
    `SELECT ${SUMMARY_COLUMNS}, ${STATE_COLUMNS} FROM chats WHERE id = ? AND deleted_at IS NULL`,
  ).get(id);
  if (row === undefined) return null;
  const messages = statement(
    connection,
    `SELECT ${MESSAGE_COLUMNS} FROM chat_messages WHERE chat_id = ? AND deleted_at IS NULL ORDER BY seq`,
  ).all(id);
  return {
    ...summaryOf(row),
    ...stateOf(row),
    messages: messages.map(messageOf),
  };
}

function stateOf(row: Row) {
  return {
    settings: settingsOf(row.settings),
    draft: row.draft as string,
    draft_attachments: attachmentsIn(row.draft_attachments),
    leaf_id: row.leaf_id as string | null,
  };
}

/** Those that are not deleted, oldest first. */
export function nodesIn(
  connection: Connection,
  chatId: string,
): { id: string; parent_id: string | null }[] {
  return statement(
    connection,
    'SELECT id, parent_id FROM chat_messages WHERE chat_id = ? AND deleted_at IS NULL ORDER BY seq',
  )
    .all(chatId)
    .map((row) => ({ id: row.id as string, parent_id: row.parent_id as string | null }));
}

function foldersIn(connection: Connection): ChatFolder[] {
  return statement(connection, 'SELECT id, name, position FROM chat_folders ORDER BY position, id')
    .all()
    .map(folderOf);
}

/** In this order. */
function putFolders(connection: Connection, folders: readonly ChatFolder[]): void {
  const update = statement(
    connection,
    'UPDATE chat_folders SET name = ?, position = ? WHERE id = ?',
  );
  folders.forEach(({ id, name }, position) => void update.run(name, position, id));
}
