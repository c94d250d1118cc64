/** POST /api/chat and /api/generate, streamed and in one piece: all tell the same events. */
import type { Request, Response } from 'express';
import { GenerationError } from '../generation/generation.js';
import { fromGenerationError } from '../http/errors.js';
import { collectGeneration, streamGeneration } from '../http/generation-response.js';
import { NdjsonStream } from '../http/ndjson.js';
import { factsOf } from '../http/request-log.js';
import type { LibraryModel } from '../library/model.js';
import { loadFor } from '../request/call.js';
import { openGeneration } from '../request/generation.js';
import { noteRequest } from '../request/parameters.js';
import { noteUnmet, wishRest } from '../request/wishes.js';
import type { Services } from '../services.js';
import {
  type AnswerHeader,
  chatShape,
  generateShape,
  LineEncoder,
  type Shape,
  WholeAnswer,
} from './answer.js';
import { resolveModel } from './names.js';
import { type OllamaRequest, parseOllamaChat, parseOllamaGenerate } from './request.js';

interface Route {
  parse: (body: unknown) => OllamaRequest;
  shape: Shape;
  /** The parameter that holds what the model reads. */
  promptParam: string;
}

export function ollamaChat(services: Services) {
  return generation(services, {
    parse: parseOllamaChat,
    shape: chatShape,
    promptParam: 'messages',
  });
}

export function ollamaGenerate(services: Services) {
  return generation(services, {
    parse: parseOllamaGenerate,
    shape: generateShape,
    promptParam: 'prompt',
  });
}

function generation(services: Services, { parse, shape, promptParam }: Route) {
  const { pool } = services;
  return async (req: Request, res: Response): Promise<void> => {
    const started = performance.now();
    const request = parse(req.body);
    const model = resolveModel(services, request.name);
    const header: AnswerHeader = {
      model: request.name || model.id,
      shape,
      plain: request.input?.prompt.kind === 'text',
      now: () => new Date().toISOString(),
      loadMs: () => loadMs,
    };
    let loadMs = 0;
    if (request.input === null) {
      noteRequest(res, model, request.ignored);
      await loadOnly(services, model, request, header, res);
      return;
    }
    const { generation: running, gone } = openGeneration(
      services,
      res,
      model,
      request.input,
      request.ignored,
      request.wishes,
    );
    // The generation waits for the same load; where that fails it says why.
    const loaded = pool.load(model).then(() => {
      loadMs = performance.now() - started;
    });
    loaded.catch(() => {});
    try {
      if (request.stream) {
        const encoder = new LineEncoder(header);
        await streamGeneration(req, res, running, encoder, gone, NdjsonStream.open);
        return;
      }
      const answer = new WholeAnswer(header);
      await collectGeneration(res, running, (event) => answer.push(event));
      if (!gone.aborted) res.json(answer.object());
    } catch (error) {
      throw error instanceof GenerationError ? fromGenerationError(error, promptParam) : error;
    }
  };
}

/** Nothing to write: the model is loaded, or leaves. Such an answer is one object, also for a stream. */
async function loadOnly(
  services: Services,
  model: LibraryModel,
  { wishes }: OllamaRequest,
  { model: name, shape, now }: AnswerHeader,
  res: Response,
): Promise<void> {
  const { pool } = services;
  const leaves = wishes.ttl === 0;
  if (leaves) await pool.release(model);
  else await loadFor(services, res, model);
  if (!leaves) wishRest(pool, model, null, wishes);
  noteUnmet(res, wishes, pool.info(model));
  factsOf(res).finishReason = leaves ? 'unload' : 'load';
  res.json({
    model: name,
    created_at: now(),
    ...shape({ content: '', thinking: '', toolCalls: [] }),
    done: true,
    done_reason: leaves ? 'unload' : 'load',
  });
}
