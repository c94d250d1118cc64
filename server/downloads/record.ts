/**
 * What is kept of a download while it is under way: a folder of its own within the models folder, so that it is on the
 * same disk, and hidden, so that nothing in it is ever taken for a model.
 */
import { createHash } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type FileLock, lockFile } from '../store/file-lock.js';
import { ensureFolder } from '../store/folder.js';
import { DownloadFailure, fileFailure } from './failure.js';
import { removeEmpty } from './folders.js';

/** Within the models folder. */
export const DOWNLOADS_FOLDER = '.downloads';

const RECORD = 'download.json';
const LOCK = 'lock';
const ID = /^dl_[0-9a-f]{16}$/;

const originSchema = z.object({
  url: z.string().describe('Without the query, which has the signature of a moment in it.'),
  etag: z.string(),
});
/** What tells whether a file is still the one that a part is of. */
export type Origin = z.infer<typeof originSchema>;

const fileSchema = z.object({
  path: z.string().describe('Within the repo.'),
  size: z.number().int().min(0),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  origin: originSchema.nullable(),
});

const recordSchema = z.object({
  version: z.literal(1),
  repo: z.string(),
  revision: z.string(),
  name: z.string(),
  quantization: z.string().nullable(),
  /** Milliseconds since 1970. */
  created: z.number(),
  /** `placing`: all files are whole and verified, and on their way to where they belong. */
  status: z.enum(['running', 'paused', 'failed', 'placing']),
  reason: z.string().nullable(),
  files: z.array(fileSchema).min(1),
});
export type DownloadRecord = z.infer<typeof recordSchema>;

export class DownloadFolder {
  readonly path: string;

  constructor(
    /** The models folder. */
    readonly root: string,
    readonly id: string,
  ) {
    this.path = path.join(root, DOWNLOADS_FOLDER, id);
  }

  /** The same for the same choice of the same repo, whoever asks: nothing is fetched twice. */
  static idOf(repo: string, name: string): string {
    const hash = createHash('sha256').update(`${repo.toLowerCase()}\n${name}`).digest('hex');
    return `dl_${hash.slice(0, 16)}`;
  }

  /** All of a models folder. */
  static async all(root: string): Promise<DownloadFolder[]> {
    const names = await readdir(path.join(root, DOWNLOADS_FOLDER)).catch(() => []);
    return names.filter((name) => ID.test(name)).map((name) => new DownloadFolder(root, name));
  }

  /**
   * Makes the folder where it is missing. Two processes never work on one download.
   * @throws DownloadFailure
   */
  lock(): FileLock {
    try {
      ensureFolder(this.path);
      return lockFile(path.join(this.path, LOCK));
    } catch (error) {
      const { sqliteCodeName } = error as { sqliteCodeName?: string };
      if (sqliteCodeName === 'SQLITE_BUSY') {
        throw new DownloadFailure(
          'elsewhere',
          'Another process is at this download: the app, a server or "pilotlight pull".',
        );
      }
      if (sqliteCodeName === undefined) throw fileFailure(error, this.path);
      throw new DownloadFailure('not_writable', `${this.path} cannot be written.`);
    }
  }

  /** Null where there is none that this version can read. */
  async read(): Promise<DownloadRecord | null> {
    try {
      const text = await readFile(path.join(this.path, RECORD), 'utf8');
      return recordSchema.safeParse(JSON.parse(text)).data ?? null;
    } catch {
      return null;
    }
  }

  /** Whole or not at all. Rejects with the file system's error. */
  async write(record: DownloadRecord): Promise<void> {
    const file = path.join(this.path, RECORD);
    const draft = `${file}.tmp`;
    const handle = await open(draft, 'w', 0o644);
    try {
      await handle.writeFile(`${JSON.stringify(record, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  }

  /** Of the file with this place in the record, while it comes. */
  partial(index: number): string {
    return path.join(this.path, `${index}.partial`);
  }

  /** The same once it is whole and verified. */
  whole(index: number): string {
    return path.join(this.path, `${index}.whole`);
  }

  /** Bytes that are there of each file. */
  async received({ files }: DownloadRecord): Promise<number[]> {
    return Promise.all(
      files.map(async ({ size }, i) => {
        if ((await sizeOf(this.whole(i))) !== null) return size;
        return Math.min(size, (await sizeOf(this.partial(i))) ?? 0);
      }),
    );
  }

  async forget(index: number): Promise<void> {
    await rm(this.partial(index), { force: true });
    await rm(this.whole(index), { force: true });
  }

  /** All of it, and the folder above where it was the last one. */
  async remove(lock: FileLock): Promise<void> {
    for (const name of await readdir(this.path).catch(() => [])) {
      if (name !== LOCK) await rm(path.join(this.path, name), { recursive: true, force: true });
    }
    lock.remove();
    await rm(this.path, { recursive: true, force: true });
    await removeEmpty(path.dirname(this.path));
  }
}

export async function sizeOf(file: string): Promise<number | null> {
  const found = await stat(file).catch(() => null);
  return found?.isFile() ? found.size : null;
}
