/** POST /v1/generate: an event for each token. */
import type { Request, Response } from 'express';
import { GenerationError } from '../generation/generation.js';
import { fromGenerationError } from '../http/errors.js';
import { collectGeneration, streamGeneration } from '../http/generation-response.js';
import { openGeneration } from '../request/generation.js';
import type { Services } from '../services.js';
import { GenerateCollector, GenerateEncoder } from './generate-events.js';
import { parseGenerateRequest } from './generate-request.js';

export function generate(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const request = parseGenerateRequest(req.body);
    const model = services.current.resolve(request.model);
    const { generation, gone } = openGeneration(services, res, model, request.input, []);
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
