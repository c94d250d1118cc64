/**
 * POST /inference/v1/generate: token ids in, token ids out, for those who evaluate and train models. The shape is vLLM's
 * (vllm/entrypoints/serve/disagg); what is left open has the defaults of this server's other routes.
 */
import { z } from 'zod';
import { generationShape } from './generation-parameters.js';
import { finishReasonSchema, tokenLogprobSchema, usageSchema } from './openai.js';
import { tokenId } from './tokens.js';

const { max_tokens, temperature, top_p, min_p, presence_penalty, frequency_penalty } =
  generationShape;
const { seed, stop, logit_bias, n } = generationShape;

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
  max_tokens,
  temperature,
  top_p,
  top_k: z.number().int().min(-1).nullish().describe('-1 and 0: all tokens.'),
  min_p,
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
  prompt_logprobs: z.number().int().min(-1).nullish().describe('Not available: only null.'),
  n,
  presence_penalty,
  frequency_penalty,
  repetition_penalty: generationShape.repeat_penalty,
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

export const inferenceUsageSchema = usageSchema.partial({ prompt_tokens_details: true });
export type InferenceUsage = z.infer<typeof inferenceUsageSchema>;

export const inferenceAnswerSchema = z.object({
  request_id: z.string(),
  choices: z.array(z.object({ ...choiceShape, finish_reason: finishReasonSchema })),
  prompt_logprobs: z.null(),
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
