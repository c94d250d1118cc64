/**
 * Whether a variant fits this machine, before any of it is downloaded: the engine's own estimate, over files of which
 * only the headers are there. The last ones asked for are kept, because people try several contexts.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { LoadOptions } from '../../protocol/engine-load.js';
import type { Fit } from '../../protocol/fit.js';
import type { HubVariant } from '../../protocol/hub.js';
import type { FitEstimator } from '../engine/fit.js';
import { ApiError } from '../http/errors.js';
import type { HubClient } from './client.js';
import { HubError } from './errors.js';
import { fetchHeader } from './header-file.js';

/** Models whose headers are kept. Each takes some megabytes of the disk. */
const KEPT = 8;

/** Parts of a split model: more are no model for any machine that this runs on. */
const MAX_PARTS = 500;
/** Headers fetched at the same time. */
const AT_ONCE = 4;

export interface HubFitsOptions {
  client: HubClient;
  fits: FitEstimator;
  /** How the model would be loaded, but for its file and its context. */
  load: () => Omit<LoadOptions, 'path'>;
}

type Files = Pick<HubVariant, 'files'>;

interface KeptHeaders {
  /** Path of the first file. */
  first: Promise<string>;
  /** Estimates that read them, or wait for that. */
  users: number;
}

export class HubFits {
  readonly #options: HubFitsOptions;
  /** By what the bytes are of; the one asked for last is the last. */
  readonly #headers = new Map<string, KeptHeaders>();
  #folder: Promise<string> | null = null;

  constructor(options: HubFitsOptions) {
    this.#options = options;
  }

  /**
   * @param contextLength Tokens that are wanted; null: chosen by model and memory.
   * @throws HubError, or GenerationError where the engine cannot load such a model at all.
   */
  async estimate(
    repo: string,
    revision: string,
    variant: Files,
    contextLength: number | null,
    signal: AbortSignal | null = null,
  ): Promise<Fit> {
    const { client, fits, load } = this.#options;
    const key = [client.endpoint, repo, revision, variant.files[0]?.path].join('\n');
    let headers = this.#headers.get(key);
    headers ??= { first: this.#fetch(repo, revision, variant, signal), users: 0 };
    this.#headers.delete(key);
    this.#headers.set(key, headers);
    headers.users++;
    try {
      const options = { ...load(), path: await headers.first };
      options.contextLength = contextLength ?? options.contextLength;
      const { contextLength: wanted } = options;
      const wish = { contextLength: wanted === 0 ? null : wanted, parallel: null };
      return await fits.estimate(options, wish, signal);
    } catch (error) {
      const isLeft = error instanceof HubError && error.kind === 'cancelled' && !signal?.aborted;
      if (!isLeft) throw error;
      // Whoever asked first has left, and the fetching with them.
      if (this.#headers.get(key) === headers) this.#headers.delete(key);
      return await this.estimate(repo, revision, variant, contextLength, signal);
    } finally {
      headers.users--;
      await this.#forget();
    }
  }

  /** Removes what is kept. */
  async close(): Promise<void> {
    this.#headers.clear();
    const folder = await this.#folder?.catch(() => null);
    this.#folder = null;
    if (folder) await rm(folder, { recursive: true, force: true });
  }

  async #fetch(
    repo: string,
    revision: string,
    { files: all }: Files,
    signal: AbortSignal | null,
  ): Promise<string> {
    const files = all.filter(({ path: file }) => !/mmproj/i.test(path.posix.basename(file)));
    if (files.length === 0 || files.length > MAX_PARTS) {
      throw new HubError('bad_answer', `A model of ${files.length} files cannot be looked at.`);
    }
    this.#folder ??= mkdtemp(path.join(tmpdir(), 'pilotlight-headers-'));
    const folder = await mkdtemp(path.join(await this.#folder, 'model-'));
    const { client } = this.#options;
    // Names of our own, in the form by which the engine finds the parts.
    const number = (n: number) => String(n).padStart(5, '0');
    const nameOf = (n: number) =>
      files.length === 1 ? 'model.gguf' : `model-${number(n)}-of-${number(files.length)}.gguf`;
    const waiting = files.map(({ path: file, size_bytes: size }, at) => ({
      remote: { url: client.fileUrl(repo, revision, file), repo, size, isLaterPart: at > 0 },
      target: path.join(folder, nameOf(at + 1)),
    }));
    const results = await Promise.allSettled(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          await fetchHeader(client, next.remote, next.target, signal).catch((error: unknown) => {
            waiting.length = 0;
            throw error;
          });
        }
      }),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) {
      await rm(folder, { recursive: true, force: true });
      throw failed.reason instanceof HubError ? failed.reason : noRoom(failed.reason);
    }
    return path.join(folder, nameOf(1));
  }

  /** Those that failed, and the ones that nobody has asked for lately. */
  async #forget(): Promise<void> {
    const unused = [...this.#headers].filter(([, { users }]) => users === 0);
    const surplus = Math.max(0, this.#headers.size - KEPT);
    for (const [at, [key, { first }]] of unused.entries()) {
      const file = await first.catch(() => null);
      if (file !== null && at >= surplus) continue;
      if (this.#headers.get(key)?.users !== 0) continue;
      this.#headers.delete(key);
      if (file !== null) await rm(path.dirname(file), { recursive: true, force: true });
    }
  }
}

/** What the file system says: files as long as the model are more than some have room for, although they are empty. */
function noRoom(error: unknown): ApiError {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return new ApiError(
    400,
    `Whether it fits cannot be found out: the folder for temporary files takes no file of its size (${code}).`,
    { code: 'no_room' },
  );
}
