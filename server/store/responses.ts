/** Responses that are kept, so that they can be read and gone on with. */
import type { ConversationItem, ResponseObject } from '../../protocol/response-object.js';
import type { Connection, Database } from './database.js';

export interface Retention {
  /** Milliseconds after its last use, itself or by a response that goes on from it. */
  ageMs: number;
  /** Of all together. */
  bytes: number;
}

/**
 * As long as the vendor keeps them, and within a room that no disk misses: some 100,000 turns of a chat, or a few
 * thousand of an agent that sends its whole conversation each time.
 */
const RETENTION: Retention = { ageMs: 30 * 24 * 60 * 60 * 1000, bytes: 512 * 1024 * 1024 };

/** Saves between two looks for what is to go: the look reads an index of all. */
const SAVES_A_PRUNE = 100;

/** The responses from the first one of a conversation to `?`, which has depth 0. */
const CHAIN = `
  WITH RECURSIVE chain (id, previous_id, depth) AS (
    SELECT id, previous_id, 0 FROM responses WHERE id = ?
    UNION ALL
    SELECT responses.id, responses.previous_id, depth + 1
    FROM responses JOIN chain ON responses.id = chain.previous_id
  )`;

export class ResponseStore {
  private saves = 0;

  constructor(
    private readonly database: Database,
    private readonly retention: Retention = RETENTION,
    /** Milliseconds since 1970. */
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * @param input Its own, without what came before.
   * @returns false where it cannot be kept; a notice of the database then says why.
   */
  save(response: ResponseObject, input: readonly ConversationItem[]): boolean {
    const items = [
      ...input.map((item, position) => ({ item, position, isOutput: 0 })),
      ...response.output.map((item, position) => ({ item, position, isOutput: 1 })),
    ].map(({ item, ...rest }) => ({ ...rest, id: item.id, text: JSON.stringify(item) }));
    const text = JSON.stringify({ ...response, output: [] });
    const bytes = [text, ...items.map((item) => item.text)].reduce(
      (sum, each) => sum + Buffer.byteLength(each),
      0,
    );
    return this.database.tryWrite('Responses', (connection) => {
      if (this.saves++ % SAVES_A_PRUNE === 0) this.prune(connection);
      connection
        .prepare(
          'INSERT INTO responses (id, previous_id, used_at, bytes, response) VALUES (?, ?, ?, ?, ?)',
        )
        .run(response.id, response.previous_response_id, this.now(), bytes, text);
      const insert = connection.prepare(
        'INSERT INTO response_items (response_id, is_output, position, id, item) VALUES (?, ?, ?, ?, ?)',
      );
      for (const item of items) {
        insert.run(response.id, item.isOutput, item.position, item.id, item.text);
      }
    });
  }

  find(id: string): ResponseObject | null {
    return this.database.read((connection) => {
      const row = connection.prepare('SELECT response FROM responses WHERE id = ?').get(id);
      if (row === undefined) return null;
      const output = connection
        .prepare(
          'SELECT item FROM response_items WHERE response_id = ? AND is_output = 1 ORDER BY position',
        )
        .all(id);
      return { ...JSON.parse(row.response as string), output: output.map(itemOf) };
    });
  }

  /**
   * Responses that go on from it can then not be gone on with any more. Returns false where there is none.
   * @throws StorageError where it stays, whole, because nothing can be written.
   */
  delete(id: string): boolean {
    const isDeleted = this.database.write(
      (connection) => connection.prepare('DELETE FROM responses WHERE id = ?').run(id).changes > 0,
    );
    if (isDeleted) this.database.emptyLog();
    return isDeleted;
  }

  /**
   * The whole conversation that ends with a response: all input and output in order. It counts as used now. Null where
   * the response or one before it is not there.
   */
  conversation(id: string): ConversationItem[] | null {
    const items = this.database.read((connection) => {
      const first = connection
        .prepare(`${CHAIN} SELECT previous_id FROM chain ORDER BY depth DESC LIMIT 1`)
        .get(id);
      if (first === undefined || first.previous_id !== null) return null;
      return connection
        .prepare(
          `${CHAIN} SELECT item FROM chain JOIN response_items ON response_id = chain.id
           ORDER BY depth DESC, is_output, position`,
        )
        .all(id)
        .map(itemOf);
    });
    // Where nothing can be written the conversation can still be read.
    if (items) this.database.tryWrite('Responses', (connection) => this.use(connection, id));
    return items;
  }

  /** The latest item with this id, whichever response it belongs to. */
  item(id: string): ConversationItem | null {
    return this.database.read((connection) => {
      const row = connection
        .prepare('SELECT item FROM response_items WHERE id = ? ORDER BY rowid DESC LIMIT 1')
        .get(id);
      return row === undefined ? null : itemOf(row);
    });
  }

  /** A response's own input, in order; null where there is no such response. */
  inputItems(id: string): ConversationItem[] | null {
    return this.database.read((connection) => {
      const found = connection.prepare('SELECT 1 FROM responses WHERE id = ?').get(id);
      if (found === undefined) return null;
      return connection
        .prepare(
          'SELECT item FROM response_items WHERE response_id = ? AND is_output = 0 ORDER BY position',
        )
        .all(id)
        .map(itemOf);
    });
  }

  private use(connection: Connection, id: string): void {
    connection
      .prepare(`${CHAIN} UPDATE responses SET used_at = ? WHERE id IN (SELECT id FROM chain)`)
      .run(id, this.now());
  }

  /** What has not been used for too long goes, then what was used least recently, until the rest fits. */
  private prune(connection: Connection): void {
    const { ageMs, bytes } = this.retention;
    connection.prepare('DELETE FROM responses WHERE used_at < ?').run(this.now() - ageMs);
    connection
      .prepare(
        `DELETE FROM responses WHERE used_at <= (
           SELECT used_at FROM
             (SELECT used_at, sum(bytes) OVER (ORDER BY used_at DESC) AS total FROM responses)
           WHERE total > ? ORDER BY used_at DESC LIMIT 1)`,
      )
      .run(bytes);
  }
}

function itemOf(row: Record<string, unknown>): ConversationItem {
  return JSON.parse(row.item as string);
}
