/** Chats that are brought in: first looked at, then taken, and taken back where that was not wanted. */
import type { ImportPreview, ImportResult, RefusedChat } from '../../protocol/transfer.js';
import type { Chats } from '../chats/chats.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { type Database, StorageError } from '../store/database.js';
import { UnreadableFileError } from './archive.js';
import { knownSources, putChat } from './import-store.js';
import type { IncomingFile } from './incoming.js';
import { readChats } from './read-chats.js';

/** That a person reads at most. */
const TOLD_MAX = 100;
const TITLES_MAX = 10;

/** Chats that are put in before others get their turn. */
const CHATS_A_TURN = 20;

export class Imports {
  /** By file: what it brought in last. */
  readonly #done = new Map<string, string[]>();

  constructor(
    private readonly database: Database,
    private readonly chats: Chats,
  ) {}

  /** @throws ApiError 400 where the file gives nothing. */
  async preview(file: IncomingFile): Promise<ImportPreview> {
    const known = knownSources(this.database);
    const preview: ImportPreview = {
      ...{ id: file.id, name: file.name, format: 'pilotlight' },
      ...{ chats: 0, messages: 0, known: 0, first_at: null, last_at: null, left: 0 },
      ...{ titles: [], refused: [] },
    };
    try {
      for await (const read of readChats(file.path, file.name)) {
        if (read.kind === 'refused') {
          tell(preview.refused, read.refused);
          continue;
        }
        const { chat, format } = read;
        preview.format = format;
        preview.chats++;
        preview.messages += chat.messages.length;
        preview.left += chat.left;
        if (known.has(chat.source)) preview.known++;
        if (preview.titles.length < TITLES_MAX && chat.title !== '')
          preview.titles.push(chat.title);
        preview.first_at = Math.min(preview.first_at ?? chat.createdAt, chat.createdAt);
        preview.last_at = Math.max(preview.last_at ?? chat.updatedAt, chat.updatedAt);
      }
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      if (preview.chats === 0) throw invalidRequest(error.message, null, 'unreadable_file');
      tell(preview.refused, { title: file.name, reason: error.message });
    }
    return preview;
  }

  /**
   * What cannot be read is told; all else comes in. The same file twice at once brings nothing twice but where that is
   * wanted.
   */
  async run(file: IncomingFile, known: 'skip' | 'copy'): Promise<ImportResult> {
    const here = knownSources(this.database);
    const result: ImportResult = { imported: 0, skipped: 0, refused: [] };
    const ids: string[] = [];
    try {
      for await (const read of readChats(file.path, file.name)) {
        if (read.kind === 'refused') {
          tell(result.refused, read.refused);
          continue;
        }
        const { chat } = read;
        if (known === 'skip' && here.has(chat.source)) {
          result.skipped++;
          continue;
        }
        here.add(chat.source);
        ids.push(putChat(this.database, chat));
        result.imported++;
        if (ids.length % CHATS_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      const isKnown = error instanceof UnreadableFileError || error instanceof StorageError;
      if (!isKnown) throw error;
      const reason =
        error instanceof StorageError ? `It could not be saved: ${error.message}.` : error.message;
      tell(result.refused, { title: file.name, reason });
    } finally {
      this.#done.set(file.id, [...(this.#done.get(file.id) ?? []), ...ids]);
      if (ids.length > 0) this.chats.feed.renew();
    }
    return result;
  }

  /** Takes back what the file brought in; a person may restore each. @throws ApiError 404 */
  async undo(fileId: string): Promise<number> {
    const ids = this.#done.get(fileId);
    if (ids === undefined) {
      throw new ApiError(404, 'Nothing came in that could be taken back.', {
        code: 'import_not_found',
      });
    }
    this.#done.delete(fileId);
    let deleted = 0;
    for (const id of ids) {
      if (this.chats.store.summary(id) === null) continue;
      await this.chats.delete(id);
      deleted++;
    }
    return deleted;
  }
}

function tell(list: RefusedChat[], refused: RefusedChat): void {
  if (list.length < TOLD_MAX) list.push(refused);
}
