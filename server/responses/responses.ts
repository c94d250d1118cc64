/** POST /v1/responses, streamed and collected, and POST /v1/responses/input_tokens. */
import type { Request, Response } from 'express';
import type { ConversationItem, InputTokens } from '../../protocol/response-object.js';
import { GenerationError } from '../generation/generation.js';
import { ApiError, fromGenerationError } from '../http/errors.js';
import { collectGeneration, streamGeneration } from '../http/generation-response.js';
import { createId } from '../http/ids.js';
import { openCall } from '../request/call.js';
import { withSystemPrompt } from '../request/defaults.js';
import { openGeneration } from '../request/generation.js';
import type { Services } from '../services.js';
import type { ResponseStore } from '../store/responses.js';
import { ResponseBuilder } from './builder.js';
import { ResponseEncoder } from './encoder.js';
import { parseResponseRequest, type ResponseRequest } from './request.js';

export function createResponse(services: Services) {
  const { responses } = services;
  return async (req: Request, res: Response): Promise<void> => {
    const request = parseResponseRequest(req.body);
    const { settings, stream, ignored, wishes } = request;
    const model = services.current.resolve(request.model);
    const { own, earlier } = recall(request, responses);

    const input = request.toInput([...earlier, ...own]);
    const { generation, gone } = openGeneration(services, res, model, input, ignored, wishes);
    const builder = new ResponseBuilder({
      id: createId('resp_'),
      created: Math.floor(Date.now() / 1000),
      model: model.id,
      settings,
    });
    const { response } = builder;
    const keep = () => {
      response.store = settings.store && responses.save(response, own);
    };
    try {
      if (stream) {
        const encoder = new ResponseEncoder(builder, keep);
        await streamGeneration(req, res, generation, encoder, gone);
        return;
      }
      await collectGeneration(res, generation, (event) => builder.push(event));
    } catch (error) {
      if (!(error instanceof GenerationError)) throw error;
      throw fromGenerationError(error, 'input', 'text.format.schema');
    }
    if (gone.aborted) return;
    keep();
    res.json(response);
  };
}

/** Counts what the model would read, tools included. */
export function countInputTokens(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const request = parseResponseRequest(req.body);
    const { own, earlier } = recall(request, services.responses);
    const { prompt } = request.toInput([...earlier, ...own]);
    if (prompt.kind !== 'chat') throw new TypeError('expected a chat');
    const model = services.current.resolve(request.model);
    const ask = openCall(services, model, request.ignored, res, request.wishes);
    const result = await ask(
      'apply-template',
      withSystemPrompt(prompt, services.settings.modelSettings(model.id)),
      'input',
    );
    if (result === null) return;
    const answer: InputTokens = {
      object: 'response.input_tokens',
      input_tokens: result.promptTokens,
    };
    res.json(answer);
  };
}

/**
 * What a request refers to, looked up.
 * @throws ApiError where it is not kept.
 */
function recall(
  { items, settings: { previous_response_id: previous } }: ResponseRequest,
  responses: ResponseStore,
): { own: ConversationItem[]; earlier: ConversationItem[] } {
  const earlier = previous === null ? [] : responses.conversation(previous);
  if (earlier === null) {
    throw new ApiError(
      400,
      `The response "${previous?.slice(0, 100)}", or one that it goes on from, is not kept here, so that it cannot be gone on with.`,
      { param: 'previous_response_id', code: 'previous_response_not_found' },
    );
  }
  const own = items.map((item, i) => {
    if (item.type !== 'item_reference') return item;
    const found = responses.item(item.id);
    if (found) return found;
    throw new ApiError(404, `There is no item "${item.id.slice(0, 100)}" that is kept here.`, {
      param: `input[${i}].id`,
      code: 'item_not_found',
    });
  });
  return { own, earlier };
}
