/** Attachments as columns of what they belong to. */
import type { Attachment } from '../../protocol/attachments.js';
import type { Connection } from '../store/database.js';
import { statement } from '../store/statements.js';

export const ATTACHMENT_COLUMNS =
  'id, name, media_type, kind, bytes, characters, pages, first_pages, width, height, notice';

const AS_JSON = ATTACHMENT_COLUMNS.split(', ')
  .map((column) => `'${column}', a.${column}`)
  .join(', ');

/** Tables and columns that tell what has them. */
const LINKS = {
  message: { table: 'message_attachments', column: 'message_id', of: 'chat_messages.id' },
  draft: { table: 'draft_attachments', column: 'chat_id', of: 'chats.id' },
} as const;

/** Those of a row, as a value for attachmentsIn. */
export function attachmentsColumn(owner: keyof typeof LINKS): string {
  const { table, column, of } = LINKS[owner];
  return `(SELECT json_group_array(json_object(${AS_JSON}) ORDER BY l.position) FROM ${table} l
    JOIN attachments a ON a.id = l.attachment_id WHERE l.${column} = ${of})`;
}

export function attachmentsIn(column: unknown): Attachment[] {
  return JSON.parse(column as string) as Attachment[];
}

/** In this order. @param ids Without repetitions; all are there. */
export function linkAttachments(
  connection: Connection,
  owner: keyof typeof LINKS,
  ownerId: string,
  ids: readonly string[],
): void {
  const { table, column } = LINKS[owner];
  const insert = statement(
    connection,
    `INSERT INTO ${table} (${column}, position, attachment_id) VALUES (?, ?, ?)`,
  );
  ids.forEach((id, position) => void insert.run(ownerId, position, id));
}
