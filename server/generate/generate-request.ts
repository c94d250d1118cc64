/** POST /v1/generate: the body → what is to be generated. */
import type { Prompt } from '../../protocol/engine.js';
import { type GenerateRequest, generateRequestSchema } from '../../protocol/generate.js';
import { invalidRequest } from '../http/errors.js';
import { toConversation } from '../openai/messages.js';
import type { OpenInput } from '../request/defaults.js';
import { parseBody } from '../request/refusal.js';
import { toShared } from '../request/sampling.js';
import { toTemplateVariables } from '../request/template-variables.js';

/** What the model is to read is in one of these. */
const PROMPTS = ['prompt', 'token_ids', 'messages'] as const;
type PromptName = (typeof PROMPTS)[number];

export interface GenerateInput {
  /** Null: the current model. */
  model: string | null;
  input: OpenInput;
  /** The parameter that holds what the model is to read. */
  promptName: PromptName;
  stream: boolean;
}

const WORDS = {
  prompt: 'a text',
  token_ids: 'a list of at least one token id, each a whole number of at least 0',
  stop_token_ids: 'a list of at most 1024 token ids',
  ignore_eos: 'true or false',
};

/** @throws ApiError 400 that names the parameter. */
export function parseGenerateRequest(body: unknown): GenerateInput {
  const request = parseBody(generateRequestSchema, body, WORDS);
  const promptName = namePrompt(request);
  return {
    model: request.model ?? null,
    input: {
      ...toShared({ ...request, n: 1 }, null, null),
      prompt: toPrompt(request),
      grammar: null,
      stopTokenIds: request.stop_token_ids ?? [],
      ignoreEog: request.ignore_eos ?? false,
    },
    promptName,
    stream: request.stream ?? false,
  };
}

function namePrompt(request: GenerateRequest): PromptName {
  const [name, another] = PROMPTS.filter((each) => request[each] != null);
  if (name === undefined) {
    throw invalidRequest(
      'One of "prompt", "token_ids" and "messages" is needed.',
      'prompt',
      'missing_parameter',
    );
  }
  if (another !== undefined) {
    throw invalidRequest(`"${name}" and "${another}" cannot both be the prompt.`, another);
  }
  return name;
}

function toPrompt({ prompt, token_ids, messages }: GenerateRequest): Prompt {
  if (token_ids) return { kind: 'tokens', tokenIds: token_ids };
  if (!messages) return { kind: 'text', text: prompt ?? '' };
  return {
    kind: 'chat',
    ...toConversation(messages),
    ...toTemplateVariables(null, null),
    tools: [],
    toolChoice: 'none',
    parallelToolCalls: true,
  };
}
