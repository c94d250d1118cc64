/** POST /v1/chat/completions: the body → what is to be generated and how it is to be told. No answer is made here. */
import type { z } from 'zod';
import type { SamplingParams } from '../../protocol/engine.js';
import { type ChatCompletionRequest, chatCompletionRequestSchema } from '../../protocol/openai.js';
import type { GenerationInput } from '../generation/generation.js';
import { type ApiError, invalidRequest } from '../http/errors.js';
import { toConversation } from './messages.js';
import { ignoredFields, reasoningEffort, refuseUnavailable } from './parameters.js';
import { toGrammar } from './response-format.js';
import { toToolUse } from './tools.js';

export interface ChatRequest {
  /** Null: the current model. */
  model: string | null;
  input: GenerationInput;
  stream: boolean;
  includeUsage: boolean;
  /** Names of fields that nobody knows. */
  ignored: string[];
}

/** @throws ApiError 400 that names the parameter. */
export function parseChatRequest(body: unknown): ChatRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidRequest(`The body must be a JSON object; received ${kindOf(body)}.`, null);
  }
  const values = body as Record<string, unknown>;
  const parsed = chatCompletionRequestSchema.safeParse(values);
  if (!parsed.success) throw fromIssue(parsed.error.issues[0], values);
  const request = parsed.data;
  refuseUnavailable(values);
  const stream = request.stream ?? false;
  if (request.stream_options && !stream) {
    throw invalidRequest(
      'stream_options is only for requests with "stream": true.',
      'stream_options',
    );
  }
  if (request.top_logprobs != null && !request.logprobs) {
    throw invalidRequest(
      'top_logprobs is only for requests with "logprobs": true.',
      'top_logprobs',
    );
  }
  return {
    model: request.model ?? null,
    input: toInput(request, reasoningEffort(values)),
    stream,
    includeUsage: request.stream_options?.include_usage ?? false,
    ignored: ignoredFields(values),
  };
}

function toInput(request: ChatCompletionRequest, effort: string | null): GenerationInput {
  const { messages, continueFinalMessage } = toConversation(request.messages);
  const kwargs = request.chat_template_kwargs ?? {};
  const { enable_thinking: enableThinking, ...rest } = kwargs;
  const variables = { ...(effort === null ? {} : { reasoning_effort: effort }), ...rest };
  return {
    prompt: {
      kind: 'chat',
      messages,
      enableThinking: enableThinking ?? effort !== 'none',
      continueFinalMessage,
      ...toToolUse(request.tools ?? [], request.tool_choice),
      parallelToolCalls: request.parallel_tool_calls ?? true,
      templateKwargs: Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [name, JSON.stringify(value)]),
      ),
    },
    sampling: toSampling(request),
    grammar: toGrammar(request.response_format),
    maxTokens: clampTokens(request.max_completion_tokens ?? request.max_tokens ?? null),
    stop: typeof request.stop === 'string' ? [request.stop] : (request.stop ?? []),
    priority: request.priority ?? 'normal',
    choices: request.n ?? 1,
  };
}

/** No context holds more than the engine can count. */
function clampTokens(tokens: number | null): number | null {
  return tokens === null ? null : Math.min(tokens, 2 ** 31 - 1);
}

function toSampling(request: ChatCompletionRequest): SamplingParams {
  return {
    temperature: request.temperature ?? null,
    topP: request.top_p ?? null,
    topK: request.top_k ?? null,
    minP: request.min_p ?? null,
    presencePenalty: request.presence_penalty ?? 0,
    frequencyPenalty: request.frequency_penalty ?? 0,
    repeatPenalty: request.repeat_penalty ?? 1,
    seed: request.seed == null ? null : toSeed(request.seed),
    logitBias: Object.entries(request.logit_bias ?? {}).map(([token, bias]) => {
      if (!/^\d{1,9}$/.test(token)) {
        throw invalidRequest(
          `logit_bias takes token ids as keys, such as "42"; received "${token.slice(0, 50)}".`,
          'logit_bias',
        );
      }
      return [Number(token), bias];
    }),
    logprobs: request.logprobs ? (request.top_logprobs ?? 0) : null,
  };
}

