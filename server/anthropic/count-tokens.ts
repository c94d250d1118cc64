/** POST /v1/messages/count_tokens: renders and tokenizes the prompt as a generation would. */
import type { Request, Response } from 'express';
import type { TokenCount } from '../../protocol/anthropic.js';
import { openCall } from '../request/call.js';
import { withSystemPrompt } from '../request/defaults.js';
import type { Services } from '../services.js';
import { parseCountTokensRequest } from './request.js';

export function countTokens(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const { model: wanted, prompt, ignored, wishes } = parseCountTokensRequest(req.body);
    const model = services.current.resolve(wanted);
    const ask = openCall(services, model, ignored, res, wishes);
    const result = await ask(
      'apply-template',
      withSystemPrompt(prompt, services.settings.modelSettings(model.id)),
      'messages',
    );
    if (result === null) return;
    const answer: TokenCount = { input_tokens: result.promptTokens };
    res.json(answer);
  };
}
