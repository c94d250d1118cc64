/** POST /inference/v1/generate: token ids in, token ids out. */
import type { Request, Response } from 'express';
import { GenerationError } from '../generation/generation.js';
import { fromGenerationError } from '../http/errors.js';
import { collectGeneration, streamGeneration } from '../http/generation-response.js';
import { createId } from '../http/ids.js';
import { sendJsonParts } from '../http/json-parts.js';
import { openGeneration } from '../request/generation.js';
import type { Services } from '../services.js';
import { InferenceCollector, InferenceEncoder } from './inference-encoder.js';
import { namingTheTop, parseInferenceRequest } from './inference-request.js';

export function inference(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const request = parseInferenceRequest(req.body);
    const model = services.current.resolve(request.model);
    const requestId = request.requestId ?? createId('gen-');
    const { choices } = request.input;
    const { generation, gone } = openGeneration(
      services,
      res,
      model,
      request.input,
      request.ignored,
    );
    try {
      if (request.stream) {
        const encoder = new InferenceEncoder({ ...request, requestId, choices });
        await streamGeneration(req, res, generation, encoder, gone);
        return;
      }
      const tellsPrompt = request.input.promptLogprobs !== undefined;
      const collector = new InferenceCollector(choices, tellsPrompt);
      await collectGeneration(res, generation, (event) => collector.push(event));
      if (!gone.aborted) await sendJsonParts(res, collector.json(requestId));
    } catch (error) {
      if (!(error instanceof GenerationError)) throw error;
      throw namingTheTop(fromGenerationError(error, 'token_ids'));
    }
  };
}
