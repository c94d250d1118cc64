/** POST /api/chat and /api/generate: the body → what is to be generated and how it is to be told. */
import type { Grammar, Prompt } from '../../protocol/engine.js';
import {
  type OllamaFormat,
  type OllamaGenerateRequest,
  type OllamaGeneration,
  ollamaChatRequestSchema,
  ollamaGenerateRequestSchema,
} from '../../protocol/ollama.js';
import type { WireChatMessage, WireTool } from '../../protocol/openai.js';
import { invalidRequest } from '../http/errors.js';
import { toConversation } from '../openai/messages.js';
import { toToolUse } from '../openai/tools.js';
import type { OpenInput } from '../request/defaults.js';
import { parseBody } from '../request/refusal.js';
import { toShared } from '../request/sampling.js';
import { toSchemaGrammar } from '../request/schema.js';
import { toTemplateVariables } from '../request/template-variables.js';
import { thinkingWishes, type Wishes } from '../request/wishes.js';
import { toTtl } from './keep-alive.js';
import { readImages, toWireMessages, withImages } from './messages.js';
import { checkOptions, MESSAGE_WORDS, PARAMETERS, WORDS } from './parameters.js';

/** What Ollama's own default says. */
const RANDOM_SEED = -1;

export interface OllamaRequest {
  /** As the client wrote it; '' where it named none. */
  name: string;
  /** Null: nothing to write; the model is loaded, or unloaded. */
  input: OpenInput | null;
  stream: boolean;
  /** Names of fields that nobody knows. */
  ignored: string[];
  wishes: Wishes;
}

/** @throws ApiError 400 that names the parameter. */
export function parseOllamaChat(body: unknown): OllamaRequest {
  const request = parseBody(ollamaChatRequestSchema, body, WORDS, MESSAGE_WORDS);
  const messages = toWireMessages(request.messages ?? []);
  const prompt =
    messages.length === 0 ? null : toChat(request, messages, (request.tools ?? []) as WireTool[]);
  return { ...toRequest(request, prompt), ignored: ignoredIn('chat', request) };
}

/** @throws ApiError 400 that names the parameter. */
export function parseOllamaGenerate(body: unknown): OllamaRequest {
  const request = parseBody(ollamaGenerateRequestSchema, body, WORDS);
  PARAMETERS.generate.refuse(request);
  const { prompt: text, system, raw } = request;
  if (raw) refuseWithRaw(request);
  return {
    ...toRequest(request, text ? toPrompt(request, text, system ?? '') : null),
    ignored: ignoredIn('generate', request),
  };
}

function ignoredIn(route: 'chat' | 'generate', request: OllamaGeneration): string[] {
  return [...PARAMETERS[route].ignored(request), ...checkOptions(request.options ?? {})];
}

function refuseWithRaw({ system, think, images }: OllamaGenerateRequest): void {
  const given = system ? 'system' : think ? 'think' : images?.length ? 'images' : null;
  if (given === null) return;
  throw invalidRequest(
    `${given} is not possible with raw, which sends the prompt to the model as it is.`,
    given,
    'unsupported_parameter',
  );
}

function toPrompt(request: OllamaGenerateRequest, text: string, system: string): Prompt {
  if (request.raw) return { kind: 'text', text };
  const images = readImages(request.images, 'images');
  return toChat(request, [
    ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
    { role: 'user', content: images.length === 0 ? text : withImages(text, images) },
  ]);
}

function toChat(
  { think }: OllamaGeneration,
  messages: readonly WireChatMessage[],
  tools: readonly WireTool[] = [],
): Prompt {
  return {
    kind: 'chat',
    ...toConversation(messages),
    ...toTemplateVariables(toEffort(think), null),
    ...toToolUse(tools, null, true),
  };
}

function toEffort(think: OllamaGeneration['think']): string | null {
  if (think === false) return 'none';
  return typeof think === 'string' ? think : null;
}

function toRequest(request: OllamaGeneration, prompt: Prompt | null) {
  if (request.top_logprobs != null && !request.logprobs) {
    throw invalidRequest(
      'top_logprobs is only for requests with "logprobs": true.',
      'top_logprobs',
    );
  }
  const options = request.options ?? {};
  const { num_predict: limit, seed } = options;
  const shared = toShared(
    {
      temperature: options.temperature,
      top_k: options.top_k,
      top_p: options.top_p,
      min_p: options.min_p,
      seed: seed === RANDOM_SEED ? null : seed,
      max_tokens: limit == null || limit < 0 ? null : limit,
      stop: options.stop,
      repeat_penalty: options.repeat_penalty,
      repeat_last_n: options.repeat_last_n,
      presence_penalty: options.presence_penalty,
      frequency_penalty: options.frequency_penalty,
    },
    null,
    request.logprobs ? (request.top_logprobs ?? 0) : null,
  );
  return {
    name: request.model ?? '',
    input: prompt === null ? null : { prompt, grammar: toGrammar(request.format), ...shared },
    stream: request.stream ?? true,
    wishes: toWishes(request),
  };
}

function toWishes({ think, options, keep_alive: keepAlive }: OllamaGeneration): Wishes {
  const tokens = options?.num_ctx ?? null;
  return {
    ...thinkingWishes({ think: think === true || typeof think === 'string' }),
    ttl: toTtl(keepAlive),
    context: tokens === null ? null : { field: 'options.num_ctx', tokens },
  };
}

function toGrammar(format: OllamaFormat): Grammar | null {
  if (!format) return null;
  if (format === 'json') return { kind: 'json_object' };
  return toSchemaGrammar(format, 'format');
}
