/** Files that go with questions; for this machine only. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Express, Request, Response } from 'express';
import { ATTACHMENT_NAME_MAX, firstPagesSchema } from '../../protocol/attachments.js';
import { saved } from '../chats/saved.js';
import { jsonBody } from '../http/body.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { localGuard } from '../http/local-guard.js';
import { only } from '../http/methods.js';
import { queryOf } from '../http/query.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';

type RequestWithId = Request<{ id: string }>;

export function routeAttachments(app: Express, { attachments }: Services): void {
  const path = '/pilotlight/attachments';
  app.use(path, localGuard, (_req, res, next) => {
    res.set('cache-control', 'no-store');
    next();
  });
  app
    .route(path)
    .post(
      told(async (req, res) => {
        res.json(await attachments.take(req, nameIn(req)));
      }),
    )
    .all(only('POST'));
  app
    .route(`${path}/:id`)
    .get((req: RequestWithId, res) => {
      const { sha256: _, ...attachment } = attachments.find(req.params.id);
      res.json(attachment);
    })
    .all(only('GET, HEAD'));
  app
    .route(`${path}/:id/file`)
    .get(async (req: RequestWithId, res) => {
      const { media_type, kind, bytes } = attachments.find(req.params.id);
      // What somebody has brought is shown as a picture or not at all: it must not run as a page of this address.
      res.set({
        'content-type': kind === 'image' ? media_type : 'application/octet-stream',
        'content-length': String(bytes),
        'content-security-policy': "default-src 'none'; sandbox",
        'content-disposition': kind === 'image' ? 'inline' : 'attachment',
      });
      if (req.method === 'HEAD') res.end();
      else await send(attachments.fileOf(req.params.id), res);
    })
    .all(only('GET, HEAD'));
  app
    .route(`${path}/:id/text`)
    .get(async (req: RequestWithId, res) => {
      const text = await attachments.text(req.params.id);
      res.type('text/plain').send(text);
    })
    .all(only('GET, HEAD'));
  app
    .route(`${path}/:id/pages`)
    .post(
      jsonBody(),
      saved(async (req: RequestWithId, res) => {
        const { first } = parseBody(firstPagesSchema, req.body, { first: 'a whole number from 1' });
        res.json(await attachments.firstPages(req.params.id, first));
      }),
    )
    .all(only('POST'));
}

/** The disk's trouble is told in words. */
function told(handler: (req: Request, res: Response) => Promise<void>) {
  return saved(async (req: Request, res) => {
    try {
      await handler(req, res);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOSPC' || code === 'EDQUOT') {
        throw new ApiError(
          507,
          'The disk is full, so that the file could not be kept. Make room.',
          {
            code: 'disk_full',
          },
        );
      }
      // Whoever has left does not hear it.
      if (code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET') {
        throw invalidRequest('The file did not come whole.', null, 'incomplete_file');
      }
      throw error;
    }
  });
}

/** Without folders: only the person's machine knows them. @throws ApiError 400 */
function nameIn(req: Request): string {
  const given = queryOf(req).get('name') ?? '';
  const name = given.replace(/^.*[/\\]/, '').trim();
  if (name === '' || name.length > ATTACHMENT_NAME_MAX) {
    throw invalidRequest(
      `The query needs "name": the name of the file, of at most ${ATTACHMENT_NAME_MAX} characters.`,
      'name',
    );
  }
  return name;
}

async function send(file: string, res: Response): Promise<void> {
  try {
    await pipeline(createReadStream(file), res);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !res.headersSent) {
      throw new ApiError(404, 'The file of this attachment is gone from the data folder.', {
        code: 'attachment_file_gone',
      });
    }
    if (code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
