/** How a generation is told over HTTP, whatever the dialect: as a stream of events, or collected. */
import type { Request, Response } from 'express';
import type { EngineEvent } from '../../protocol/engine.js';
import {
  type Generation,
  GenerationError,
  type GenerationProgress,
  toGenerationError,
} from '../generation/generation.js';
import { factsOf } from './request-log.js';
import type { Payload, ResponseStream } from './response-stream.js';
import { EventStream } from './sse.js';

/**
 * How long a stream waits with its headers for the prompt to be accepted, in milliseconds. Until then a refusal can be
 * a status of its own; beyond it, as when a big model loads first, the client must see that something happens.
 */
const HEADERS_WAIT_MS = 3_000;

/** A dialect's stream: payloads for each batch of events, and for a failure after the first byte. */
export interface StreamEncoder {
  /** What comes first, where the dialect has such a thing: called once, when the prompt is accepted. */
  begin?(promptTokens: number): readonly Payload[];
  encode(events: readonly EngineEvent[]): readonly Payload[];
  encodeError(error: GenerationError): readonly Payload[];
}

/** Begins a stream of one format. `news`: see ResponseStream. */
type OpenStream = (
  req: Request,
  res: Response,
  news: () => string | null,
) => Promise<ResponseStream>;

/** Streams it to its end. Rejects with GenerationError where it is refused before the first byte. */
export async function streamGeneration(
  req: Request,
  res: Response,
  generation: Generation,
  encoder: StreamEncoder,
  gone: AbortSignal,
  open: OpenStream = EventStream.open,
): Promise<void> {
  const { exchange } = factsOf(res);
  try {
    await withinWait(generation.accepted);
  } catch (error) {
    throw exchange?.isCancelled ? requestCancelled() : error;
  }
  if (gone.aborted) return;
  const out = await open(req, res, () => progressText(generation.progress()));
  try {
    const { promptTokens } = await generation.accepted;
    await out.send(encoder.begin?.(promptTokens) ?? []);
    let isCut = false;
    for await (const batch of generation.events) {
      // What comes until the engine has ended it is not told, but waited for: the counts come last.
      isCut ||= exchange?.isCancelled === true;
      if (!isCut) await out.send(encoder.encode(batch));
    }
    if (isCut) throw requestCancelled();
    await out.end();
  } catch (thrown) {
    const error = exchange?.isCancelled ? requestCancelled() : thrown;
    if (!(error instanceof GenerationError)) throw error;
    factsOf(res).errorCode = error.code;
    await out.end(encoder.encodeError(error));
  }
}

/**
 * Hands every event but errors to `push`; rejects with GenerationError where there is one.
 * @param begin Called once, when the prompt is accepted.
 */
export async function collectGeneration(
  res: Response,
  generation: Generation,
  push: (event: EngineEvent) => void,
  begin: (promptTokens: number) => void = () => {},
): Promise<void> {
  const { exchange } = factsOf(res);
  try {
    begin((await generation.accepted).promptTokens);
  } catch (error) {
    throw exchange?.isCancelled ? requestCancelled() : error;
  }
  let isCut = false;
  for await (const batch of generation.events) {
    isCut ||= exchange?.isCancelled === true;
    if (isCut) continue;
    for (const event of batch) {
      if (event.type === 'error') throw toGenerationError(event);
      push(event);
    }
  }
  if (isCut) throw requestCancelled();
}

/** What the client is told of a request that the person here has ended. */
export function requestCancelled(): GenerationError {
  return new GenerationError('request_cancelled', 'The request was cancelled in Pilotlight.');
}

/** Resolves when the promise does or the time is over; a rejection in time is passed on. */
async function withinWait(accepted: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const wait = new Promise((resolve) => {
    timer = setTimeout(resolve, HEADERS_WAIT_MS);
  });
  try {
    await Promise.race([accepted, wait]);
  } finally {
    clearTimeout(timer);
  }
}

/** The keep-alive comment for each stage before the first token. */
function progressText(progress: GenerationProgress | null): string | null {
  switch (progress?.stage) {
    case 'memory':
      return 'waiting for memory';
    case 'loading':
      return `loading ${Math.floor(progress.fraction * 100)} %`;
    case 'queued':
      return `queued, ${progress.ahead} ahead`;
    case 'prefill':
      return `prefill ${progress.prefilled}/${progress.promptTokens}`;
    default:
      return null;
  }
}
