/**
 * Ollama's API (https://docs.ollama.com/api), the part of it that runs models. Durations are nanoseconds, times RFC 3339.
 * Explicit null means the default, as everywhere here.
 */
import { z } from 'zod';

/** Seconds, or a duration such as "5m"; negative: for ever; 0: leave after this request. */
const keepAlive = z.union([z.number(), z.string()]).nullish();

const model = z.string().nullish().describe('Id of a model; the tag ":latest" means nothing here.');

const toolCallSchema = z.looseObject({
  id: z.string().nullish(),
  function: z.looseObject({
    name: z.string().min(1),
    arguments: z.looseObject({}).nullish(),
  }),
});

const messageSchema = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string().nullish(),
  thinking: z.string().nullish(),
  images: z.array(z.unknown()).nullish(),
  tool_calls: z.array(toolCallSchema).nullish(),
  /** Of a tool's result: the tool. */
  tool_name: z.string().nullish(),
  /** Of a tool's result: the call, where the call had an id. */
  tool_call_id: z.string().nullish(),
});
export type OllamaMessage = z.infer<typeof messageSchema>;

const range = (min: number, max: number) => z.number().min(min).max(max).nullish();

/** What changes an answer; options about memory and hardware are the server's own business. */
export const ollamaOptionsSchema = z.looseObject({
  temperature: range(0, 2),
  top_k: z.number().int().min(0).nullish(),
  top_p: range(0, 1),
  min_p: range(0, 1),
  /** -1: a random one. */
  seed: z.number().refine(Number.isInteger).nullish(),
  /** Tokens; -1 and -2: until the model ends or the context is full. */
  num_predict: z
    .number()
    .int()
    .min(-2)
    .refine((count) => count !== 0)
    .nullish(),
  stop: z.union([z.string().min(1), z.array(z.string().min(1)).max(64)]).nullish(),
  repeat_penalty: z.number().positive().max(10).nullish(),
  presence_penalty: range(-2, 2),
  frequency_penalty: range(-2, 2),
  /** Latest tokens of the answer that penalties look at; -1: all. */
  repeat_last_n: z.number().int().min(-1).nullish(),
  num_ctx: z.number().int().min(1).nullish(),
});
export type OllamaOptions = z.infer<typeof ollamaOptionsSchema>;

/** "json", a JSON Schema, or "" for any text. */
const formatSchema = z.union([z.enum(['json', '']), z.looseObject({})]).nullish();
export type OllamaFormat = z.infer<typeof formatSchema>;

const generationShape = {
  model,
  /** True where nothing is said. */
  stream: z.boolean().nullish(),
  format: formatSchema,
  keep_alive: keepAlive,
  /** A level asks for reasoning with that effort. */
  think: z.union([z.boolean(), z.enum(['low', 'medium', 'high'])]).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  options: ollamaOptionsSchema.nullish(),
};

const generationSchema = z.looseObject(generationShape);
export type OllamaGeneration = z.infer<typeof generationSchema>;

/** POST /api/chat. */
export const ollamaChatRequestSchema = z.looseObject({
  ...generationShape,
  /** None: the model is loaded, or unloaded with a `keep_alive` of 0. */
  messages: z.array(messageSchema).nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function').default('function'),
        function: z.looseObject({
          name: z.string().regex(/^[\w.-]{1,128}$/),
          description: z.string().nullish(),
          parameters: z.looseObject({}).nullish(),
        }),
      }),
    )
    .max(512)
    .nullish(),
});

/** POST /api/generate. */
export const ollamaGenerateRequestSchema = z.looseObject({
  ...generationShape,
  /** Empty: as no messages. */
  prompt: z.string().nullish(),
  system: z.string().nullish(),
  /** The prompt goes to the model as it is, without its chat template. */
  raw: z.boolean().nullish(),
  images: z.array(z.unknown()).nullish(),
});
export type OllamaGenerateRequest = z.infer<typeof ollamaGenerateRequestSchema>;

/** POST /api/embed. */
export const ollamaEmbedRequestSchema = z.looseObject({
  model,
  input: z.union([z.string(), z.array(z.string().min(1))]),
  /** Cut what is too long at its end, else refuse it. True where nothing is said. */
  truncate: z.boolean().nullish(),
  dimensions: z.number().int().min(1).nullish(),
  keep_alive: keepAlive,
  options: z.looseObject({}).nullish(),
});

/** POST /api/embeddings, the older form. */
export const ollamaEmbeddingsRequestSchema = z.looseObject({
  model,
  prompt: z.string(),
  keep_alive: keepAlive,
  options: z.looseObject({}).nullish(),
});

