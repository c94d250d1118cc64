/** Requests that mean a model of an upstream, handed on to it; see docs/upstreams.md for what is tried when. */
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { GenerationError } from '../generation/generation.js';
import { takeBodyBytes } from '../http/body.js';
import { ApiError, fromGenerationError } from '../http/errors.js';
import { requestCancelled } from '../http/generation-response.js';
import { factsOf } from '../http/request-log.js';
import { clientGone } from '../http/sse.js';
import { idsOf } from '../ollama/names.js';
import type { Services } from '../services.js';
import { ConnectionError } from './connection.js';
import { HOPS_HEADER, LOOP_STATUS } from './hops.js';
import { type ModelField, namedModel, withModel } from './model-field.js';
import { relay } from './relay.js';
import type { UpstreamServer } from './upstream-server.js';
import type { UpstreamOffer, Upstreams } from './upstreams.js';

/** Of a request's headers, what its upstream should know. Nothing of who asks: no key, no cookie. */
const PASSED = ['accept', 'anthropic-version', 'anthropic-beta', 'openai-beta'] as const;

/** Answered by the first model that is made for it, where a request names none. */
const NOT_FOR_CURRENT = /^\/(v[12]\/(embeddings|rerank)|api\/(embed|embeddings|show))$/;

/** To come behind the parser of the body. What means a model of this machine goes on to its own handler. */
export function passOn(services: Services): RequestHandler {
  return async (req, res, next) => {
    const body = takeBodyBytes(req);
    const wanted = wantedOf(services, req);
    if (body === null || wanted === null) next();
    else await pass(services.upstreams, req, res, body, wanted);
  };
}

interface Wanted {
  offer: UpstreamOffer;
  field: ModelField;
  /** As the request has it; null: it names none. */
  named: string | null;
}

/** Null: no upstream's model. */
function wantedOf({ upstreams, current }: Services, req: Request): Wanted | null {
  const isOllama = req.path.startsWith('/api/');
  const { field, model: named } = namedModel(req.body, isOllama);
  if (named === null) {
    const id = NOT_FOR_CURRENT.test(req.path) ? null : current.upstreamId;
    const offer = id === null ? null : upstreams.find(id);
    return offer && { offer, field, named };
  }
  for (const id of isOllama ? idsOf(named) : [named]) {
    const offer = upstreams.find(id);
    if (offer !== null) return { offer, field, named };
  }
  return null;
}

async function pass(
  upstreams: Upstreams,
  req: Request,
  res: Response,
  body: Buffer,
  wanted: Wanted,
): Promise<void> {
  const facts = factsOf(res);
  const { exchange } = facts;
  const { offer } = wanted;
  facts.model = offer.id;
  const over = AbortSignal.any([exchange?.over ?? clientGone(res), upstreams.closing]);
  const whyOver = () => {
    if (exchange?.isCancelled) return fromGenerationError(requestCancelled());
    return upstreams.closing.aborted ? stopping() : null;
  };
  const ended = upstreams.began(offer.id);
  try {
    const chosen = await choose(req, res, body, wanted, over);
    if (chosen === null) {
      const why = whyOver();
      if (why !== null) throw why;
      return;
    }
    const { answer, source } = chosen;
    const { name } = source.settings;
    exchange?.pass(offer.id, name);
    facts.upstream = name;
    if ((answer.statusCode ?? 0) >= 400) facts.errorCode = 'upstream_error';
    await relay(answer, res, {
      ...{ upstream: name, path: req.path, requestId: facts.requestId, over, whyOver },
      onCounts: (counts) => exchange?.report(counts),
      onFailure: (error) => {
        facts.errorCode = error.code;
        if (!over.aborted) source.health.suspect();
      },
    });
  } finally {
    ended();
  }
}

interface Chosen {
  answer: IncomingMessage;
  source: UpstreamServer;
}

/**
 * Asks one after the other until one answers in a way that another could not better. Nothing has been sent to the
 * client meanwhile.
 * @returns null: it is over before.
 * @throws ApiError where none has an answer.
 */
