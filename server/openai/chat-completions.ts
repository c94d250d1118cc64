/** POST /v1/chat/completions, streamed and collected: both tell the same events. */
import type { Request, Response } from 'express';
import type { ChatCompletion } from '../../protocol/openai.js';
import { collectGeneration, streamGeneration } from '../http/generation-response.js';
import { createId } from '../http/ids.js';
import { openGeneration } from '../request/generation.js';
import type { Services } from '../services.js';
import { Answer } from './answer.js';
import { ChunkEncoder } from './chunks.js';
import { parseChatRequest } from './request.js';
import { endsOf, wireTimings, wireUsage } from './wire-values.js';

export function chatCompletions(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const request = parseChatRequest(req.body);
    const { model: wanted, input, stream, includeUsage, ignored, wishes } = request;
    const model = services.current.resolve(wanted);
    const { generation, gone } = openGeneration(services, res, model, input, ignored, wishes);
    const head = {
      id: createId('chatcmpl-'),
      created: Math.floor(Date.now() / 1000),
      model: model.id,
    };
    if (stream) {
      const encoder = new ChunkEncoder({ ...head, includeUsage, choices: input.choices });
      await streamGeneration(req, res, generation, encoder, gone);
      return;
    }
    const answers = Array.from({ length: input.choices }, () => new Answer());
    await collectGeneration(res, generation, (event) => answers[event.seq]?.push(event));
    if (gone.aborted) return;
    const ends = endsOf(answers);
    const answer: ChatCompletion = {
      ...head,
      object: 'chat.completion',
      choices: answers.map((each, index) => each.choice(index)),
      usage: wireUsage(ends),
      timings: wireTimings(ends[0].timings),
    };
    res.json(answer);
  };
}
