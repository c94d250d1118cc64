/** POST /inference/v1/generate: the body → what is to be generated and how it is to be told. */
import type { RequestPriority } from '../../protocol/engine.js';
import {
  INFERENCE_DEFAULTS,
  type InferenceRequest,
  inferenceRequestSchema,
  samplingParamsSchema,
} from '../../protocol/inference.js';
import type { GenerationInput } from '../generation/generation.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { withDefaults } from '../request/defaults.js';
import { OTHER_DIALECTS, Parameters } from '../request/parameters.js';
import { parseBody } from '../request/refusal.js';
import { toShared, toStreaming } from '../request/sampling.js';

export interface InferenceInput {
  /** Null: the client has not chosen one. */
  requestId: string | null;
  /** Null: the current model. */
  model: string | null;
  input: GenerationInput;
  stream: boolean;
  includeUsage: boolean;
  /** The usage so far in every chunk. */
  continuousUsage: boolean;
  /** Names of fields that nobody knows. */
  ignored: string[];
}

/** More tokens than any vocabulary has. */
const MOST = 2 ** 31 - 1;

const nothing = () => false;
const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;
const isNo = (value: unknown) => value === false;

const PARAMETERS = new Parameters(
  Object.keys(inferenceRequestSchema.shape),
  {
    features: { allows: nothing },
    cache_salt: {
      allows: nothing,
      hint: 'cache_salt is not available: all requests share what has been computed; one with a seed uses none of it.',
    },
    kv_transfer_params: { allows: nothing },
  },
  '',
  ['include_usage', 'continuous_usage_stats'],
);

/** What concerns the text only, of which nothing is told here, changes nothing. */
const TEXT_ONLY = [
  'detokenize',
  'skip_special_tokens',
  'spaces_between_special_tokens',
  'include_stop_str_in_output',
  'output_kind',
];

const SAMPLING = new Parameters(
  [...Object.keys(samplingParamsSchema.shape), ...TEXT_ONLY],
  {
    ...OTHER_DIALECTS,
    min_tokens: { allows: (value) => value === 0 },
    best_of: { allows: (value) => value === 1 },
    bad_words: { allows: isEmptyList },
    allowed_token_ids: { allows: nothing },
    guided_decoding: { allows: nothing },
    logits_processors: { allows: isEmptyList },
    truncate_prompt_tokens: { allows: nothing },
    thinking_token_budget: { allows: nothing },
    repetition_detection: { allows: nothing },
    extra_args: { allows: nothing },
    flat_logprobs: { allows: isNo },
  },
  'sampling_params.',
);

/** What the parameters take, in words. */
const WORDS = {
  request_id: 'a string of 1 to 256 characters',
  token_ids: 'a list of at least one token id, each a whole number of at least 0',
  sampling_params: 'an object',
  'sampling_params.max_tokens': 'a whole number of at least 1',
  'sampling_params.temperature': 'a number from 0 to 2',
  'sampling_params.top_p': 'a number from 0 to 1',
  'sampling_params.top_k': 'a whole number of at least -1',
  'sampling_params.min_p': 'a number from 0 to 1',
  'sampling_params.seed': 'a whole number',
  'sampling_params.stop': 'a string or a list of at most 4 strings, none of them empty',
  'sampling_params.stop_token_ids': 'a list of at most 1024 token ids',
  'sampling_params.ignore_eos': 'true or false',
  'sampling_params.logprobs': 'a whole number from 0 to 20',
  'sampling_params.prompt_logprobs': 'a whole number of at least -1',
  'sampling_params.n': 'a whole number from 1 to 128',
  'sampling_params.presence_penalty': 'a number from -2 to 2',
  'sampling_params.frequency_penalty': 'a number from -2 to 2',
  'sampling_params.repetition_penalty': 'a number above 0 and up to 10',
  'sampling_params.logit_bias': 'an object of token ids and numbers from -100 to 100',
  'stream_options.continuous_usage_stats': 'true or false',
  priority: 'a whole number',
};

/** @throws ApiError 400 that names the parameter. */
export function parseInferenceRequest(body: unknown): InferenceInput {
  try {
    return toInput(parseBody(inferenceRequestSchema, body, WORDS));
  } catch (error) {
    throw error instanceof ApiError ? namingTheTop(error) : error;
  }
}

function toInput(request: InferenceRequest): InferenceInput {
  const { sampling_params: params } = request;
  PARAMETERS.refuse(request);
  SAMPLING.refuse(params);
  const { stream, includeUsage } = toStreaming(request);
  const promptLogprobs = params.prompt_logprobs ?? null;
  if (stream && promptLogprobs !== null) {
    throw invalidRequest(
      'sampling_params.prompt_logprobs is not available in a stream: ask for it without "stream".',
      'prompt_logprobs',
    );
  }
  const topK = params.top_k ?? INFERENCE_DEFAULTS.top_k;
  const shared = toShared(
    {
      ...params,
      temperature: params.temperature ?? INFERENCE_DEFAULTS.temperature,
      top_p: params.top_p ?? INFERENCE_DEFAULTS.top_p,
      top_k: topK === -1 ? 0 : topK,
      min_p: params.min_p ?? INFERENCE_DEFAULTS.min_p,
      repeat_penalty: params.repetition_penalty,
      priority: toPriority(request.priority ?? 0),
      // Not in this shape: what is there under these names has not been checked.
      repeat_last_n: null,
      max_completion_tokens: null,
      speculation: null,
    },
    null,
    params.logprobs ?? null,
  );
  return {
    requestId: request.request_id ?? null,
    model: request.model ?? null,
    // The settings of the model are for chats and texts: who evaluates it asks for what it does by itself.
    input: withDefaults(
      {
        ...shared,
        prompt: { kind: 'tokens', tokenIds: request.token_ids },
        grammar: null,
        stopTokenIds: params.stop_token_ids ?? [],
        ignoreEog: params.ignore_eos ?? false,
        ...(promptLogprobs === null
          ? {}
          : { promptLogprobs: promptLogprobs === -1 ? 'all' : Math.min(promptLogprobs, MOST) }),
      },
      {},
    ),
    stream,
    includeUsage,
    continuousUsage: includeUsage && request.stream_options?.continuous_usage_stats === true,
    ignored: [...PARAMETERS.ignored(request), ...SAMPLING.ignored(params)],
  };
}

function toPriority(priority: number): RequestPriority {
  if (priority === 0) return 'normal';
  return priority < 0 ? 'interactive' : 'background';
}

const OF_SAMPLING = new Set(Object.keys(samplingParamsSchema.shape));

/** This shape's clients know a malformed parameter by the field of the body that holds it. */
export function namingTheTop(error: ApiError): ApiError {
  const { status, message, param, code, headers } = error;
  if (param === null || code === 'unsupported_parameter') return error;
  const [top = ''] = param.split(/[.[]/);
  const isSampling = OF_SAMPLING.has(top);
  return new ApiError(status, message, {
    param: isSampling ? 'sampling_params' : top,
    code,
    headers,
  });
}
