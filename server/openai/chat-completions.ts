/** POST /v1/chat/completions, streamed and collected: both tell the same events. */
import type { Request, Response } from 'express';
import type { EngineEvent } from '../../protocol/engine.js';
import type { ChatCompletion } from '../../protocol/openai.js';
import {
  type Generation,
  GenerationError,
  type GenerationProgress,
} from '../generation/generation.js';
import { createId } from '../http/ids.js';
import { factsOf } from '../http/request-log.js';
import { clientGone, EventStream } from '../http/sse.js';
import type { Services } from '../services.js';
import { Answer } from './answer.js';
import { ChunkEncoder, type ChunkHeader, encodeStreamError } from './chunks.js';
import { ignoredHeader } from './parameters.js';
import { parseChatRequest } from './request.js';
import { type DoneEvent, wireTimings, wireUsage } from './wire-values.js';

/**
 * How long a stream waits with its headers for the prompt to be accepted, in milliseconds. Until then a refusal can be
 * a status of its own; beyond it, as when a big model loads first, the client must see that something happens.
 */
const HEADERS_WAIT_MS = 3_000;

export function chatCompletions({ current, pool }: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const request = parseChatRequest(req.body);
    const model = current.resolve(request.model);
    factsOf(res).model = model.id;
    const ignored = ignoredHeader(request.ignored);
    if (ignored !== null) res.set('x-pilotlight-ignored', ignored);

    const gone = clientGone(res);
    const generation = pool.generate(model, request.input, gone);
    // It may be refused before anyone waits for it.
    generation.accepted.catch(() => {});
    const header: ChunkHeader = {
      id: createId('chatcmpl-'),
      created: Math.floor(Date.now() / 1000),
      model: model.id,
      includeUsage: request.includeUsage,
      choices: request.input.choices,
    };
    if (request.stream) await stream(req, res, generation, header, gone);
    else await collect(res, generation, header, gone);
  };
}

async function stream(
  req: Request,
  res: Response,
  generation: Generation,
  header: ChunkHeader,
  gone: AbortSignal,
): Promise<void> {
  await withinWait(generation.accepted);
  if (gone.aborted) return;
  const out = await EventStream.open(req, res, () => progressText(generation.progress()));
  const encoder = new ChunkEncoder(header);
  try {
    await generation.accepted;
    for await (const batch of generation.events) {
      noteOutcome(res, batch);
      await out.send(encoder.encode(batch));
    }
    await out.end();
  } catch (error) {
    if (!(error instanceof GenerationError)) throw error;
    factsOf(res).errorCode = error.code;
    await out.end([encodeStreamError(error)]);
  }
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

async function collect(
  res: Response,
  generation: Generation,
  { id, created, model, choices }: ChunkHeader,
  gone: AbortSignal,
): Promise<void> {
  const answers = Array.from({ length: choices }, () => new Answer());
  await generation.accepted;
  for await (const batch of generation.events) {
    noteOutcome(res, batch);
    for (const event of batch) {
      if (event.type === 'error') throw new GenerationError(event.code, event.message);
      answers[event.seq]?.push(event);
    }
  }
  if (gone.aborted) return;
  const ends = answers.map(({ done }) => done).filter((done): done is DoneEvent => done !== null);
  const [first] = ends;
  if (first === undefined || ends.length < choices) {
    throw new GenerationError('engine_failed', 'The answer ended without an end.');
  }
  const answer: ChatCompletion = {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: answers.map((each, index) => each.choice(index)),
    usage: wireUsage(ends),
    timings: wireTimings(first.timings),
  };
  res.json(answer);
}

/** Counts and the end's kind, for the log: tokens of all choices, the end of the last one. */
function noteOutcome(res: Response, batch: readonly EngineEvent[]): void {
  const facts = factsOf(res);
  for (const event of batch) {
    if (event.type === 'done') {
      facts.promptTokens = event.promptTokens;
      facts.outputTokens = (facts.outputTokens ?? 0) + event.outputTokens;
      facts.finishReason = event.finishReason;
    } else if (event.type === 'error') {
      facts.errorCode = event.code;
    }
  }
}
