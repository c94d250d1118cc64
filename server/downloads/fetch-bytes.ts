/** One try to get the rest of a file: what the server may answer to it, and what that means. */
import type { HubClient } from '../hub/client.js';
import { HubError, type HubErrorKind } from '../hub/errors.js';
import type { NetworkResponse } from '../hub/network.js';
import {
  DownloadFailure,
  type DownloadFailureCode,
  fileFailure,
  PassingFailure,
} from './failure.js';
import type { PartialFile } from './partial-file.js';
import type { Origin } from './record.js';

export interface WantedFile {
  /** "owner/name". */
  repo: string;
  /** A commit. */
  revision: string;
  /** Within the repo. */
  path: string;
  size: number;
  /** Null: the hub tells none, and the ETag alone says that it is the same file. */
  sha256: string | null;
}

export interface FetchOptions {
  hub: HubClient;
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
  const { hub, signal, stallMs, onBytes } = options;
  if (part.size > file.size) await part.restart();
  if (part.size === file.size && file.size > 0) return;
  const stalled = new AbortController();
  const stall = setTimeout(() => stalled.abort(), stallMs);
  const either = AbortSignal.any([signal, stalled.signal]);
  try {
    const response = await ask(hub, file, part, options, either);
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
    if (signal.aborted) throw signal.reason;
    if (stalled.signal.aborted) {
      const seconds = Math.round(stallMs / 1000);
      throw new PassingFailure(`Nothing came from ${hub.host} for ${seconds} s.`);
    }
    if (error instanceof DownloadFailure || error instanceof PassingFailure) throw error;
    throw new PassingFailure(`The connection to ${hub.host} broke off.`);
  } finally {
    clearTimeout(stall);
  }
  if (part.size < file.size) {
    throw new PassingFailure(`The connection to ${hub.host} ended before the file did.`);
  }
}

/** @throws PassingFailure, DownloadFailure */
async function ask(
  hub: HubClient,
  file: WantedFile,
  part: PartialFile,
  { origin }: FetchOptions,
  signal: AbortSignal,
): Promise<NetworkResponse> {
  const { repo, revision, path } = file;
  const headers = headersFor(file, part.size, origin);
  try {
    return await hub.fetch(hub.fileUrl(repo, revision, path), { headers, signal, repo });
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    if (error.kind !== 'range') throw failureOf(error);
    const wasPart = part.size > 0;
    await part.restart();
    throw wasPart
      ? new PassingFailure('The hub has no bytes where the part ends, so it begins anew.')
      : new PassingFailure('The hub says that the file has no bytes.');
  }
}

function headersFor(
  { sha256 }: WantedFile,
  from: number,
  origin: Origin | null,
): Record<string, string> {
  if (from === 0) return {};
  const headers: Record<string, string> = { range: `bytes=${from}-` };
  // Another mirror of the same bytes may have another ETag, so it counts only where the hash does not.
  if (sha256 === null && origin !== null) headers['if-range'] = origin.etag;
  return headers;
}

/** Makes the part ready for the bytes that the answer has. */
async function begin(
  response: NetworkResponse,
  file: WantedFile,
  part: PartialFile,
  { origin, onOrigin }: FetchOptions,
): Promise<void> {
  const { status } = response;
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
function originOf({ headers, url }: NetworkResponse): Origin | null {
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

/** Statuses that nothing explains and that pass all the same. */
const PASSING = [408, 421, 425];

const CODES: Partial<Record<HubErrorKind, DownloadFailureCode>> = {
  gated: 'no_access',
  token: 'no_access',
  not_found: 'not_found',
};

function failureOf({ kind, message, status, retryAfter, isPassing }: HubError): Error {
  if (isPassing || (status !== null && PASSING.includes(status))) {
    return new PassingFailure(message, retryAfter === null ? null : retryAfter * 1000);
  }
  return new DownloadFailure(CODES[kind] ?? 'refused', message);
}
