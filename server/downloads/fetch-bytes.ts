/** One try to get the rest of a file: what the server may answer to it, and what that means. */
import { DownloadFailure, fileFailure, PassingFailure } from './failure.js';
import type { PartialFile } from './partial-file.js';
import type { Origin } from './record.js';
import { retryAfterMs } from './retry.js';
import type { HubSource, RemoteFile } from './source.js';

export interface WantedFile extends RemoteFile {
  size: number;
  /** Null: the hub tells none, and the ETag alone says that it is the same file. */
  sha256: string | null;
}

export interface FetchOptions {
  source: HubSource;
  signal: AbortSignal;
  /** Milliseconds without a byte after which a connection is given up. */
  stallMs: number;
  /** Of the part that is there; null: not known. */
  origin: Origin | null;
  /** The part that comes is of this. */
  onOrigin: (origin: Origin | null) => Promise<void>;
  /** Bytes have come. */
  onBytes: () => void;
}

/**
 * Resolves when all bytes are there.
 * @throws PassingFailure, DownloadFailure; the signal's reason
 */
export async function fetchBytes(
  file: WantedFile,
  part: PartialFile,
  options: FetchOptions,
): Promise<void> {
  const { source, signal, stallMs, onBytes } = options;
  if (part.size > file.size) await part.restart();
  if (part.size === file.size && file.size > 0) return;
  const stalled = new AbortController();
  const stall = setTimeout(() => stalled.abort(), stallMs);
  const either = AbortSignal.any([signal, stalled.signal]);
  try {
    const response = await source.open(file, headersFor(file, part.size, options.origin), either);
    stall.refresh();
    try {
      await begin(response, file, part, options);
      for await (const chunk of response.body ?? []) {
        stall.refresh();
        if (part.size + chunk.length > file.size) throw await tooLong(part);
        await write(part, chunk, file);
        onBytes();
      }
    } finally {
      // What is not read would hold its connection.
      await response.body?.cancel().catch(() => {});
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : inWords(error, stalled.signal.aborted, stallMs);
  } finally {
    clearTimeout(stall);
  }
  if (part.size < file.size) throw new PassingFailure('The connection ended before the file did.');
}

function headersFor(
  { sha256 }: WantedFile,
  from: number,
  origin: Origin | null,
): Record<string, string> {
  // Compressed, the places of bytes would be others.
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (from === 0) return headers;
  headers.range = `bytes=${from}-`;
  // Another mirror of the same bytes may have another ETag, so it counts only where the hash does not.
  if (sha256 === null && origin !== null) headers['if-range'] = origin.etag;
  return headers;
}

/** Makes the part ready for the bytes that the answer has. */
async function begin(
  response: Response,
  file: WantedFile,
  part: PartialFile,
  { origin, onOrigin }: FetchOptions,
): Promise<void> {
  const { status } = response;
  if (status === 416) {
    const wasPart = part.size > 0;
    await part.restart();
    throw wasPart
      ? new PassingFailure('The hub has no bytes where the part ends, so it begins anew.')
      : new PassingFailure('The hub says that the file has no bytes.');
  }
  if (status !== 200 && status !== 206) throw refusal(response, file);
  const now = originOf(response);
  if (part.size > 0 && (status === 200 || isAnother(origin, now, file.sha256))) {
    await part.restart();
    await onOrigin(now);
    if (status === 200) return;
    throw new PassingFailure('The file has changed on the hub, so it begins anew.');
  }
  if (status === 206) {
    const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get('content-range') ?? '');
    const [, first, total] = range ?? [];
    const isRight = Number(first) === part.size && (total === '*' || Number(total) === file.size);
    if (!isRight) {
      await part.restart();
      throw new PassingFailure('The hub sent other bytes than were asked for.');
    }
  }
  if (part.size === 0 || origin === null) await onOrigin(now);
}

/** A weak one does not speak of bytes. */
function originOf({ headers, url }: Response): Origin | null {
  const etag = headers.get('etag');
  if (etag === null || etag.startsWith('W/') || url === '') return null;
  const { origin, pathname } = new URL(url);
  return { url: origin + pathname, etag };
}

/** Where the hash is known, only the same place can say that its file has changed. */
function isAnother(before: Origin | null, now: Origin | null, sha256: string | null): boolean {
  if (sha256 === null) return before === null || now === null || before.etag !== now.etag;
  if (before === null || now === null || before.url !== now.url) return false;
  return before.etag !== now.etag;
}

async function tooLong(part: PartialFile): Promise<Error> {
  await part.restart();
  return new PassingFailure('The hub sent more bytes than the file has.');
}

async function write(part: PartialFile, chunk: Uint8Array, { path }: WantedFile): Promise<void> {
  try {
    await part.append(chunk);
  } catch (error) {
    throw fileFailure(error, path);
  }
}

const PASSING = new Set([408, 421, 425, 429]);

function refusal(response: Response, { repo, path }: WantedFile): Error {
  const { status, headers } = response;
  if (status >= 500 || PASSING.has(status)) {
    const what = status === 429 ? 'The hub is asked too often' : 'The hub has a problem';
    const wait = retryAfterMs(headers.get('retry-after'), Date.now());
    return new PassingFailure(`${what} (status ${status}).`, wait);
  }
  if (status === 401 || status === 403) {
    return new DownloadFailure(
      'no_access',
      `The hub does not give ${repo} to you (status ${status}): accept its terms on the hub's page where it has some, and set a token of your account.`,
    );
  }
  if (status === 404 || status === 410) {
    return new DownloadFailure('not_found', `${repo} has no file ${path} on the hub any more.`);
  }
  return new DownloadFailure('refused', `The hub refuses ${path} of ${repo} (status ${status}).`);
}

/** What fetch throws has its reason inside. */
function inWords(error: unknown, isStalled: boolean, stallMs: number): unknown {
  if (isStalled) {
    return new PassingFailure(`Nothing came from the hub for ${Math.round(stallMs / 1000)} s.`);
  }
  if (error instanceof DownloadFailure || error instanceof PassingFailure) return error;
  const { cause } = error as { cause?: Error & { code?: string } };
  if (/redirect/i.test(cause?.message ?? '')) {
    return new DownloadFailure('refused', 'The hub sends from address to address without end.');
  }
  if (!(error instanceof TypeError) && cause === undefined) return error;
  const code = cause?.code ?? cause?.message ?? 'unknown';
  return new PassingFailure(`The connection to the hub failed (${code}).`);
}
