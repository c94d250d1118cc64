/** POST /api/pull and DELETE /api/delete: models fetched from the hub and deleted, as Ollama's clients ask for it. */
import type { Request, Response } from 'express';
import type { Download } from '../../protocol/downloads.js';
import {
  type OllamaModelRequest,
  type OllamaProgress,
  ollamaModelRequestSchema,
} from '../../protocol/ollama.js';
import type { Downloads } from '../downloads/downloads.js';
import { parseReference, type Reference } from '../downloads/reference.js';
import { fail, unloadAndRemove } from '../downloads/routes.js';
import { ApiError, invalidRequest, modelNotFound } from '../http/errors.js';
import { localGuard } from '../http/local-guard.js';
import { NdjsonStream } from '../http/ndjson.js';
import { clientGone } from '../http/sse.js';
import { noteRequest } from '../request/parameters.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';
import { findModel, resolveModel } from './names.js';
import { PARAMETERS, WORDS } from './parameters.js';

/** A model of the library that the hub does not have needs no pulling; one of the hub is fetched where it is not there. */
export function pullModel(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const request = parseBody(ollamaModelRequestSchema, req.body, WORDS);
    const name = nameOf(request);
    const reference = parseReference(name);
    const isStreamed = request.stream !== false;
    if (reference !== null) {
      localGuard(req, res, () => {});
      await fetchModel(services, reference, isStreamed, req, res);
      return;
    }
    if (findModel(services.library, name) === null) throw unknownName(name);
    noteRequest(res, resolveModel(services, name), PARAMETERS.pull.ignored(request));
    if (!isStreamed) {
      res.json(line('success'));
      return;
    }
    const out = await NdjsonStream.open(req, res);
    await out.end(['pulling manifest', 'success'].map((status) => JSON.stringify(line(status))));
  };
}

/** @throws ApiError for what cannot be begun; what comes later is told in the stream where there is one. */
async function fetchModel(
  { downloads }: Services,
  reference: Reference,
  isStreamed: boolean,
  req: Request,
  res: Response,
): Promise<void> {
  const gone = clientGone(res);
  const before = new Set(downloads.list().flatMap((each) => (isOver(each) ? [] : [each.id])));
  const { id } = await downloads.start({ revision: 'main', ...reference }, gone).catch(fail);
  try {
    const out = isStreamed ? await NdjsonStream.open(req, res) : null;
    const last = await follow(downloads, id, out, gone);
    const reason = failureOf(last);
    if (out === null && reason !== null) {
      throw new ApiError(503, reason, { code: 'download_failed' });
    }
    if (out === null) res.json(line('success'));
    else {
      const end = ['verifying sha256 digest', 'writing manifest', 'success'].map(line);
      await out.end(
        (reason === null ? end : [{ error: reason }]).map((each) => JSON.stringify(each)),
      );
    }
  } finally {
    // Whoever goes away stops what they began, as with Ollama; the next pull goes on with what has come.
    if (gone.aborted && !before.has(id)) await downloads.pause(id).catch(() => {});
  }
}

/** Tells how far it is until it is over, or the client is gone. */
async function follow(
  downloads: Downloads,
  id: string,
  out: NdjsonStream | null,
  gone: AbortSignal,
): Promise<Download | null> {
  const over = AbortSignal.any([gone, downloads.ended]);
  let told = '';
  await out?.send([JSON.stringify(line('pulling manifest'))]);
  for (;;) {
    const changed = downloads.nextChange(over);
    const now = downloads.find(id);
    const lines = progressOf(downloads, id, now).map((each) => JSON.stringify(each));
    if (lines.join() !== told) await out?.send(lines);
    told = lines.join();
    if (now === null || isOver(now) || over.aborted) return now;
    await changed;
  }
}

function progressOf(downloads: Downloads, id: string, now: Download | null): OllamaProgress[] {
  if (now === null) return [];
  if (now.status === 'waiting' && now.reason !== null) return [line(now.reason)];
  return downloads
    .files(id)
    .filter(({ received }) => received > 0)
    .map(({ path, sha256, size, received }) => ({
      status: `pulling ${sha256?.slice(0, 12) ?? path}`,
      ...(sha256 === null ? {} : { digest: `sha256:${sha256}` }),
      total: size,
      completed: received,
    }));
}

const isOver = ({ status }: Download): boolean =>
  status === 'done' || status === 'failed' || status === 'paused';

/** A sentence for people; null: it is there. */
function failureOf(last: Download | null): string | null {
  if (last === null) return 'The download was cancelled.';
  if (last.status === 'done') return null;
  return last.reason ?? 'The download was paused. Pull it again to go on with what has come.';
}

/** DELETE /api/delete */
export function deleteModel(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    localGuard(req, res, () => {});
    const request = parseBody(ollamaModelRequestSchema, req.body, WORDS);
    const name = nameOf(request);
    const model = findModel(services.library, name);
    if (model === null) {
      throw modelNotFound(
        name,
        services.library.models().map(({ id }) => id),
      );
    }
    await unloadAndRemove(services, model);
    res.json({});
  };
}

/** @throws ApiError where it is empty */
function nameOf({ model, name }: OllamaModelRequest): string {
  const named = model ?? name ?? '';
  if (named !== '') return named;
  throw invalidRequest('"model" is missing: the name of a model is needed.', 'model');
}

function unknownName(name: string): ApiError {
  return new ApiError(
    404,
    `There is no model "${name.slice(0, 100)}". Models are fetched from Hugging Face: name one as hf.co/OWNER/NAME:QUANTIZATION.`,
    { param: 'model', code: 'model_not_found' },
  );
}

const line = (status: string): OllamaProgress => ({ status });
