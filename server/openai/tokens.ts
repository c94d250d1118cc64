/** POST /tokenize, /detokenize and /apply-template. */
import type { Request, Response } from 'express';
import {
  type ApplyTemplateAnswer,
  type DetokenizeAnswer,
  detokenizeRequestSchema,
  type TokenizeAnswer,
  tokenizeRequestSchema,
} from '../../protocol/tokens.js';
import { invalidRequest } from '../http/errors.js';
import { openCall } from '../request/call.js';
import { withSystemPrompt } from '../request/defaults.js';
import { Parameters } from '../request/parameters.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';
import { parseChatRequest } from './request.js';

const TOKENIZE = new Parameters(Object.keys(tokenizeRequestSchema.shape));
const DETOKENIZE = new Parameters(Object.keys(detokenizeRequestSchema.shape));
const WORDS = {
  content: 'a text',
  prompt: 'a text',
  add_special: 'true or false',
  parse_special: 'true or false',
  with_pieces: 'true or false',
  tokens: 'a list of token ids',
};

export function tokenize(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const body = parseBody(tokenizeRequestSchema, req.body, WORDS);
    const { content, prompt, add_special, parse_special, with_pieces } = body;
    const text = content ?? prompt;
    if (text == null) {
      throw invalidRequest(
        '"content" is missing: a text is needed.',
        'content',
        'missing_parameter',
      );
    }
    const model = services.current.resolve(body.model ?? null);
    const ask = openCall(services, model, TOKENIZE.ignored(body), res);
    const result = await ask(
      'tokenize',
      {
        text,
        addSpecial: add_special ?? false,
        parseSpecial: parse_special ?? true,
        withPieces: with_pieces ?? false,
      },
      'content',
    );
    if (result === null) return;
    const { tokenIds, pieces } = result;
    const answer: TokenizeAnswer = {
      tokens: pieces
        ? tokenIds.map((id, i) => ({ id, piece: toPiece(pieces[i] ?? new Uint8Array()) }))
        : tokenIds,
      count: tokenIds.length,
    };
    res.json(answer);
  };
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function toPiece(bytes: Uint8Array): string | number[] {
  try {
    return decoder.decode(bytes);
  } catch {
    return [...bytes];
  }
}

export function detokenize(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const body = parseBody(detokenizeRequestSchema, req.body, WORDS);
    const model = services.current.resolve(body.model ?? null);
    const ask = openCall(services, model, DETOKENIZE.ignored(body), res);
    const result = await ask('detokenize', { tokenIds: body.tokens }, 'tokens');
    if (result === null) return;
    const answer: DetokenizeAnswer = { content: result.text, prompt: result.text };
    res.json(answer);
  };
}

/** Takes the body of a chat completion, and answers with what its model would read. */
export function applyTemplate(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const { model: wanted, input, ignored, wishes } = parseChatRequest(req.body);
    if (input.prompt.kind !== 'chat') throw new TypeError('expected a chat');
    const model = services.current.resolve(wanted);
    const ask = openCall(services, model, ignored, res, wishes);
    const prompt = withSystemPrompt(input.prompt, services.settings.modelSettings(model.id));
    const result = await ask('apply-template', prompt, 'messages');
    if (result === null) return;
    const answer: ApplyTemplateAnswer = { prompt: result.text, count: result.promptTokens };
    res.json(answer);
  };
}