/** Seeds of the engine are 0 to this, both included; the next one up means "random" to its library. */
const MAX_SEED = 2 ** 32 - 2;

/** Any whole number → a seed of the engine, always the same one. */
function toSeed(seed: number): number {
  const seeds = MAX_SEED + 1;
  return ((seed % seeds) + seeds) % seeds;
}

/** What each parameter takes, in words; used where the schema says no. */
const EXPECTED: Record<string, string> = {
  model: 'a string',
  messages: 'a list of at least one message',
  stream: 'true or false',
  stream_options: 'an object',
  'stream_options.include_usage': 'true or false',
  max_tokens: 'a whole number of at least 1',
  max_completion_tokens: 'a whole number of at least 1',
  temperature: 'a number from 0 to 2',
  top_p: 'a number from 0 to 1',
  top_k: 'a whole number of at least 0',
  min_p: 'a number from 0 to 1',
  presence_penalty: 'a number from -2 to 2',
  frequency_penalty: 'a number from -2 to 2',
  repeat_penalty: 'a number above 0 and up to 10',
  seed: 'a whole number',
  stop: 'a string or a list of at most 4 strings, none of them empty',
  logit_bias: 'an object of token ids and numbers from -100 to 100',
  n: 'a whole number from 1 to 128',
  logprobs: 'true or false',
  top_logprobs: 'a whole number from 0 to 20',
  response_format:
    '{"type": "text"}, {"type": "json_object"} or {"type": "json_schema", "json_schema": {"schema": …}}',
  tools:
    'a list of {"type": "function", "function": {"name": …, "parameters": …}}, names of letters, digits, "_", "-" and "."',
  tool_choice:
    '"none", "auto", "required", {"type": "function", "function": {"name": …}} or {"type": "allowed_tools", …}',
  parallel_tool_calls: 'true or false',
  priority: '"interactive", "normal" or "background"',
  chat_template_kwargs: 'an object',
  'chat_template_kwargs.enable_thinking': 'true or false',
};

/** The same for the fields of one message. */
const EXPECTED_IN_MESSAGE: Record<string, string> = {
  role: '"developer", "system", "user", "assistant" or "tool"',
  content: 'a string or a list of parts with a "type"',
  name: 'a string',
  reasoning_content: 'a string',
  tool_calls:
    'a list of {"id": …, "type": "function", "function": {"name": …, "arguments": a string}}',
  tool_call_id: 'a string',
};

function fromIssue(issue: z.core.$ZodIssue | undefined, values: Record<string, unknown>): ApiError {
  const { path, expected } = culprit(issue?.path ?? []);
  const param = path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
  if (expected === undefined) {
    return invalidRequest(
      `${param || 'The body'}: ${issue?.message ?? 'not valid'}.`,
      param || null,
    );
  }
  const value = path.reduce<unknown>((at, key) => (at as never)?.[key], values);
  if (value === undefined) {
    return invalidRequest(
      `"${param}" is missing: ${expected} is needed.`,
      param,
      'missing_parameter',
    );
  }
  // An object is wrong by what is in it, which these few words cannot show.
  const received = typeof value === 'object' && value !== null ? '' : `; received ${kindOf(value)}`;
  return invalidRequest(`${param} must be ${expected}${received}.`, param);
}

/** The parameter to name: the innermost one that has words of its own, since those say what it takes as a whole. */
function culprit(path: readonly PropertyKey[]): { path: PropertyKey[]; expected?: string } {
  const [top, second, third] = path.map(String);
  if (top === 'messages' && path.length > 1) {
    const expected = third === undefined ? 'an object with a role' : EXPECTED_IN_MESSAGE[third];
    return expected === undefined ? { path: [...path] } : { path: path.slice(0, 3), expected };
  }
  for (const length of [2, 1]) {
    const expected = EXPECTED[[top, second].slice(0, length).join('.')];
    if (expected !== undefined) return { path: path.slice(0, length), expected };
  }
  return { path: [...path] };
}

/** A value in a few words: numbers and short strings as they are, all else by its kind. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string')
    return value.length <= 40 ? JSON.stringify(value) : 'a long string';
  return String(value);
}
