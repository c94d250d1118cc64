/** Parameters that all text-making routes share → the engine's. */
import type { GenerationParameters } from '../../protocol/generation-parameters.js';
import { invalidRequest } from '../http/errors.js';
import type { OpenInput, OpenSampling } from './defaults.js';

/** No context holds more than the engine can count. */
const MAX_TOKENS = 2 ** 31 - 1;

type Shared = Pick<
  OpenInput,
  'fallbackTokens' | 'maxTokens' | 'stop' | 'priority' | 'speculation' | 'choices' | 'sampling'
>;

/**
 * @param fallbackTokens Null: until the model ends or the context is full.
 * @param logprobs See SamplingParams.
 * @throws ApiError 400 that names the parameter.
 */
export function toShared(
  request: GenerationParameters,
  fallbackTokens: number | null,
  logprobs: number | null,
): Shared {
  const tokens = request.max_completion_tokens ?? request.max_tokens ?? null;
  return {
    sampling: toSampling(request, logprobs),
    fallbackTokens,
    maxTokens: tokens === null ? null : Math.min(tokens, MAX_TOKENS),
    stop: typeof request.stop === 'string' ? [request.stop] : (request.stop ?? []),
    priority: request.priority ?? 'normal',
    speculation: request.speculation ?? null,
    choices: request.n ?? 1,
  };
}

function toSampling(request: GenerationParameters, logprobs: number | null): OpenSampling {
  return {
    temperature: request.temperature ?? null,
    topP: request.top_p ?? null,
    topK: request.top_k ?? null,
    minP: request.min_p ?? null,
    presencePenalty: request.presence_penalty ?? null,
    frequencyPenalty: request.frequency_penalty ?? null,
    repeatPenalty: request.repeat_penalty ?? null,
    penalizedTokens: toPenalizedTokens(request.repeat_last_n),
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
    logprobs,
  };
}

function toPenalizedTokens(last: number | null | undefined): number | null {
  return last == null || last < 0 ? null : Math.min(last, MAX_TOKENS);
}

/** @throws ApiError 400 where stream_options come without a stream. */
export function toStreaming(request: Pick<GenerationParameters, 'stream' | 'stream_options'>): {
  stream: boolean;
  includeUsage: boolean;
} {
  const stream = request.stream ?? false;
  if (request.stream_options && !stream) {
    throw invalidRequest(
      'stream_options is only for requests with "stream": true.',
      'stream_options',
    );
  }
  return { stream, includeUsage: request.stream_options?.include_usage ?? false };
}

/** Seeds of the engine are 0 to this, both included; the next one up means "random" to its library. */
const MAX_SEED = 2 ** 32 - 2;

/** Any whole number → a seed of the engine, always the same one. */
function toSeed(seed: number): number {
  const seeds = MAX_SEED + 1;
  return ((seed % seeds) + seeds) % seeds;
}