async function choose(
  req: Request,
  res: Response,
  body: Buffer,
  { offer, field, named }: Wanted,
  over: AbortSignal,
): Promise<Chosen | null> {
  const { exchange, requestId } = factsOf(res);
  const headers = passedHeaders(req, requestId);
  // Those that are not well last: they may be by now.
  const candidates = [...offer.candidates].sort(
    (a, b) => Number(a.source.health.isUnhealthy) - Number(b.source.health.isUnhealthy),
  );
  const problems: string[] = [];
  let isKeyRefused = false;
  /** Told where nobody has a better answer. */
  let refusal: Chosen | null = null;
  for (const [index, { source, model }] of candidates.entries()) {
    if (over.aborted) break;
    exchange?.pass(offer.id, source.settings.name);
    const isLast = index === candidates.length - 1;
    const bytes = model.id === named ? body : withModel(body, field, model.id);
    const hops = req.headers[HOPS_HEADER];
    const asked = (signal: AbortSignal) => source.ask(req.url, bytes, headers, hops, signal);
    const answer = await answerOf(source, asked, over, isLast).catch((error: unknown) => {
      if (!(error instanceof ConnectionError)) throw error;
      problems.push(`${source.settings.name}: ${error.message}`);
      return null;
    });
    if (answer === null) continue;
    const status = answer.statusCode ?? 0;
    noteHealth(source, status);
    if (isForUs(status)) {
      answer.destroy();
      isKeyRefused = true;
      problems.push(`${source.settings.name}: ${wordsFor(status)}`);
      continue;
    }
    refusal?.answer.destroy();
    refusal = { answer, source };
    if (isLast || !movesOn(status)) return refusal;
  }
  if (over.aborted) {
    refusal?.answer.destroy();
    return null;
  }
  if (refusal !== null) return refusal;
  throw nobodyAnswers(offer.id, problems, isKeyRefused);
}

/**
 * @param isLast Else its wait ends also where the upstream turns out not to be well.
 * @throws ConnectionError
 */
async function answerOf(
  { health }: UpstreamServer,
  ask: (signal: AbortSignal) => Promise<IncomingMessage>,
  over: AbortSignal,
  isLast: boolean,
): Promise<IncomingMessage> {
  const attempt = new AbortController();
  const stop = () => attempt.abort();
  const unwell = isLast ? null : health.untilUnhealthy;
  over.addEventListener('abort', stop, { once: true });
  unwell?.addEventListener('abort', stop, { once: true });
  if (over.aborted) stop();
  try {
    return await ask(attempt.signal);
  } catch (error) {
    if (error instanceof ConnectionError && !attempt.signal.aborted) health.failed(error.message);
    throw error;
  } finally {
    // An answer that has begun is not cut off because a check fails.
    unwell?.removeEventListener('abort', stop);
  }
}

function noteHealth({ health }: UpstreamServer, status: number): void {
  if (status >= 500 || isForUs(status)) health.suspect();
  else health.succeeded();
}

/** About the key or the URL of the upstream, which are no business of the client's. */
const isForUs = (status: number) =>
  status === 401 || status === 403 || status === 407 || (status >= 300 && status < 400);

function wordsFor(status: number): string {
  return status < 400
    ? `It sends elsewhere (status ${status}), which is not followed.`
    : `It refuses the key that is set for it, or asks for one (status ${status}).`;
}

/** Another upstream may do better: it is busy, broken, or has no such model or route. */
const movesOn = (status: number) =>
  status >= 500 || [404, 405, 408, LOOP_STATUS, 429].includes(status);

function passedHeaders(req: Request, requestId: string): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-request-id': requestId,
  };
  for (const name of PASSED) {
    const value = req.headers[name];
    if (value !== undefined) headers[name] = [value].flat().join(', ');
  }
  return headers;
}

/** A refused key is not mended by trying again, which clients do by themselves after a 5xx. */
function nobodyAnswers(id: string, problems: readonly string[], isKeyRefused: boolean): ApiError {
  const message = `No upstream answers for the model "${id}". ${problems.join(' ')}`;
  return isKeyRefused
    ? new ApiError(400, message, { param: 'model', code: 'upstream_refused' })
    : new ApiError(502, message, { param: 'model', code: 'upstream_unreachable' });
}

function stopping(): ApiError {
  return fromGenerationError(new GenerationError('shutting_down', 'The server is stopping.'));
}
