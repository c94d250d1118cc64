/** The chats of a file that somebody has brought, one after the other, so that a file of any size needs little memory. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { JSONParser } from '@streamparser/json';
import { ZodError } from 'zod';
import type { ChatFolder } from '../../protocol/chats.js';
import { EXPORT_VERSION, type ImportPreview, type RefusedChat } from '../../protocol/transfer.js';
import { entriesOf, openZip, UnreadableFileError } from './archive.js';
import { chatGptChat, isChatGpt } from './chatgpt.js';
import { type ImportedChat, withDates } from './imported.js';
import { isLmStudio, lmStudioChat } from './lm-studio.js';
import { isOpenWebUi, openWebUiChat } from './open-webui.js';
import { exportHead, ownChat } from './own-json.js';
import { isOwnMarkdown, markdownChat } from './own-markdown.js';

type Format = ImportPreview['format'];

export type ReadChat =
  | { kind: 'chat'; format: Format; chat: ImportedChat }
  | { kind: 'refused'; refused: RefusedChat };

/** Bytes of one chat, and of a file that must be read at once: far beyond any conversation. */
const CHAT_BYTES_MAX = 256 * 1024 * 1024;

/** Bytes that come out of an archive, all together. */
const UNPACKED_BYTES_MAX = 16 * 1024 * 1024 * 1024;
const ENTRIES_MAX = 200_000;

/** Values in a row that are no chats, before the rest is not looked at: a small archive may hold a thousand million. */
const STRANGE_MAX = 10_000;

const NOT_KNOWN =
  'This file holds no chats that Pilotlight knows: it takes its own exports (JSON, Markdown, ZIP) and those of ChatGPT, LM Studio and Open WebUI.';

/**
 * @param name Of the file, which some formats tell their chats by.
 * @throws UnreadableFileError, also after some chats.
 */
export async function* readChats(file: string, name: string): AsyncGenerator<ReadChat> {
  const handle = await open(file);
  let start: string;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4096), 0, 4096, 0);
    start = buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await handle.close();
  }
  if (start.startsWith('PK\u0003\u0004')) {
    yield* readArchive(file);
    return;
  }
  let found = false;
  for await (const read of readText(createReadStream(file), name, start)) {
    found = true;
    yield read;
  }
  if (!found) throw new UnreadableFileError(NOT_KNOWN);
}

async function* readArchive(file: string): AsyncGenerator<ReadChat> {
  const zip = await openZip(file);
  let found = false;
  try {
    let unpacked = 0;
    let entries = 0;
    for await (const entry of entriesOf(zip)) {
      if (++entries > ENTRIES_MAX)
        throw new UnreadableFileError('This archive has too many files.');
      if (!/\.(json|md)$/i.test(entry.fileName)) continue;
      unpacked += entry.uncompressedSize;
      if (unpacked > UNPACKED_BYTES_MAX)
        throw new UnreadableFileError('This archive is too big unpacked.');
      const name = entry.fileName.split('/').at(-1) ?? entry.fileName;
      // yauzl ends a file that is longer than it says with an error.
      const content = await promisify(zip.openReadStream.bind(zip))(entry);
      for await (const read of readText(content, name, null)) {
        found = true;
        yield read;
      }
    }
  } catch (error) {
    if (error instanceof UnreadableFileError) throw error;
    throw new UnreadableFileError(`This archive is damaged: ${wordsOf(error)}.`, { cause: error });
  } finally {
    zip.close();
  }
  if (!found) throw new UnreadableFileError(NOT_KNOWN);
}

