/** `pilotlight chats export`, `chats import`, `backup` and `restore`: of the running server, on this machine. */
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  importPreviewSchema,
  importResultSchema,
  type RefusedChat,
  restorePreviewSchema,
  restoreResultSchema,
} from '../protocol/transfer.js';
import { printable } from './local-library.js';
import { askServer, fail, type ServerOptions } from './running-server.js';

const ROOT = '/pilotlight/transfer';

export interface ExportOptions extends ServerOptions {
  format: 'json' | 'markdown';
  chat?: string[];
}

export async function exportChats(file: string | undefined, options: ExportOptions): Promise<void> {
  const chats =
    options.chat === undefined ? '' : `&chats=${options.chat.map(encodeURIComponent).join(',')}`;
  const response = await askServer(options, `${ROOT}/export?format=${options.format}${chats}`);
  await save(response, file);
}

export async function backUp(file: string | undefined, options: ServerOptions): Promise<void> {
  await save(await askServer(options, `${ROOT}/backup`), file);
}

export interface ImportOptions extends ServerOptions {
  copies?: boolean;
}

export async function importChats(file: string, options: ImportOptions): Promise<void> {
  const answer = await upload(file, options, 'imports');
  const { id, left } = importPreviewSchema.parse(await answer.json());
  const run = await askServer(options, `${ROOT}/imports/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ known: options.copies ? 'copy' : 'skip' }),
  });
  const { imported, skipped, refused } = importResultSchema.parse(await run.json());
  const known =
    skipped === 0
      ? ''
      : ` ${skipped} had come in before and ${skipped === 1 ? 'was' : 'were'} left out.`;
  const pieces = left === 0 ? '' : ` Pictures and other pieces that stayed behind: ${left}.`;
  console.log(`${told(imported)} ${imported === 1 ? 'has' : 'have'} come in.${known}${pieces}`);
  tellRefused(refused);
  if (imported === 0 && refused.length > 0) process.exitCode = 1;
}

export interface RestoreOptions extends ServerOptions {
  yes?: boolean;
}

export async function restore(file: string, options: RestoreOptions): Promise<void> {
  const answer = await upload(file, options, 'restores');
  const { id, created_at, chats, chats_now } = restorePreviewSchema.parse(await answer.json());
  const made = new Date(created_at).toISOString();
  if (!options.yes) {
    fail(
      `The backup of ${made} has ${told(chats)}, to take the place of the ${told(chats_now)} here. ` +
        'Give --yes to do it; what is here is kept aside first.',
    );
  }
  const run = await askServer(options, `${ROOT}/restores/${id}`, { method: 'POST' });
  const result = restoreResultSchema.parse(await run.json());
  console.log(
    `${told(result.chats)} of ${made} ${result.chats === 1 ? 'is' : 'are'} back. What was here before is in ${result.kept_aside}`,
  );
}

const told = (count: number) => `${count} ${count === 1 ? 'chat' : 'chats'}`;

function tellRefused(refused: readonly RefusedChat[]): void {
  for (const { title, reason } of refused) console.error(printable(`${title}: ${reason}`));
}

async function upload(
  file: string,
  options: ServerOptions,
  what: 'imports' | 'restores',
): Promise<Response> {
  const found = await stat(file).catch(() => null);
  if (found === null || !found.isFile()) fail(`There is no file ${file}.`);
  const name = encodeURIComponent(path.basename(file));
  return askServer(options, `${ROOT}/${what}?name=${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: Readable.toWeb(createReadStream(file)) as ReadableStream,
    duplex: 'half',
  });
}

/** Under the name that the server gives it, in this folder, unless there is another one; never over a file. */
async function save(response: Response, wanted: string | undefined): Promise<void> {
  const given = /filename\*=UTF-8''([^;]+)/.exec(
    response.headers.get('content-disposition') ?? '',
  )?.[1];
  const file = wanted ?? path.basename(decodeURIComponent(given ?? 'pilotlight-chats'));
  if (response.body === null) fail('The server has sent nothing.');
  try {
    await pipeline(
      Readable.fromWeb(response.body),
      createWriteStream(file, { flags: 'wx', mode: 0o600 }),
    );
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    fail(
      code === 'EEXIST'
        ? `${file} is there already: name another file.`
        : `${file} cannot be written: ${message}.`,
    );
  }
  console.log(printable(file));
}
