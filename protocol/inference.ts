/**
 * POST /inference/v1/generate: token ids in, token ids out, for those who evaluate and train models. The shape is vLLM's
 * (vllm/entrypoints/serve/disagg), and so are the defaults: a token is drawn from the model's own distribution unless
 * something else is asked for.
 */
import { z } from 'zod';
import { generationShape } from './generation-parameters.js';
import { finishReasonSchema, tokenLogprobSchema, usageSchema } from './openai.js';
import { tokenId } from './tokens.js';

const { max_tokens, temperature, top_p, min_p, presence_penalty, frequency_penalty } =
  generationShape;
const { seed, stop, logit_bias, n } = generationShape;

/** What sampling_params leave open, as vLLM's SamplingParams have it. */
export const INFERENCE_DEFAULTS = { temperature: 1, top_p: 1, top_k: 0, min_p: 0 } as const;

/** Ends of a text by token id; shared with POST /v1/generate. */
export const tokenEndShape = {
  stop_token_ids: z
    .array(tokenId)
    .max(1024)
    .nullish()
    .describe('Each ends the text; it is a token of the answer and has no text of its own.'),
  ignore_eos: z
    .boolean()
    .nullish()
    .describe('End-of-generation tokens do not end the text, and are tokens of the answer.'),
};

export const samplingParamsSchema = z.looseObject({
  max_tokens: max_tokens.describe('Default: as many as the context has room for.'),
  temperature: temperature.describe('Default 1.'),
  top_p: top_p.describe('Default 1: all tokens.'),
  top_k: z.number().int().min(-1).nullish().describe('-1, 0 and the default: all tokens.'),
  min_p: min_p.describe('Default 0: all tokens.'),
  seed,
  stop,
  ...tokenEndShape,
  logprobs: z
    .number()
    .int()
    .min(0)
    .max(20)
    .nullish()
    .describe("Each token's own log probability, and that many of the most likely tokens'."),
  prompt_logprobs: z
    .number()
    .int()
    .min(-1)
    .nullish()
    .describe(
      "The log probability of each token of the prompt, and that many of the most likely tokens'; -1: of the whole " +
        'vocabulary. Not in a stream; at most 1,000,000 in one answer. Such a prompt is computed whole.',
    ),
  n,
  presence_penalty,
  frequency_penalty,
  repetition_penalty: generationShape.repeat_penalty.describe(
    'Default 1. Looks at the answer so far and not at the prompt.',
  ),
  logit_bias,
});

export const inferenceRequestSchema = z.looseObject({
  request_id: z.string().min(1).max(256).nullish().describe('Told back; else a new one.'),
  model: generationShape.model,
  token_ids: z.array(tokenId).min(1).describe('The prompt, as the model gets it.'),
  sampling_params: samplingParamsSchema,
  stream: generationShape.stream,
  stream_options: z
    .looseObject({
      include_usage: z.boolean().nullish(),
      continuous_usage_stats: z
        .boolean()
        .nullish()
        .describe('With include_usage: the usage so far in every chunk.'),
    })
    .nullish(),
  priority: z
    .number()
    .int()
    .nullish()
    .describe('Below 0: before others; above 0: after them. Default 0.'),
  ttl: generationShape.ttl,
});
export type InferenceRequest = z.infer<typeof inferenceRequestSchema>;

/** `token` is "token_id:" and the id, which tells tokens with the same text apart. */
const logprobsSchema = z.object({ content: z.array(tokenLogprobSchema) });
export type InferenceLogprobs = z.infer<typeof logprobsSchema>;

const choiceShape = {
  index: z.number().int(),
  token_ids: z.array(tokenId),
  logprobs: logprobsSchema.nullable(),
};

const promptLogprobSchema = z.object({
  logprob: z.number().describe('-9999 where the token cannot come.'),
  rank: z.number().int().min(1).describe('1: the most likely token of the vocabulary.'),
  decoded_token: z.string(),
});

const promptLogprobsSchema = z
  .array(z.record(z.string(), promptLogprobSchema).nullable())
  .describe(
    'Only where asked for. Null for the first token of the prompt; for each other one an object by token ids, first ' +
      "the prompt's own token, then the most likely ones.",
  );

export const inferenceUsageSchema = usageSchema.partial({ prompt_tokens_details: true });
export type InferenceUsage = z.infer<typeof inferenceUsageSchema>;

export const inferenceAnswerSchema = z.object({
  request_id: z.string(),
  choices: z.array(z.object({ ...choiceShape, finish_reason: finishReasonSchema })),
  prompt_logprobs: promptLogprobsSchema.nullable(),
  usage: inferenceUsageSchema,
});
export type InferenceAnswer = z.infer<typeof inferenceAnswerSchema>;

/** What a stream is made of. */
export const inferenceChunkSchema = z.object({
  request_id: z.string(),
  choices: z
    .array(z.object({ ...choiceShape, finish_reason: finishReasonSchema.nullable() }))
    .describe('Empty in the last chunk, which has the usage.'),
  usage: inferenceUsageSchema
    .nullable()
    .optional()
    .describe('Only with stream_options.include_usage.'),
});
export type InferenceChunk = z.infer<typeof inferenceChunkSchema>;