/** POST /api/show and /api/pull. `name` is the older word for `model`. */
export const ollamaModelRequestSchema = z.looseObject({
  model,
  name: z.string().nullish(),
  stream: z.boolean().nullish(),
});

export const ollamaErrorSchema = z.object({ error: z.string() });

const metricsShape = {
  done_reason: z.enum(['stop', 'length', 'load', 'unload']),
  /** From the request to the end of its answer. */
  total_duration: z.number().int(),
  /** Of it, waiting for the model. */
  load_duration: z.number().int(),
  prompt_eval_count: z.number().int(),
  prompt_eval_duration: z.number().int(),
  eval_count: z.number().int(),
  eval_duration: z.number().int(),
};

const logprobShape = {
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.number().int()),
};

const chunkShape = {
  model: z.string(),
  created_at: z.iso.datetime(),
  done: z.boolean(),
  logprobs: z
    .array(z.object({ ...logprobShape, top_logprobs: z.array(z.object(logprobShape)) }))
    .optional(),
};

const metricsSchema = z.object(metricsShape);
export type OllamaMetrics = z.infer<typeof metricsSchema>;

const answerMessageSchema = z.object({
  role: z.literal('assistant'),
  content: z.string(),
  thinking: z.string().optional(),
  /** Whole calls. */
  tool_calls: z
    .array(z.object({ function: z.object({ name: z.string(), arguments: z.looseObject({}) }) }))
    .optional(),
});
export type OllamaAnswerMessage = z.infer<typeof answerMessageSchema>;

/** A line of a chat's stream; the last one, and an answer in one piece, has `done: true` and the metrics. */
export const ollamaChatChunkSchema = z.object({
  ...chunkShape,
  message: answerMessageSchema,
  ...metricsSchema.partial().shape,
});
export type OllamaChatChunk = z.infer<typeof ollamaChatChunkSchema>;

/** The same of /api/generate. */
export const ollamaGenerateChunkSchema = z.object({
  ...chunkShape,
  response: z.string(),
  thinking: z.string().optional(),
  ...metricsSchema.partial().shape,
});
export type OllamaGenerateChunk = z.infer<typeof ollamaGenerateChunkSchema>;

export const ollamaEmbedAnswerSchema = z.object({
  model: z.string(),
  embeddings: z.array(z.array(z.number())),
  total_duration: z.number().int(),
  load_duration: z.number().int(),
  prompt_eval_count: z.number().int(),
});
export type OllamaEmbedAnswer = z.infer<typeof ollamaEmbedAnswerSchema>;

/** POST /api/embeddings. */
export const ollamaEmbeddingsAnswerSchema = z.object({ embedding: z.array(z.number()) });
export type OllamaEmbeddingsAnswer = z.infer<typeof ollamaEmbeddingsAnswerSchema>;

const detailsSchema = z.object({
  parent_model: z.string(),
  format: z.literal('gguf'),
  family: z.string(),
  families: z.array(z.string()),
  /** Such as "4.0B". */
  parameter_size: z.string(),
  /** Such as "Q4_K_M", or "unknown". */
  quantization_level: z.string(),
});
export type OllamaDetails = z.infer<typeof detailsSchema>;

const modelShape = {
  name: z.string(),
  model: z.string(),
  /** Bytes: of the files, or of the memory that a loaded model takes. */
  size: z.number().int(),
  /** Changes with the file; not a hash of its bytes. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  details: detailsSchema,
};

/** GET /api/tags. */
export const ollamaTagsSchema = z.object({
  models: z.array(z.object({ ...modelShape, modified_at: z.iso.datetime() })),
});
export type OllamaTags = z.infer<typeof ollamaTagsSchema>;

/** GET /api/ps. */
export const ollamaPsSchema = z.object({
  models: z.array(
    z.object({
      ...modelShape,
      expires_at: z.iso.datetime(),
      size_vram: z.number().int(),
      context_length: z.number().int(),
    }),
  ),
});
export type OllamaPs = z.infer<typeof ollamaPsSchema>;

export const ollamaShowSchema = z.object({
  license: z.string(),
  modelfile: z.string(),
  parameters: z.string(),
  /** Jinja. */
  template: z.string(),
  system: z.string(),
  details: detailsSchema,
  messages: z.array(messageSchema),
  /** The metadata of the file; lists are null. */
  model_info: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  capabilities: z.array(z.enum(['completion', 'tools', 'thinking', 'embedding'])),
  modified_at: z.iso.datetime(),
});
export type OllamaShow = z.infer<typeof ollamaShowSchema>;

export const ollamaProgressSchema = z.object({ status: z.string() });

export const ollamaVersionSchema = z.object({
  /** Of Ollama: the one whose API this one follows. */
  version: z.string(),
  /** The server's own. */
  pilotlight: z.string(),
});
