/** The messages of chats in the database. All of it throws StorageError where it cannot be written. */
import type { AnswerMessage, ChatMessage, UserMessage } from '../../protocol/chats.js';
import { linkAttachments } from '../attachments/columns.js';
import type { Connection, Database } from '../store/database.js';
import { statement } from '../store/statements.js';
import { jsonText, MESSAGE_COLUMNS, messageOf, type Row, textOf } from './rows.js';
import { nodesIn } from './store.js';
import { endedCall } from './tool-calls.js';
import { leafWithout, newestLeaf, subtreeOf } from './tree.js';

export class MessageStore {
  constructor(
    private readonly database: Database,
    /** Milliseconds since 1970. */
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Answers that begin, with their question where it is a new one; the last answer is shown. The draft has become the
   * question.
   * @param owner The lock of this server.
   */
  begin(
    chatId: string,
    question: UserMessage | null,
    answers: readonly AnswerMessage[],
    owner: () => string,
  ): void {
    this.database.write((connection) => {
      const name = owner();
      if (question !== null) {
        insert(connection, chatId, question, null);
        statement(connection, "UPDATE chats SET draft = '' WHERE id = ?").run(chatId);
        statement(connection, 'DELETE FROM draft_attachments WHERE chat_id = ?').run(chatId);
      }
      for (const answer of answers) insert(connection, chatId, answer, name);
      const last = answers.at(-1) ?? question;
      statement(connection, 'UPDATE chats SET leaf_id = ?, updated_at = ? WHERE id = ?').run(
        last?.id ?? null,
        this.now(),
        chatId,
      );
    });
  }

  /** An answer that has ended runs again. */
  goOn(chatId: string, answer: AnswerMessage, owner: () => string): void {
    this.database.write((connection) => this.saveAnswer(connection, chatId, answer, owner()));
  }

  /** An answer as far as it has come. @param owner Null: it has ended. */
  saveAnswer(
    connection: Connection,
    chatId: string,
    answer: AnswerMessage,
    owner: string | null,
  ): void {
    const { id, model, status, parts, failure, measure, edited_at } = answer;
    statement(
      connection,
      `UPDATE chat_messages SET text = ?, model = ?, status = ?, parts = ?, failure = ?, measure = ?,
       edited_at = ?, owner = ? WHERE id = ?`,
    ).run(
      status === 'running' ? '' : textOf(answer),
      model,
      status,
      JSON.stringify(parts),
      jsonText(failure),
      jsonText(measure),
      edited_at,
      owner,
      id,
    );
    if (status === 'running') return;
    statement(connection, 'UPDATE chats SET updated_at = ?, model = ? WHERE id = ?').run(
      this.now(),
      model,
      chatId,
    );
  }

  /** Its words, of a question or of an answer that has ended. */
  edit(message: ChatMessage): void {
    const edited = message.role === 'user' ? message.text : textOf(message);
    this.database.write((connection) => {
      statement(
        connection,
        'UPDATE chat_messages SET text = ?, parts = ?, edited_at = ? WHERE id = ?',
      ).run(
        edited,
        message.role === 'user' ? null : JSON.stringify(message.parts),
        message.edited_at,
        message.id,
      );
    });
  }

  /** With all that follows it. @returns the ids; none where it is not there. */
  delete(chatId: string, id: string): string[] {
    return this.database.write((connection) => {
      const nodes = nodesIn(connection, chatId);
      const removed = nodes.find((node) => node.id === id);
      if (removed === undefined) return [];
      const gone = subtreeOf(nodes, id);
      const update = statement(
        connection,
        'UPDATE chat_messages SET deleted_at = ?, deleted_with = ? WHERE id = ?',
      );
      const now = this.now();
      for (const each of gone) update.run(now, id, each);
      const leaf = leafOf(connection, chatId);
      if (leaf !== null && gone.has(leaf)) {
        const left = nodes.filter((node) => !gone.has(node.id));
        setLeaf(connection, chatId, leafWithout(left, removed));
      }
      return [...gone];
    });
  }

  /**
   * What went with it is back, and shown.
   * @returns the messages, oldest first; none where they are not among what can be restored, or what they follow is gone.
   */
  restore(chatId: string, id: string): ChatMessage[] {
    return this.database.write((connection) => {
      const rows = statement(
        connection,
        `SELECT ${MESSAGE_COLUMNS} FROM chat_messages WHERE chat_id = ? AND deleted_with = ? ORDER BY seq`,
      ).all(chatId, id);
      const root = rows.find((row) => row.id === id);
      if (root === undefined) return [];
      const there = nodesIn(connection, chatId);
      if (root.parent_id !== null && !there.some((node) => node.id === root.parent_id)) return [];
      statement(
        connection,
        'UPDATE chat_messages SET deleted_at = NULL, deleted_with = NULL WHERE chat_id = ? AND deleted_with = ?',
      ).run(chatId, id);
      setLeaf(connection, chatId, newestLeaf(nodesIn(connection, chatId), id));
      return rows.map(messageOf);
    });
  }

  /**
   * Answers whose server is gone end here, with what had come.
   * @param isHeld Whether the server with this lock is there.
   */
  interrupt(isHeld: (owner: string) => boolean): void {
    const left = (connection: Connection): Row[] =>
      statement(
        connection,
        `SELECT ${MESSAGE_COLUMNS}, owner FROM chat_messages WHERE owner IS NOT NULL`,
      )
        .all()
        .filter(({ owner }) => !isHeld(owner as string));
    if (this.database.read(left).length === 0) return;
    this.database.tryWrite('Chats', (connection) => {
      const end = statement(
        connection,
        "UPDATE chat_messages SET status = 'interrupted', text = ?, parts = ?, owner = NULL WHERE id = ?",
      );
      for (const row of left(connection)) {
        const message = messageOf(row);
        if (message.role !== 'assistant') continue;
        const parts = message.parts.map((part) =>
          part.type === 'tool_call' ? endedCall(part) : part,
        );
        end.run(textOf(message), JSON.stringify(parts), message.id);
      }
    });
  }
}

function insert(
  connection: Connection,
  chatId: string,
  message: ChatMessage,
  owner: string | null,
): void {
  const isAnswer = message.role === 'assistant';
  statement(
    connection,
    `INSERT INTO chat_messages (id, chat_id, parent_id, role, created_at, edited_at, text, model, status, parts, owner)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    message.id,
    chatId,
    message.parent_id,
    message.role,
    message.created_at,
    message.edited_at,
    isAnswer ? '' : message.text,
    isAnswer ? message.model : null,
    isAnswer ? message.status : null,
    isAnswer ? JSON.stringify(message.parts) : null,
    owner,
  );
  if (isAnswer) return;
  const ids = message.attachments.map(({ id }) => id);
  linkAttachments(connection, 'message', message.id, ids);
}

function leafOf(connection: Connection, chatId: string): string | null {
  const row = statement(connection, 'SELECT leaf_id FROM chats WHERE id = ?').get(chatId);
  return (row?.leaf_id ?? null) as string | null;
}

function setLeaf(connection: Connection, chatId: string, leaf: string | null): void {
  statement(connection, 'UPDATE chats SET leaf_id = ? WHERE id = ?').run(leaf, chatId);
}
