/** Chats that leave and come in, and the backup of all; for this machine only. */
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Express, Request, Response } from 'express';
import { runImportSchema } from '../../protocol/transfer.js';
import { saved } from '../chats/saved.js';
import { NoSpaceError } from '../disk-space.js';
import { optionalJsonBody } from '../http/body.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { createId } from '../http/ids.js';
import { localGuard } from '../http/local-guard.js';
import { only } from '../http/methods.js';
import { queryOf } from '../http/query.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';
import { UnreadableFileError } from './archive.js';
import { writeBackup } from './backup.js';
import { type ExportedFile, jsonExport, markdownExport } from './export-chats.js';

type RequestWithId = Request<{ id: string }>;

/** Characters of a file's name. */
const NAME_LENGTH_MAX = 1_000;

/** Ids of chats in an address. */
const IDS_MAX = 1_000;

export function routeTransfer(app: Express, services: Services): void {
  const root = '/pilotlight/transfer';
  const { transfer } = services;
  app.use(root, localGuard, (_req, res, next) => {
    res.set('cache-control', 'no-store');
    next();
  });
  app.route(`${root}/export`).get(exportChats(services)).all(only('GET'));
  app.route(`${root}/backup`).get(backup(services)).all(only('GET'));
  app
    .route(`${root}/imports`)
    .post(
      told(async (req, res) => {
        const file = await transfer.incoming.take(req, nameOf(req));
        try {
          res.json(await transfer.imports.preview(file));
        } catch (error) {
          await transfer.incoming.drop(file.id);
          throw error;
        }
      }),
    )
    .all(only('POST'));
  app
    .route(`${root}/imports/:id`)
    .post(
      optionalJsonBody(),
      told(async (req: RequestWithId, res) => {
        const { known = 'skip' } = parseBody(runImportSchema, req.body);
        res.json(await transfer.imports.run(transfer.incoming.find(req.params.id), known));
      }),
    )
    .delete(async (req: RequestWithId, res) => {
      await transfer.incoming.drop(req.params.id);
      res.json({ id: req.params.id });
    })
    .all(only('POST, DELETE'));
  app
    .route(`${root}/imports/:id/undo`)
    .post(
      told(async (req: RequestWithId, res) => {
        res.json({ deleted: await transfer.imports.undo(req.params.id) });
      }),
    )
    .all(only('POST'));
  app
    .route(`${root}/restores`)
    .post(
      told(async (req, res) => {
        const file = await transfer.incoming.take(req, nameOf(req));
        try {
          res.json(await transfer.restores.preview(file));
        } catch (error) {
          await transfer.incoming.drop(file.id);
          throw error;
        }
      }),
    )
    .all(only('POST'));
  app
    .route(`${root}/restores/:id`)
    .post(
      told(async (req: RequestWithId, res) => {
        res.json(await transfer.restores.run(transfer.incoming.find(req.params.id), Date.now()));
      }),
    )
    .all(only('POST'));
}

type Handler<Params> = (req: Request<Params>, res: Response) => Promise<void>;

/** What cannot be read or written is told in words. */
function told<Params>(handler: Handler<Params>) {
  return saved<Params>(async (req, res) => {
    try {
      await handler(req, res);
    } catch (error) {
      if (error instanceof UnreadableFileError) {
        throw invalidRequest(error.message, null, 'unreadable_file');
      }
      if (error instanceof NoSpaceError) {
        throw new ApiError(507, `${error.message} Nothing has changed.`, { code: 'disk_full' });
      }
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOSPC' || code === 'EDQUOT') {
        throw new ApiError(
          507,
          'The disk is full, so that nothing has changed. Make room and try again.',
          {
            code: 'disk_full',
          },
        );
      }
      throw error;
    }
  });
}

function nameOf(req: Request<never> | Request): string {
  const name = queryOf(req as Request).get('name') ?? '';
  if (name === '' || name.length > NAME_LENGTH_MAX) {
    throw invalidRequest('The query needs "name": the name of the file.', 'name');
  }
  return name;
}

function exportChats({ chats }: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const query = queryOf(req);
    const format = query.get('format') ?? 'json';
    const asked = query.get('chats');
    const ids = asked === null ? chats.store.list().chats.map(({ id }) => id) : asked.split(',');
    if (asked !== null && ids.length > IDS_MAX) {
      throw invalidRequest(
        `At most ${IDS_MAX} chats can be named; without "chats" all are exported.`,
        'chats',
      );
    }
    for (const id of asked === null ? [] : ids) chats.find(id);
    if (format !== 'json' && format !== 'markdown') {
      throw invalidRequest('format must be "json" or "markdown".', 'format');
    }
    const now = Date.now();
    const file =
      format === 'json' ? jsonExport(chats.store, ids, now) : markdownExport(chats.store, ids, now);
    await sendFile(res, file);
  };
}

function backup({ config: { dataDir }, database, version }: Services) {
  return told(async (_req: Request, res: Response): Promise<void> => {
    const folder = path.join(dataDir, 'incoming');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = path.join(folder, createId('backup_'));
    const now = Date.now();
    try {
      await writeBackup({ dataDir, database, version }, file, now);
      const name = `pilotlight-backup-${new Date(now).toISOString().slice(0, 10)}.zip`;
      await sendFile(res, { name, mediaType: 'application/zip', content: createReadStream(file) });
    } finally {
      await rm(file, { force: true });
    }
  });
}

async function sendFile(res: Response, { name, mediaType, content }: ExportedFile): Promise<void> {
  res.set('content-type', mediaType);
  // RFC 6266: the plain form for old programs, the other for all letters.
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  res.set(
    'content-disposition',
    `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`,
  );
  try {
    await pipeline(content, res);
  } catch (error) {
    // Whoever has left does not wait for it.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
