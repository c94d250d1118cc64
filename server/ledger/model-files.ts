/**
 * Which file a model is: the SHA-256 of its bytes. Gigabytes take from seconds to minutes, so each file is read once, in
 * the background, and its hash kept for as long as its size, time and place on the disk stay the same. Until it is
 * known, the hash of the file's head stands in, which is there at once: metadata and tokenizer are in it.
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { ModelFile } from '../../protocol/ledger.js';
import type { LibraryModel } from '../library/model.js';
import type { Database } from '../store/database.js';
import { statement } from '../store/statements.js';

/** Bytes whose hash stands in. */
const HEAD_BYTES = 1024 * 1024;

/** Hashed in one go, on the server's thread: a fifth of a millisecond on a current processor. */
const CHUNK_BYTES = 256 * 1024;

/** Pause behind each chunk, as a multiple of the time it took: streams and the disk's other readers come first. */
const PAUSE = 9;

/** Files are few; this many changes of them are remembered. */
const KNOWN_LIMIT = 100;

interface KnownFile extends ModelFile {
  /** What tells the files, as they are, from all others. */
  stamp: string;
}

export class ModelFiles {
  /** By stamp. */
  readonly #known = new Map<string, KnownFile>();
  /** The hash that is being computed, and those after it. */
  #work: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();

  constructor(
    private readonly database: Database,
    /** Pause behind each chunk, in multiples of its own time. */
    private readonly pause = PAUSE,
  ) {}

  /**
   * What is known of its files as they are now; begins to find out the rest, which the same object has later. Null:
   * they cannot be read. Takes some microseconds, and a millisecond for new files.
   */
  find(model: Pick<LibraryModel, 'files'>): Readonly<ModelFile> | null {
    try {
      const { stamp, bytes } = stampOf(model.files);
      const known = this.#known.get(stamp);
      if (known !== undefined) return known;
      const head_sha256 = headHash(model.files);
      const file: KnownFile = { stamp, bytes, head_sha256, sha256: this.#kept(stamp) };
      const [oldest] = this.#known.keys();
      if (this.#known.size >= KNOWN_LIMIT && oldest !== undefined) this.#known.delete(oldest);
      this.#known.set(stamp, file);
      if (file.sha256 === null) {
        this.#work = this.#work.then(() => this.#hash(file, model.files)).catch(() => {});
      }
      return file;
    } catch {
      return null;
    }
  }

  /** Resolves when nothing is left to be computed. */
  settled(): Promise<void> {
    return this.#work;
  }

  /** Gives up what is being computed. */
  close(): Promise<void> {
    this.#closing.abort();
    return this.settled();
  }

  /** Where it fails, or the files change meanwhile, the hash stays unknown until the next start. */
  async #hash(file: KnownFile, paths: readonly string[]): Promise<void> {
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (const path of paths) {
      const handle = await open(path);
      try {
        await this.#readInto(hash, handle, buffer);
      } finally {
        await handle.close();
      }
    }
    if (this.#closing.signal.aborted || stampOf(paths).stamp !== file.stamp) return;
    const sha256 = hash.digest('hex');
    file.sha256 = sha256;
    this.database.tryWrite('Receipts', (connection) => {
      statement(connection, 'INSERT OR REPLACE INTO model_files (stamp, sha256) VALUES (?, ?)').run(
        file.stamp,
        sha256,
      );
    });
  }

  async #readInto(
    hash: ReturnType<typeof createHash>,
    handle: FileHandle,
    buffer: Buffer,
  ): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const started = performance.now();
      const { bytesRead } = await handle.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return;
      hash.update(buffer.subarray(0, bytesRead));
      const pause = (performance.now() - started) * this.pause;
      await wait(pause, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  #kept(stamp: string): string | null {
    return this.database.read((connection) => {
      const sql = 'SELECT sha256 FROM model_files WHERE stamp = ?';
      return statement(connection, sql).get(stamp)?.sha256 ?? null;
    });
  }
}

function stampOf(paths: readonly string[]): { stamp: string; bytes: number } {
  const stats = paths.map((path) => statSync(path, { bigint: true }));
  const stamp = stats.map(({ dev, ino, size, mtimeNs }) => [dev, ino, size, mtimeNs].join(':'));
  const bytes = stats.reduce((sum, { size }) => sum + Number(size), 0);
  return { stamp: stamp.join(), bytes };
}

/** Of the first file. */
function headHash([first = '']: readonly string[]): string {
  const descriptor = openSync(first, 'r');
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    const length = readSync(descriptor, buffer, 0, HEAD_BYTES, 0);
    return createHash('sha256').update(buffer.subarray(0, length)).digest('hex');
  } finally {
    closeSync(descriptor);
  }
}
