/** POST /v1/completions: the body → one input for each prompt, and how they are to be told. */
import { type CompletionRequest, completionRequestSchema } from '../../protocol/completions.js';
import type { Prompt } from '../../protocol/engine.js';
import { invalidRequest } from '../http/errors.js';
import type { OpenInput } from '../request/defaults.js';
import { COMPLETION_PARAMETERS } from '../request/parameters.js';
import { parseBody } from '../request/refusal.js';
import { toShared, toStreaming } from '../request/sampling.js';
import { toGrammar } from './response-format.js';

/** The API reference's default: this route is used for short completions. */
const DEFAULT_MAX_TOKENS = 16;

/** Prompts of one request. Each is a request to the engine, whose queue is bounded. */
const MAX_PROMPTS = 128;

/** Differs from chat completions. */
const WORDS = { logprobs: 'a whole number from 0 to 20' };

export interface CompletionInput {
  /** Null: the current model. */
  model: string | null;
  /** One for each prompt, with the same number of choices. */
  inputs: OpenInput[];
  choices: number;
  /** Texts that come before each prompt's answers; all empty where nothing is to be echoed. */
  echoes: string[];
  stream: boolean;
  includeUsage: boolean;
  /** Names of fields that nobody knows. */
  ignored: string[];
}

/** @throws ApiError 400 that names the parameter. */
export function parseCompletionRequest(body: unknown): CompletionInput {
  const request = parseBody(completionRequestSchema, body, WORDS);
  COMPLETION_PARAMETERS.refuse(request);
  const prompts = toPrompts(request.prompt);
  const shared = toShared(request, DEFAULT_MAX_TOKENS, request.logprobs ?? null);
  const grammar = toGrammar(request.response_format);
  return {
    model: request.model ?? null,
    inputs: prompts.map((prompt) => ({ prompt, grammar, ...shared })),
    choices: shared.choices,
    echoes: toEchoes(request, prompts),
    ...toStreaming(request),
    ignored: COMPLETION_PARAMETERS.ignored(request),
  };
}

function toPrompts(prompt: CompletionRequest['prompt']): Prompt[] {
  if (prompt == null) {
    throw invalidRequest(
      '"prompt" is missing: a text or a list of token ids is needed, or a list of either.',
      'prompt',
      'missing_parameter',
    );
  }
  if (typeof prompt === 'string') return [toPrompt(prompt)];
  const [first] = prompt;
  if (typeof first === 'number') return [toPrompt(prompt as number[])];
  if (prompt.length > MAX_PROMPTS) {
    throw invalidRequest(
      `prompt has ${prompt.length} prompts; one request takes at most ${MAX_PROMPTS}.`,
      'prompt',
    );
  }
  return (prompt as (string | number[])[]).map(toPrompt);
}

function toPrompt(prompt: string | number[]): Prompt {
  return typeof prompt === 'string'
    ? { kind: 'text', text: prompt }
    : { kind: 'tokens', tokenIds: prompt };
}

function toEchoes(request: CompletionRequest, prompts: readonly Prompt[]): string[] {
  if (!request.echo) return prompts.map(() => '');
  if (request.logprobs != null) {
    throw invalidRequest(
      'echo together with logprobs is not available: the prompt has no log probabilities here.',
      'echo',
      'unsupported_parameter',
    );
  }
  return prompts.map((prompt) => {
    if (prompt.kind === 'text') return prompt.text;
    throw invalidRequest(
      'echo is only for prompts that are texts.',
      'echo',
      'unsupported_parameter',
    );
  });
}
