/** POST /v1/responses: the body → what is to be generated, kept and repeated in the answer. No answer is made here. */

import type { WireResponseFormat } from '../../protocol/openai.js';
import type { ConversationItem, ResponseObject } from '../../protocol/response-object.js';
import {
  type ResponseBody,
  type ResponseTextFormat,
  responseBodySchema,
  responseRequestSchema,
} from '../../protocol/responses.js';
import { invalidRequest } from '../http/errors.js';
import { toGrammar } from '../openai/response-format.js';
import type { OpenInput } from '../request/defaults.js';
import { OTHER_DIALECTS, Parameters } from '../request/parameters.js';
import { parseBody } from '../request/refusal.js';
import { toShared, toStreaming } from '../request/sampling.js';
import { toTemplateVariables } from '../request/template-variables.js';
import { thinkingWishes, type Wishes } from '../request/wishes.js';
import { toConversation } from './conversation.js';
import { type InputItem, readItems } from './items.js';
import { readTools, toResponseToolUse } from './tools.js';

/** What an answer repeats of its request. */
export type ResponseSettings = Pick<
  ResponseObject,
  | 'instructions'
  | 'max_output_tokens'
  | 'max_tool_calls'
  | 'metadata'
  | 'parallel_tool_calls'
  | 'previous_response_id'
  | 'reasoning'
  | 'store'
  | 'temperature'
  | 'text'
  | 'tool_choice'
  | 'tools'
  | 'top_logprobs'
  | 'top_p'
  | 'user'
>;

export interface ResponseRequest {
  /** Null: the current model. */
  model: string | null;
  /** The request's own; what comes before is named by `settings.previous_response_id`. */
  items: InputItem[];
  settings: ResponseSettings;
  stream: boolean;
  /**
   * What is to be generated after all items of the conversation.
   * @throws ApiError 400 where they are no conversation.
   */
  toInput(conversation: readonly ConversationItem[]): OpenInput;
  /** Names of fields that nobody knows. */
  ignored: string[];
  wishes: Wishes;
}

const nothing = () => false;
const elsewhere = (name: string, here: string) => ({
  allows: nothing,
  hint: `${name} is a parameter of chat completions: use ${here} here.`,
});

const PARAMETERS = new Parameters(
  [...Object.keys(responseRequestSchema.shape), 'truncation', 'prompt_cache_options'],
  {
    ...OTHER_DIALECTS,
    background: {
      allows: (value) => value === false,
      hint: 'background can only be false: an answer is made while its client waits.',
    },
    truncation: {
      allows: (value) => value === 'disabled',
      hint: 'truncation can only be "disabled": a conversation that does not fit is refused, and nothing is left out of it.',
    },
    conversation: {
      allows: nothing,
      hint: 'conversation is not available: go on with previous_response_id, or send all items.',
    },
    prompt: {
      allows: nothing,
      hint: 'prompt is not available: there are no stored prompts. Use instructions and input.',
    },
    context_management: { allows: (value) => Array.isArray(value) && value.length === 0 },
    moderation: { allows: nothing },
    n: {
      allows: (value) => value === 1,
      hint: 'n can only be 1: a response has one answer.',
    },
    messages: elsewhere('messages', 'input'),
    max_tokens: elsewhere('max_tokens', 'max_output_tokens'),
    max_completion_tokens: elsewhere('max_completion_tokens', 'max_output_tokens'),
    response_format: elsewhere('response_format', 'text.format'),
    reasoning_effort: elsewhere('reasoning_effort', 'reasoning.effort'),
    logprobs: elsewhere('logprobs', 'include: ["message.output_text.logprobs"]'),
  },
);

const WORDS = {
  input: 'a text or a list of items',
  instructions: 'a text',
  previous_response_id: 'the id of a response',
  store: 'true or false',
  max_output_tokens: 'a whole number of at least 1',
  max_tool_calls: 'a whole number of at least 1',
  include: 'a list of names such as "message.output_text.logprobs"',
  text: 'an object such as {"format": {"type": "text"}}',
  'text.format':
    '{"type": "text"}, {"type": "json_object"} or {"type": "json_schema", "name": …, "schema": …}',
  tools: 'a list of {"type": "function", "name": …, "parameters": …}',
  tool_choice:
    '"none", "auto", "required", {"type": "function", "name": …} or {"type": "allowed_tools", "mode": …, "tools": …}, and the tools named be functions',
  reasoning: 'an object such as {"effort": "low"}',
  'reasoning.effort': '"none", "minimal", "low", "medium", "high", "xhigh" or "max"',
  metadata: 'an object of at most 16 texts, their names at most 64 and they at most 512 characters',
};

/** @throws ApiError 400 that names the parameter. */
export function parseResponseRequest(body: unknown): ResponseRequest {
  const request = parseBody(responseBodySchema, body, WORDS);
  PARAMETERS.refuse(request);
  const { stream } = toStreaming(request);
  const settings = toSettings(request);
  const { effort } = settings.reasoning;
  return {
    model: request.model ?? null,
    items: toItems(request),
    settings,
    stream,
    toInput: inputMaker(request, settings),
    ignored: PARAMETERS.ignored(request),
    wishes: thinkingWishes({
      'reasoning.effort': effort !== null && effort !== 'none',
      'chat_template_kwargs.enable_thinking':
        request.chat_template_kwargs?.enable_thinking === true,
    }),
  };
}

function toItems({ input, previous_response_id: previous }: ResponseBody): InputItem[] {
  if (input == null || input.length === 0) {
    if (typeof input !== 'string' && previous != null) return [];
    if (typeof input !== 'string') {
      throw invalidRequest(
        '"input" is missing: a text or a list of at least one item is needed.',
        'input',
        'missing_parameter',
      );
    }
  }
  return readItems(input);
}

function toSettings(request: ResponseBody): ResponseSettings {
  return {
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: null },
    store: request.store ?? true,
    temperature: request.temperature ?? null,
    text: { ...request.text, format: request.text?.format ?? { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: readTools(request.tools ?? []),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? null,
    user: typeof request.user === 'string' ? request.user : null,
  };
}

/** Checks all that does not depend on the conversation at once. */
function inputMaker(request: ResponseBody, settings: ResponseSettings): ResponseRequest['toInput'] {
  const { instructions, tools, tool_choice: choice, reasoning } = settings;
  const wantsLogprobs =
    settings.top_logprobs > 0 || request.include?.includes('message.output_text.logprobs');
  const shared = toShared(
    { ...request, max_completion_tokens: settings.max_output_tokens },
    null,
    wantsLogprobs ? settings.top_logprobs : null,
  );
  const toolUse = toResponseToolUse(tools, choice, settings.parallel_tool_calls);
  const grammar = toGrammar(chatFormat(settings.text.format), 'text.format.schema');
  const variables = toTemplateVariables(reasoning.effort, request.chat_template_kwargs);
  return (conversation) => ({
    prompt: {
      kind: 'chat',
      ...toConversation(conversation, instructions),
      ...variables,
      ...toolUse,
    },
    grammar,
    ...shared,
  });
}

/** What is flat here is an object of its own there. */
function chatFormat(format: ResponseTextFormat): WireResponseFormat {
  if (format.type !== 'json_schema') return format;
  const { name, description, schema, strict } = format;
  return { type: 'json_schema', json_schema: { name, description, schema, strict } };
}
