/** POST /v1/generate: an event for each token. */
import type { Request, Response } from 'express';
import { GenerationError } from '../generation/generation.js';
import { fromGenerationError } from '../http/errors.js';
import { collectGeneration, streamGeneration } from '../http/generation-response.js';
import { clientGone } from '../http/sse.js';
import { noteRequest } from '../request/parameters.js';
import type { Services } from '../services.js';
import { GenerateCollector, GenerateEncoder } from './generate-events.js';
import { parseGenerateRequest } from './generate-request.js';

export function generate({ current, pool }: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const request = parseGenerateRequest(req.body);
    const model = current.resolve(request.model);
    noteRequest(res, model, []);

    const gone = clientGone(res);
    const generation = pool.generate(model, request.input, gone);
    try {
      if (request.stream) {
        await streamGeneration(req, res, generation, new GenerateEncoder(), gone);
        return;
      }
      const collector = new GenerateCollector();
      await collectGeneration(res, generation, (event) => collector.push(event));
      if (!gone.aborted) res.json(collector.answer());
    } catch (error) {
      throw error instanceof GenerationError
        ? fromGenerationError(error, request.promptName)
        : error;
    }
  };
}
