/** POST /v1/chat/completions: the body → what is to be generated and how it is to be told. No answer is made here. */
import { type ChatCompletionRequest, chatCompletionRequestSchema } from '../../protocol/openai.js';
import { invalidRequest } from '../http/errors.js';
import type { OpenInput } from '../request/defaults.js';
import { CHAT_PARAMETERS, reasoningEffort } from '../request/parameters.js';
import { parseBody } from '../request/refusal.js';
import { toShared, toStreaming } from '../request/sampling.js';
import { toTemplateVariables } from '../request/template-variables.js';
import { thinkingWishes, type Wishes } from '../request/wishes.js';
import { toConversation } from './messages.js';
import { toGrammar } from './response-format.js';
import { toToolUse } from './tools.js';

export interface ChatRequest {
  /** Null: the current model. */
  model: string | null;
  input: OpenInput;
  stream: boolean;
  includeUsage: boolean;
  /** Names of fields that nobody knows. */
  ignored: string[];
  wishes: Wishes;
}

/** @throws ApiError 400 that names the parameter. */
export function parseChatRequest(body: unknown): ChatRequest {
  const request = parseBody(chatCompletionRequestSchema, body);
  CHAT_PARAMETERS.refuse(request);
  const streaming = toStreaming(request);
  if (request.top_logprobs != null && !request.logprobs) {
    throw invalidRequest(
      'top_logprobs is only for requests with "logprobs": true.',
      'top_logprobs',
    );
  }
  const effort = reasoningEffort(request);
  return {
    model: request.model ?? null,
    input: toInput(request, effort),
    ...streaming,
    ignored: CHAT_PARAMETERS.ignored(request),
    wishes: thinkingWishes({
      reasoning_effort: effort !== null && effort !== 'none',
      'chat_template_kwargs.enable_thinking':
        request.chat_template_kwargs?.enable_thinking === true,
    }),
  };
}

function toInput(request: ChatCompletionRequest, effort: string | null): OpenInput {
  const { messages, continueFinalMessage } = toConversation(request.messages);
  return {
    prompt: {
      kind: 'chat',
      messages,
      ...toTemplateVariables(effort, request.chat_template_kwargs),
      continueFinalMessage,
      ...toToolUse(request.tools ?? [], request.tool_choice, request.parallel_tool_calls ?? true),
    },
    grammar: toGrammar(request.response_format),
    ...toShared(request, null, request.logprobs ? (request.top_logprobs ?? 0) : null),
  };
}
