/** POST /v1/messages, streamed and collected: both tell the same events. */
import type { Request, Response } from 'express';
import { GenerationError } from '../generation/generation.js';
import { collectGeneration, streamGeneration } from '../http/generation-response.js';
import { createId } from '../http/ids.js';
import { factsOf } from '../http/request-log.js';
import { openGeneration } from '../request/generation.js';
import type { Services } from '../services.js';
import { CollectedMessage } from './collected-message.js';
import { toMessageError } from './dialect.js';
import { MessageEncoder } from './message-encoder.js';
import { MessageEvents } from './message-events.js';
import { parseMessagesRequest } from './request.js';

export function messages(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const request = parseMessagesRequest(req.body);
    const { model: wanted, input, stream, telling, ignored, wishes } = request;
    const model = services.current.resolve(wanted);
    const { generation, gone } = openGeneration(services, res, model, input, ignored, wishes);
    const events = new MessageEvents({ id: createId('msg_'), model: model.id }, telling);
    try {
      if (stream) {
        const encoder = new MessageEncoder(events, factsOf(res).requestId);
        await streamGeneration(req, res, generation, encoder, gone);
        return;
      }
      const message = new CollectedMessage();
      await collectGeneration(
        res,
        generation,
        (event) => {
          for (const next of events.next(event)) message.push(next);
        },
        (promptTokens) => {
          for (const first of events.begin(promptTokens)) message.push(first);
        },
      );
      if (!gone.aborted) res.json(message.whole());
    } catch (error) {
      throw error instanceof GenerationError ? toMessageError(error) : error;
    }
  };
}
