/** Files that somebody has brought and that wait for a word what to do with them; each for a while, in the data folder. */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { bodyToFile } from '../http/body-to-file.js';
import { ApiError } from '../http/errors.js';
import { createId } from '../http/ids.js';

/** How long a file waits, in milliseconds: longer than a person reads what it would bring. */
const KEPT_MS = 60 * 60 * 1000;

export interface IncomingFile {
  id: string;
  /** As the person knows it. */
  name: string;
  path: string;
  bytes: number;
}

export class IncomingFiles {
  readonly #files = new Map<string, { file: IncomingFile; timer: NodeJS.Timeout }>();
  readonly #folder: string;

  constructor(
    dataDir: string,
    /** Bytes of one file. */
    private readonly limit: number,
  ) {
    this.#folder = path.join(dataDir, 'incoming');
  }

  /**
   * Takes a body whole, to the disk.
   * @throws as bodyToFile
   */
  async take(content: Readable, name: string): Promise<IncomingFile> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.#clear();
    const id = createId('file_');
    const file = path.join(this.#folder, id);
    const bytes = await bodyToFile(content, file, this.limit);
    const taken: IncomingFile = { id, name, path: file, bytes };
    const timer = setTimeout(() => void this.drop(id), KEPT_MS).unref();
    this.#files.set(id, { file: taken, timer });
    return taken;
  }

  /** @throws ApiError 404 */
  find(id: string): IncomingFile {
    const found = this.#files.get(id);
    if (found) return found.file;
    throw new ApiError(404, 'This file does not wait here any more: choose it again.', {
      code: 'file_not_found',
    });
  }

  async drop(id: string): Promise<void> {
    const found = this.#files.get(id);
    if (!found) return;
    clearTimeout(found.timer);
    this.#files.delete(id);
    await rm(found.file.path, { force: true });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#files.keys()].map((id) => this.drop(id)));
  }

  /** What a server that was killed has left. */
  async #clear(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const file = path.join(this.#folder, name);
      const { mtimeMs = Date.now() } = (await stat(file).catch(() => null)) ?? {};
      if (Date.now() - mtimeMs > 2 * KEPT_MS) await rm(file, { force: true, recursive: true });
    }
  }
}
