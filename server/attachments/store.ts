/** Attachments in the database. What writes throws StorageError where it cannot; nothing has changed then. */
import type { Attachment } from '../../protocol/attachments.js';
import { createId } from '../http/ids.js';
import type { Database } from '../store/database.js';
import { statement } from '../store/statements.js';
import { ATTACHMENT_COLUMNS } from './columns.js';

/** How long one that nothing has is kept, in milliseconds: its message or draft may be on its way, or be restored. */
const UNUSED_MS = 60 * 60 * 1000;

/** With the content that it is of. */
export interface StoredAttachment extends Attachment {
  sha256: string;
}

export class AttachmentStore {
  constructor(
    private readonly database: Database,
    /** Milliseconds since 1970. */
    private readonly now: () => number = Date.now,
  ) {}

  find(id: string): StoredAttachment | null {
    return this.#first('id = ?', id);
  }

  /** Any of this content, whatever its name. */
  ofContent(sha256: string): StoredAttachment | null {
    return this.#first('sha256 = ?', sha256);
  }

  /** Is the one that is there already where file, name and pages are the same. */
  put(given: Omit<StoredAttachment, 'id'>): Attachment {
    const { sha256, name, media_type, kind, bytes, characters, pages } = given;
    const { first_pages, width, height, notice } = given;
    return this.database.write((connection) => {
      const row = statement(
        connection,
        `INSERT INTO attachments (${ATTACHMENT_COLUMNS}, sha256, used_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (sha256, name, coalesce(first_pages, 0)) DO UPDATE SET used_at = excluded.used_at
         RETURNING ${ATTACHMENT_COLUMNS}`,
      ).get(
        ...[createId('file_'), name, media_type, kind, bytes, characters, pages],
        ...[first_pages, width, height, notice, sha256, this.now()],
      );
      return { ...row } as unknown as Attachment;
    });
  }

  /** Those go that neither a message nor a draft has; what was their content is to be erased. */
  removeUnused(): void {
    const before = this.now() - UNUSED_MS;
    const unused = `FROM attachments WHERE used_at <= ?
      AND NOT EXISTS (SELECT 1 FROM message_attachments l WHERE l.attachment_id = attachments.id)
      AND NOT EXISTS (SELECT 1 FROM draft_attachments l WHERE l.attachment_id = attachments.id)`;
    const isThere = this.database.read((connection) =>
      statement(connection, `SELECT 1 ${unused} LIMIT 1`).get(before),
    );
    if (isThere === undefined) return;
    this.database.write((connection) => {
      statement(
        connection,
        `INSERT OR IGNORE INTO attachment_erasures SELECT sha256 ${unused}`,
      ).run(before);
      statement(connection, `DELETE ${unused}`).run(before);
    });
  }

  /**
   * Contents whose files are to be erased. Only those that are named here ever are: a database that was begun anew knows
   * no attachment at all, and the files may be all that is left of them.
   */
  toErase(): string[] {
    return this.database.read((connection) =>
      statement(connection, 'SELECT sha256 FROM attachment_erasures')
        .all()
        .map(({ sha256 }) => sha256 as string),
    );
  }

  erased(sha256: string): void {
    this.database.write((connection) =>
      statement(connection, 'DELETE FROM attachment_erasures WHERE sha256 = ?').run(sha256),
    );
  }

  #first(where: string, value: string): StoredAttachment | null {
    return this.database.read((connection) => {
      const row = statement(
        connection,
        `SELECT ${ATTACHMENT_COLUMNS}, sha256 FROM attachments WHERE ${where} LIMIT 1`,
      ).get(value);
      return row === undefined ? null : ({ ...row } as unknown as StoredAttachment);
    });
  }
}
