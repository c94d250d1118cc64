/** Downloads and the deletion of models: what the person does to the disk of this machine, on this machine only. */
import type { Express, Request, RequestHandler, Response } from 'express';
import {
  type CancelledDownload,
  type Download,
  type DownloadList,
  type RemovedModel,
  startDownloadSchema,
} from '../../protocol/downloads.js';
import { jsonBody } from '../http/body.js';
import { ApiError, modelNotFound } from '../http/errors.js';
import { localGuard } from '../http/local-guard.js';
import { only } from '../http/methods.js';
import { clientGone } from '../http/sse.js';
import { HubError, hubApiError } from '../hub/errors.js';
import type { LibraryModel } from '../library/model.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';
import { DownloadFailure, type DownloadFailureCode } from './failure.js';
import { RemovalFailure, removeModel } from './removal.js';

const PATH = '/pilotlight/downloads';

type RequestWithId = Request<{ id: string }>;

const WORDS = {
  repo: '"owner/name" of a repo on the hub',
  revision: 'a branch, a tag or a commit',
  name: 'the name of a variant',
  quantization: 'a text such as "Q4_K_M"',
};

export function routeDownloads(app: Express, services: Services): void {
  const { downloads } = services;
  app.use(PATH, localGuard);
  app
    .route(PATH)
    .get((_req: Request, res: Response) => {
      const answer: DownloadList = { downloads: downloads.list() };
      res.json(answer);
    })
    .post(
      jsonBody(),
      told(async (req, res) => {
        const request = parseBody(startDownloadSchema, req.body, WORDS);
        const answer: Download = await downloads.start(request, clientGone(res));
        res.json(answer);
      }),
    )
    .all(only('GET, HEAD, POST'));
  app
    .route(`${PATH}/:id`)
    .delete(
      told(async ({ params: { id } }: RequestWithId, res) => {
        await downloads.cancel(id);
        const answer: CancelledDownload = { id, cancelled: true };
        res.json(answer);
      }),
    )
    .all(only('DELETE'));
  for (const what of ['pause', 'resume'] as const) {
    app
      .route(`${PATH}/:id/${what}`)
      .post(
        told(async ({ params: { id } }: RequestWithId, res) => {
          const answer: Download = await downloads[what](id);
          res.json(answer);
        }),
      )
      .all(only('POST'));
  }
  app.route('/pilotlight/models/*id').delete(
    localGuard,
    told(async ({ params: { id } }: Request<{ id: string[] }>, res) => {
      const wanted = id.join('/');
      const model = services.library.find(wanted);
      if (model === null) {
        throw modelNotFound(
          wanted,
          services.library.models().map((each) => each.id),
        );
      }
      res.json(await unloadAndRemove(services, model));
    }),
  );
}

/** @throws ApiError */
export async function unloadAndRemove(
  { library, pool }: Pick<Services, 'library' | 'pool'>,
  model: LibraryModel,
): Promise<RemovedModel> {
  const { running, waiting } = pool.status(model);
  if (running + waiting > 0) {
    throw new ApiError(
      409,
      `"${model.id}" is in use: it can be deleted once its answers are finished.`,
      { code: 'model_in_use' },
    );
  }
  await pool.release(model);
  return removeModel(library, model).catch(fail);
}

const STATUS: Record<DownloadFailureCode, number> = {
  bad_name: 400,
  not_found: 404,
  no_access: 403,
  refused: 400,
  unreachable: 503,
  disk_full: 507,
  not_writable: 409,
  in_use: 409,
  elsewhere: 409,
  corrupt: 400,
};

/** What downloads, the hub and removals refuse, as an answer. */
export function fail(error: unknown): never {
  if (error instanceof DownloadFailure) {
    throw new ApiError(STATUS[error.code], error.message, { code: `download_${error.code}` });
  }
  if (error instanceof HubError) throw hubApiError(error);
  if (error instanceof RemovalFailure) {
    throw new ApiError(error.code === 'not_own' ? 403 : 409, error.message, {
      code: `model_${error.code}`,
    });
  }
  throw error;
}

function told<Params>(
  handle: (req: Request<Params>, res: Response) => Promise<void>,
): RequestHandler<Params> {
  return async (req, res) => {
    await handle(req, res).catch(fail);
  };
}