/** Nothing where it is something else than chats. @param start Of the text; null: it is looked for. */
async function* readText(
  content: Readable,
  name: string,
  start: string | null,
): AsyncGenerator<ReadChat> {
  const chunks = content[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const first = await chunks.next();
  if (first.done) return;
  const begin = (start ?? first.value.toString('utf8')).replace(/^\uFEFF/, '').trimStart();
  const rest: AsyncIterable<Buffer> = { [Symbol.asyncIterator]: () => chunks };
  const all = after(first.value, rest);
  if (begin.startsWith('[')) {
    let index = 0;
    let strange = 0;
    for await (const { value } of valuesOf(all, ['$.*'])) {
      index++;
      const read = chatOf(value, `${name} ${index}`);
      strange = countStrange(strange, read);
      if (read !== null) yield read;
    }
    return;
  }
  if (/^\{\s*"format"\s*:\s*"pilotlight\.chats"/.test(begin)) {
    yield* ownChats(all);
    return;
  }
  const isMarkdown = isOwnMarkdown(begin);
  if (!begin.startsWith('{') && !isMarkdown) return;
  const text = await wholeText(all);
  if (isMarkdown) {
    yield attempt(name, 'markdown', () => markdownChat(text, Date.now()));
    return;
  }
  const read = chatOf(parsed(text), name);
  if (read !== null) yield read;
}

/** What is said before the chats is known by then: so it has been written. */
async function* ownChats(chunks: AsyncIterable<Buffer>): AsyncGenerator<ReadChat> {
  const head: Record<string, unknown> = {};
  let folders: readonly ChatFolder[] | null = null;
  let index = 0;
  let strange = 0;
  for await (const { key, value } of valuesOf(chunks, [
    '$.format',
    '$.version',
    '$.folders',
    '$.chats.*',
  ])) {
    if (typeof key === 'string') {
      head[key] = value;
      continue;
    }
    folders ??= foldersOf(head);
    const known = folders;
    const read = attempt(`Chat ${++index}`, 'pilotlight', () => ownChat(value, known));
    strange = countStrange(strange, read);
    yield read;
  }
  if (folders === null) foldersOf(head);
}

/** @throws UnreadableFileError */
function foldersOf(head: Record<string, unknown>): readonly ChatFolder[] {
  if (typeof head.version === 'number' && head.version > EXPORT_VERSION) {
    throw new UnreadableFileError(
      'A newer version of Pilotlight has written this file: update Pilotlight to bring it in.',
    );
  }
  try {
    return exportHead(head).folders;
  } catch (error) {
    throw new UnreadableFileError(`This export is damaged: ${wordsOf(error)}.`, { cause: error });
  }
}

/** @returns how many values in a row have been no chats. @throws UnreadableFileError where they are too many. */
function countStrange(before: number, read: ReadChat | null): number {
  if (read?.kind === 'chat') return 0;
  if (before < STRANGE_MAX) return before + 1;
  throw new UnreadableFileError(
    `More than ${STRANGE_MAX} things in a row in this file are no chats, so the rest is not read.`,
  );
}

/** null: it is nothing of a kind that is known. */
function chatOf(value: unknown, name: string): ReadChat | null {
  const now = Date.now();
  if (isChatGpt(value)) return attempt(name, 'chatgpt', () => chatGptChat(value, now));
  if (isOpenWebUi(value)) return attempt(name, 'open-webui', () => openWebUiChat(value, now));
  if (isLmStudio(value)) return attempt(name, 'lm-studio', () => lmStudioChat(value, name, now));
  return null;
}

function attempt(name: string, format: Format, read: () => ImportedChat): ReadChat {
  try {
    return { kind: 'chat', format, chat: withDates(read(), Date.now()) };
  } catch (error) {
    return {
      kind: 'refused',
      refused: { title: name, reason: `It cannot be read: ${wordsOf(error)}.` },
    };
  }
}

/** The values at some places of a JSON text, each as soon as it is whole; `key` is its name, or its index in an array. */
async function* valuesOf(
  chunks: AsyncIterable<Buffer>,
  paths: string[],
): AsyncGenerator<{ key: string | number | undefined; value: unknown }> {
  const parser = new JSONParser({ paths, keepStack: false, stringBufferSize: 64 * 1024 });
  let ready: { key: string | number | undefined; value: unknown }[] = [];
  let failure: Error | null = null;
  parser.onValue = ({ key, value }) => void ready.push({ key, value });
  parser.onError = (error) => {
    failure = error;
  };
  let open = 0;
  for await (const chunk of chunks) {
    open += chunk.length;
    if (open > CHAT_BYTES_MAX) throw new UnreadableFileError('One chat of this file is too big.');
    parser.write(chunk);
    if (ready.length > 0) open = 0;
    yield* ready;
    ready = [];
    if (failure !== null) throw brokenJson(failure);
  }
  if (!parser.isEnded) throw new UnreadableFileError('This file is cut off: its end is missing.');
}

async function wholeText(chunks: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > CHAT_BYTES_MAX)
      throw new UnreadableFileError('This file is too big to be read at once.');
    parts.push(chunk);
  }
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}

async function* after(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw brokenJson(error);
  }
}

function brokenJson(error: unknown): UnreadableFileError {
  return new UnreadableFileError(`This file is no whole JSON: ${wordsOf(error)}.`, {
    cause: error,
  });
}

/** Short, without the dot at the end. */
function wordsOf(error: unknown): string {
  if (error instanceof ZodError) {
    const [issue] = error.issues;
    return `${issue?.path.join('.') ?? 'it'}: ${issue?.message ?? 'not as expected'}`;
  }
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, 300).replace(/\.$/, '');
}
