/** Files that people attach to questions: taken in, read once, given back, and erased when nothing has them any more. */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { ATTACHMENT_BYTES_MAX, type Attachment } from '../../protocol/attachments.js';
import { type ExtractedContent, PAGE_MARK } from '../../protocol/extract.js';
import type { SpawnEngine } from '../engine/spawn.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { IMAGE_BYTES_MAX } from '../request/images.js';
import type { Database } from '../store/database.js';
import { ExtractError } from './extract-error.js';
import { Extractor } from './extractor.js';
import { AttachmentFiles } from './files.js';
import { AttachmentStore, type StoredAttachment } from './store.js';
import { clearUploads, takeUpload, type Upload } from './upload.js';

export interface AttachmentsOptions {
  dataDir: string;
  database: Database;
  spawn: SpawnEngine;
  log: Logger;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** Milliseconds that reading one may take. */
  patience?: number;
}

export class Attachments {
  readonly #store: AttachmentStore;
  readonly #files: AttachmentFiles;
  readonly #extractor: Extractor;
  readonly #incoming: string;
  readonly #now: () => number;
  readonly #log: Logger;
  /** What moves or erases files happens one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor({ dataDir, database, spawn, log, now = Date.now, patience }: AttachmentsOptions) {
    this.#store = new AttachmentStore(database, now);
    this.#files = new AttachmentFiles(path.join(dataDir, 'attachments'));
    this.#incoming = path.join(dataDir, 'incoming');
    this.#extractor = new Extractor(spawn, patience);
    this.#now = now;
    this.#log = log;
  }

  /** @throws ApiError 400, 413; StorageError; the error of the file system. */
  async take(content: Readable, name: string): Promise<Attachment> {
    const upload = await takeUpload(content, this.#incoming, ATTACHMENT_BYTES_MAX);
    try {
      const known = await this.#known(upload.sha256);
      const read = known === null ? await this.#read(upload) : null;
      return await this.#alone(() => this.#put(upload, name, known, read));
    } finally {
      await rm(upload.path, { force: true });
    }
  }

  /** @throws ApiError 404 */
  find(id: string): StoredAttachment {
    const found = this.#store.find(id);
    if (found !== null) return found;
    throw new ApiError(404, `There is no attachment "${id.slice(0, 100)}".`, {
      code: 'attachment_not_found',
    });
  }

  has(id: string): boolean {
    return this.#store.find(id) !== null;
  }

  /** Path of the file. @throws ApiError 404 */
  fileOf(id: string): string {
    return this.#files.path(this.find(id).sha256);
  }

  /** What of it goes to the model. @throws ApiError 404 where it is none or an image, or its file is gone. */
  async text(id: string): Promise<string> {
    const { kind, sha256, first_pages: first } = this.find(id);
    if (kind === 'image') {
      throw new ApiError(404, 'A picture has no text.', { code: 'attachment_has_no_text' });
    }
    const whole = await this.#files.text(sha256).catch(fileGone);
    return first === null ? whole : whole.split(PAGE_MARK).slice(0, first).join(PAGE_MARK);
  }

  /** @throws ApiError 404 */
  async dataUrl(id: string): Promise<string> {
    const { sha256, media_type } = this.find(id);
    const bytes = await readFile(this.#files.path(sha256)).catch(fileGone);
    return `data:${media_type};base64,${bytes.toString('base64')}`;
  }

  /** The same, of which only the first pages go to the model. @throws ApiError 400, 404; StorageError */
  async firstPages(id: string, first: number): Promise<Attachment> {
    const { id: _, ...whole } = this.find(id);
    if (whole.pages === null || first > whole.pages) {
      throw invalidRequest(
        whole.pages === null ? 'This file has no pages.' : `This file has ${whole.pages} pages.`,
        'first',
      );
    }
    const text = await this.#files.text(whole.sha256).catch(fileGone);
    const pages = text.split(PAGE_MARK).slice(0, first);
    return this.#store.put({
      ...whole,
      first_pages: first === whole.pages ? null : first,
      characters: pages.join(PAGE_MARK).length,
    });
  }

  /** Erases what nothing has any more, and what servers that were killed have left. Never throws. */
  async purge(): Promise<void> {
    try {
      await clearUploads(this.#incoming, this.#now());
      await this.#alone(async () => {
        if (this.#isClosed) return;
        this.#store.removeUnused();
        for (const sha256 of this.#store.toErase()) {
          // The same may have come in again.
          if (this.#store.ofContent(sha256) === null) await this.#files.erase(sha256);
          this.#store.erased(sha256);
        }
      });
    } catch (error) {
      this.#log.warn({ err: error }, 'attachments that nothing has could not be erased');
    }
  }

  /** Ends what is being read, before the database is closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#extractor.close();
    await this.#last;
  }

  /** What is known of this content already. */
  async #known(sha256: string): Promise<StoredAttachment | null> {
    const known = this.#store.ofContent(sha256);
    if (known === null) return null;
    return (await this.#files.has(sha256, known.kind === 'text')) ? known : null;
  }

  async #read({ path: file, bytes }: Upload): Promise<ExtractedContent> {
    try {
      const content = await this.#extractor.extract(file);
      if (content.kind === 'image' && bytes > IMAGE_BYTES_MAX) {
        throw invalidRequest(
          `A picture may have ${IMAGE_BYTES_MAX / 1024 ** 2} MB.`,
          null,
          'image_too_large',
        );
      }
      return content;
    } catch (error) {
      if (error instanceof ExtractError) throw invalidRequest(error.message, null, error.code);
      throw error;
    }
  }

  async #put(
    upload: Upload,
    name: string,
    known: StoredAttachment | null,
    read: ExtractedContent | null,
  ): Promise<Attachment> {
    const { sha256, bytes } = upload;
    if (read !== null) {
      const { mediaType: media_type, kind, text, pages, width, height, notice } = read;
      const characters = text?.length ?? null;
      const found = { sha256, name, media_type, kind, bytes, characters, pages };
      // First the row: one without a file goes by itself, a file without a row would stay for ever.
      const attachment = this.#store.put({ ...found, first_pages: null, width, height, notice });
      await this.#files.put(upload.path, sha256, text);
      return attachment;
    }
    // It may have been erased since it was looked for.
    if (known === null || (await this.#known(sha256)) === null) {
      return this.#put(upload, name, null, await this.#read(upload));
    }
    const { id: _, ...same } = known;
    const characters = same.kind === 'text' ? (await this.#files.text(sha256)).length : null;
    return this.#store.put({ ...same, name, characters, first_pages: null });
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

function fileGone(): never {
  throw new ApiError(404, 'The file of this attachment is gone from the data folder.', {
    code: 'attachment_file_gone',
  });
}
