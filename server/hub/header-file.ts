/**
 * A file of the hub as far as its header: metadata and the places of its tensors, fetched by ranges, at the beginning of
 * an otherwise empty file as long as the whole. Enough for an engine to say what the model takes.
 */
import { execFile } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gguf } from '@huggingface/gguf';
import type { HubClient } from './client.js';
import { HubError } from './errors.js';

/** First bytes that are fetched, as many as the library reads at once; then as many again as there are. */
const PIECE = 2_000_000;
/** A later part of a split model has a short header. */
const PART_PIECE = 128 * 1024;

/** Longest header, bytes: the largest vocabularies take a fifth of it. */
const MAX_HEADER = 48_000_000;

export interface RemoteFile {
  url: string;
  repo: string;
  size: number;
  /** Of a split model, not its first. */
  isLaterPart: boolean;
}

/**
 * Writes the header of a file of the hub to `file`, a new one, which is made as long as the whole is.
 * @throws HubError, or what the file system says.
 */
export async function fetchHeader(
  client: HubClient,
  remote: RemoteFile,
  file: string,
  signal: AbortSignal | null,
): Promise<void> {
  const handle = await open(file, 'wx');
  try {
    if (process.platform === 'win32') await makeSparse(file);
    await handle.truncate(remote.size);
    const start = new FileStart(client, remote, handle, signal);
    let end = 0;
    do {
      await start.fetchTo(end + 1);
      end = await start.headerEnd();
    } while (end > start.length);
  } finally {
    await handle.close();
  }
}

/** What of a file is there already, from its first byte on. */
class FileStart {
  #bytes = Buffer.alloc(0);

  constructor(
    private readonly client: HubClient,
    private readonly remote: RemoteFile,
    private readonly handle: FileHandle,
    private readonly signal: AbortSignal | null,
  ) {}

  get length(): number {
    return this.#bytes.length;
  }

  /**
   * Where the header ends. Of a later part it is read from what is there, and from zeros behind that: an end among those
   * is none. 0: it is no header, which the engine puts into words.
   */
  async headerEnd(): Promise<number> {
    try {
      const { tensorInfoByteRange } = await gguf(this.remote.url, { fetch: this.#serve });
      return tensorInfoByteRange[1];
    } catch (error) {
      if (error instanceof HubError) throw error;
      const isGguf = this.#bytes.subarray(0, 4).toString('latin1') === 'GGUF';
      const isAll = this.length >= Math.min(this.remote.size, MAX_HEADER);
      return this.remote.isLaterPart && isGguf && !isAll ? this.length + 1 : 0;
    }
  }

  /** At least this far, where the file is as long. */
  async fetchTo(wanted: number): Promise<void> {
    const { remote, client, signal } = this;
    if (wanted > MAX_HEADER) {
      throw new HubError('bad_answer', `The header of a file of ${remote.repo} is too long.`);
    }
    while (this.length < Math.min(wanted, remote.size)) {
      const piece = Math.max(remote.isLaterPart ? PART_PIECE : PIECE, this.length);
      const end = Math.min(this.length + piece, remote.size);
      const response = await client.fetch(remote.url, {
        repo: remote.repo,
        headers: { range: `bytes=${this.length}-${end - 1}` },
        signal,
      });
      const from = response.status === 206 ? this.length : 0;
      const bytes = await client.bytes(response, end - from, signal);
      const fresh = bytes.subarray(this.length - from);
      if (fresh.length === 0) {
        throw new HubError('bad_answer', `${client.host} sends nothing of the file.`);
      }
      await this.handle.write(fresh, 0, fresh.length, this.length);
      this.#bytes = Buffer.concat([this.#bytes, fresh]);
    }
  }

  /** For the library, which asks for pieces of its own. */
  readonly #serve = async (_: unknown, init: RequestInit = {}): Promise<Response> => {
    const range = new Headers(init.headers).get('range') ?? '';
    const [, first = '0', last = '0'] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
    const [start, end] = [Number(first), Number(last) + 1];
    if (!this.remote.isLaterPart) await this.fetchTo(end);
    const piece = Buffer.alloc(end - start);
    piece.set(this.#bytes.subarray(start, end));
    const headers = { 'content-range': `bytes ${start}-${end - 1}/${this.remote.size}` };
    return new Response(piece, { status: 206, headers });
  };
}

/** Else Windows gives the empty file all of its room. Where this is not possible it still works, with that room. */
async function makeSparse(file: string): Promise<void> {
  await promisify(execFile)('fsutil', ['sparse', 'setflag', file]).catch(() => {});
}
