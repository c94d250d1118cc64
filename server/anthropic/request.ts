/** POST /v1/messages: the body → what is to be generated and how it is to be told. No answer is made here. */
import {
  type CountTokensRequest,
  countTokensRequestSchema,
  messagesRequestSchema,
} from '../../protocol/anthropic.js';
import type { Grammar, Prompt } from '../../protocol/engine.js';
import { invalidRequest } from '../http/errors.js';
import type { OpenInput } from '../request/defaults.js';
import { Parameters } from '../request/parameters.js';
import { parseBody } from '../request/refusal.js';
import { toShared } from '../request/sampling.js';
import { toSchemaGrammar } from '../request/schema.js';
import { thinkingWishes, type Wishes } from '../request/wishes.js';
import { toConversation } from './conversation.js';
import { THREADS_UNSUPPORTED } from './dialect.js';
import type { Telling } from './message-events.js';
import { toTools } from './tools.js';

type ChatPrompt = Extract<Prompt, { kind: 'chat' }>;

export interface PromptRequest {
  /** Null: the current model. */
  model: string | null;
  prompt: ChatPrompt;
  /** Names of fields that have no effect. */
  ignored: string[];
  wishes: Wishes;
}

export interface MessagesRequest extends PromptRequest {
  input: OpenInput;
  stream: boolean;
  telling: Telling;
}

const PARAMETERS = new Parameters(
  [
    ...Object.keys(messagesRequestSchema.shape),
    // These cannot change the answer of a server that runs one model for one person.
    ...['cache_control', 'diagnostics', 'inference_geo', 'speed'],
  ],
  {
    container: { allows: () => false },
    mcp_servers: { allows: (value) => Array.isArray(value) && value.length === 0 },
    context_management: {
      allows: keepsEverything,
      hint: 'context_management can only keep everything: this version of Pilotlight never changes a conversation.',
    },
  },
);

function keepsEverything(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { edits } = value as { edits?: unknown };
  return edits == null || (Array.isArray(edits) && edits.every((edit) => edit?.keep === 'all'));
}

const WORDS = {
  system: 'a string or a list of {"type": "text", "text": …}',
  max_tokens: 'a whole number of at least 0',
  stop_sequences: 'a list of at most 64 strings, none of them empty',
  temperature: 'a number from 0 to 1',
  tools: 'a list of {"name": …, "input_schema": …}',
  tool_choice: '{"type": "auto"}, {"type": "any"}, {"type": "none"} or {"type": "tool", "name": …}',
  thinking: '{"type": "enabled", "budget_tokens": …}, {"type": "adaptive"} or {"type": "disabled"}',
  'thinking.budget_tokens': 'a whole number of at least 1024',
  output_config: 'an object',
  'output_config.effort': '"low", "medium", "high", "xhigh" or "max"',
  'output_config.format': '{"type": "json_schema", "schema": …}',
  output_format: '{"type": "json_schema", "schema": …}',
};

const WORDS_IN_MESSAGE = {
  role: '"user", "assistant" or "system"',
  content: 'a string or a list of blocks with a "type"',
};

/** @throws ApiError 400 that names the parameter. */
export function parseMessagesRequest(body: unknown): MessagesRequest {
  const request = parseBody(messagesRequestSchema, body, WORDS, WORDS_IN_MESSAGE);
  const { max_tokens: maxTokens, thinking } = request;
  if (thinking?.type === 'enabled' && thinking.budget_tokens >= maxTokens) {
    throw invalidRequest(
      'thinking.budget_tokens must be less than max_tokens: the answer comes after the thinking.',
      'thinking.budget_tokens',
    );
  }
  const rest = toPromptRequest(request);
  const { temperature, top_p, top_k, stop_sequences: stop } = request;
  return {
    ...rest,
    input: {
      prompt: rest.prompt,
      grammar: toGrammar(request),
      ...toShared({ temperature, top_p, top_k, max_tokens: Math.max(1, maxTokens) }, null, null),
      stop: stop ?? [],
    },
    stream: request.stream ?? false,
    telling: {
      maxTokens,
      showsThinking: !(thinking && 'display' in thinking && thinking.display === 'omitted'),
      tellsCache: asksForCache(request),
    },
  };
}

/** @throws ApiError 400 that names the parameter. */
export function parseCountTokensRequest(body: unknown): PromptRequest {
  return toPromptRequest(parseBody(countTokensRequestSchema, body, WORDS, WORDS_IN_MESSAGE));
}

function toPromptRequest(request: CountTokensRequest): PromptRequest {
  refuseThread(request);
  PARAMETERS.refuse(request);
  const { model, system, messages, tools, tool_choice: choice, thinking } = request;
  const effort = request.output_config?.effort ?? null;
  const thinks = thinking?.type === 'enabled' || thinking?.type === 'adaptive';
  return {
    model: model ?? null,
    prompt: {
      kind: 'chat',
      ...toConversation(system, messages),
      enableThinking: thinks,
      ...toTools(tools ?? [], choice),
      templateKwargs: effort === null ? {} : { reasoning_effort: JSON.stringify(toEffort(effort)) },
    },
    ignored: [
      ...PARAMETERS.ignored(request),
      // The engine cannot end thoughts early: max_tokens is the only limit that holds.
      ...(thinking?.type === 'enabled' ? ['thinking.budget_tokens'] : []),
    ],
    wishes: thinkingWishes({ thinking: thinks, 'output_config.effort': effort !== null }),
  };
}

/** The official tool runner asks for one first, and then would send only what is new in the conversation. */
function refuseThread({ thread }: CountTokensRequest): void {
  if (thread == null) return;
  throw invalidRequest(
    '"thread" is not available: this server keeps no conversations. Send all messages.',
    'thread',
    THREADS_UNSUPPORTED,
  );
}

/** Templates know three words. */
function toEffort(effort: string): string {
  return effort === 'xhigh' || effort === 'max' ? 'high' : effort;
}

function toGrammar(request: CountTokensRequest): Grammar | null {
  const format = request.output_config?.format ?? request.output_format;
  return format ? toSchemaGrammar(format.schema, 'output_config.format') : null;
}

/** True with `cache_control` on the request, or on anything of its prompt. */
function asksForCache(request: CountTokensRequest): boolean {
  const { system, tools, messages } = request;
  return isMarked([request, system, tools, messages]);
}

function isMarked(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isMarked);
  if (typeof value !== 'object' || value === null) return false;
  const { cache_control: mark, content } = value as { cache_control?: unknown; content?: unknown };
  return mark != null || isMarked(content);
}
