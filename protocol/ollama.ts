/**
 * Ollama's API (https://docs.ollama.com/api), the part of it that runs models. Durations are nanoseconds, times RFC 3339.
 * Explicit null means the default, as everywhere here.
 */
import { z } from 'zod';

const keepAlive = z
  .union([z.number(), z.string()])
  .nullish()
  .describe(
    'Seconds without a request after which the model leaves memory, or a duration such as "5m", until it has left. 0: ' +
      'after this request; below 0: never by itself.',
  );

const NAMES = 'In its id ":" may stand for "-", and the tag ":latest" means nothing.';

const model = z.string().nullish().describe(`Which model; null and "": the current one. ${NAMES}`);

const embeddingModel = z
  .string()
  .nullish()
  .describe(`Which model; null and "": the first one that is made for embeddings. ${NAMES}`);

const images = z
  .array(z.unknown())
  .nullish()
  .describe(
    'PNG, JPEG or GIF files in base64, for a model with the capability "vision"; of the user.',
  );

const toolCallSchema = z.looseObject({
  id: z.string().nullish().describe('By which a result can name the call. Null: by its place.'),
  function: z
    .looseObject({
      name: z.string().min(1).describe('Of the tool.'),
      arguments: z.looseObject({}).nullish().describe('Null: none.'),
    })
    .describe('What was called.'),
});

const messageSchema = z.looseObject({
  role: z
    .enum(['system', 'user', 'assistant', 'tool'])
    .describe('Who says it; "tool": it is the result of a call.'),
  content: z.string().nullish().describe('Its text. Null: none.'),
  thinking: z.string().nullish().describe('What the assistant thought before.'),
  images,
  tool_calls: z.array(toolCallSchema).nullish().describe('Calls that the assistant made.'),
  tool_name: z
    .string()
    .nullish()
    .describe('Of a result: the tool. Null: that of the oldest call without a result.'),
  tool_call_id: z.string().nullish().describe('Of a result: the call, where the call had an id.'),
});
export type OllamaMessage = z.infer<typeof messageSchema>;

const range = (min: number, max: number) => z.number().min(min).max(max).nullish();

const FILE_OR = "Default: what the model's file recommends, else";

/** What changes an answer; options about memory and hardware are the server's own business. */
export const ollamaOptionsSchema = z.looseObject({
  temperature: range(0, 2).describe(
    `How freely tokens are chosen, from 0 (always the likeliest) to 2. ${FILE_OR} 0.8.`,
  ),
  top_k: z
    .number()
    .int()
    .min(0)
    .nullish()
    .describe(`Only this many of the likeliest tokens; 0: all. ${FILE_OR} 40.`),
  top_p: range(0, 1).describe(
    `Only the likeliest tokens, until their probabilities add up to this, from 0 to 1; 1: all. ${FILE_OR} 0.95.`,
  ),
  min_p: range(0, 1).describe(
    `Only tokens at least this times as likely as the likeliest one, from 0 to 1; 0: all. ${FILE_OR} 0.05.`,
  ),
  seed: z
    .number()
    .refine(Number.isInteger)
    .nullish()
    .describe('Where chance begins: any whole number. -1 and null: somewhere else each time.'),
  num_predict: z
    .number()
    .int()
    .min(-2)
    .refine((count) => count !== 0)
    .nullish()
    .describe(
      'The most tokens of the answer, thinking included: at least 1. -1, -2 and null: until the model ends or the ' +
        'context is full.',
    ),
  stop: z
    .union([z.string().min(1), z.array(z.string().min(1)).max(64)])
    .nullish()
    .describe(
      'A text, or up to 64 of them, at which the answer ends; it is left out of the answer.',
    ),
  repeat_penalty: z
    .number()
    .positive()
    .max(10)
    .nullish()
    .describe(
      'Makes tokens that were there less likely, below 1 likelier: above 0 and up to 10. Default 1: neither.',
    ),
  presence_penalty: range(-2, 2).describe(
    'Taken from the logit of each token that was there: from -2 to 2. Default 0.',
  ),
  frequency_penalty: range(-2, 2).describe(
    'Taken from the logit of a token each time that it was there: from -2 to 2. Default 0.',
  ),
  repeat_last_n: z
    .number()
    .int()
    .min(-1)
    .nullish()
    .describe('The latest tokens of the answer that penalties look at; 0: none; -1 and null: all.'),
  num_ctx: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe(
      'Tokens of context. Changes nothing: a model has the context with which it was loaded, and what does not fit in ' +
        'is refused.',
    ),
});
export type OllamaOptions = z.infer<typeof ollamaOptionsSchema>;

const formatSchema = z
  .union([z.enum(['json', '']), z.looseObject({})])
  .nullish()
  .describe(
    '"json": any JSON object; an object: the JSON Schema of the answer; "" and null: text.',
  );
export type OllamaFormat = z.infer<typeof formatSchema>;

const generationShape = {
  model,
  stream: z
    .boolean()
    .nullish()
    .describe('As lines of JSON while it is written, else as one object. Default true.'),
  format: formatSchema,
  keep_alive: keepAlive,
  think: z
    .union([z.boolean(), z.enum(['low', 'medium', 'high'])])
    .nullish()
    .describe(
      'Whether a model that can think does so before its answer, or with which effort. Default true.',
    ),
  logprobs: z
    .boolean()
    .nullish()
    .describe('Tell the log probability of each token of the answer. Default false.'),
  top_logprobs: z
    .number()
    .int()
    .min(0)
    .max(20)
    .nullish()
    .describe(
      'With logprobs: tell this many of the likeliest tokens too, from 0 to 20. Default 0.',
    ),
  options: ollamaOptionsSchema
    .nullish()
    .describe('How tokens are chosen. Options about memory and hardware change nothing.'),
};

const generationSchema = z.looseObject(generationShape);
export type OllamaGeneration = z.infer<typeof generationSchema>;

/** POST /api/chat. */
export const ollamaChatRequestSchema = z.looseObject({
  ...generationShape,
  messages: z
    .array(messageSchema)
    .nullish()
    .describe('The conversation. None: the model is loaded, or unloaded with a keep_alive of 0.'),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function').default('function').describe('There are no others.'),
        function: z
          .looseObject({
            name: z
              .string()
              .regex(/^[\w.-]{1,128}$/)
              .describe('1 to 128 letters, digits, "_", "-" and ".".'),
            description: z.string().nullish().describe('For the model: what it is good for.'),
            parameters: z
              .looseObject({})
              .nullish()
              .describe('The JSON Schema of its arguments. Null: any object.'),
          })
          .describe('The function.'),
      }),
    )
    .max(512)
    .nullish()
    .describe('What the model may call: up to 512 functions.'),
});

/** POST /api/generate. */
export const ollamaGenerateRequestSchema = z.looseObject({
  ...generationShape,
  prompt: z
    .string()
    .nullish()
    .describe('What the user says. None: the model is loaded, or unloaded with a keep_alive of 0.'),
  system: z.string().nullish().describe('A system message before the prompt. Not with raw.'),
  raw: z
    .boolean()
    .nullish()
    .describe('The model reads the prompt as it is, without its chat template. Default false.'),
  images,
});
export type OllamaGenerateRequest = z.infer<typeof ollamaGenerateRequestSchema>;

const embedOptions = z
  .looseObject({})
  .nullish()
  .describe('Change nothing: vectors have no options.');

/** POST /api/embed. */
export const ollamaEmbedRequestSchema = z.looseObject({
  model: embeddingModel,
  input: z
    .union([z.string(), z.array(z.string().min(1))])
    .describe(
      'A text, or a list of texts that are not empty. "" and []: the model is loaded, or unloaded with a keep_alive of 0.',
    ),
  truncate: z
    .boolean()
    .nullish()
    .describe('Cut what is too long for the model at its end, else refuse it. Default true.'),
  dimensions: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe(
      'Only the first numbers of each vector, brought back to length 1: from 1 to as many as the model has. Null: all.',
    ),
  keep_alive: keepAlive,
  options: embedOptions,
});

/** POST /api/embeddings, the older form. */
export const ollamaEmbeddingsRequestSchema = z.looseObject({
  model: embeddingModel,
  prompt: z
    .string()
    .describe(
      'A text, which is cut at its end where it is too long. "": the model is loaded, or unloaded with a keep_alive of 0.',
    ),
  keep_alive: keepAlive,
  options: embedOptions,
});

/** POST /api/show and /api/pull, DELETE /api/delete. */
export const ollamaModelRequestSchema = z.looseObject({
  model: z
    .string()
    .nullish()
    .describe(
      `Which model. /api/show: null and "": the current one. /api/pull: also one of Hugging Face, such as "hf.co/OWNER/NAME:Q4_K_M". ${NAMES}`,
    ),
  name: z.string().nullish().describe('The older word for model.'),
  stream: z
    .boolean()
    .nullish()
    .describe('/api/pull: as lines of JSON, else as one object. Default true.'),
});
export type OllamaModelRequest = z.infer<typeof ollamaModelRequestSchema>;

export const ollamaErrorSchema = z.object({ error: z.string() });

const metricsShape = {
  done_reason: z.enum(['stop', 'length', 'load', 'unload']),
  total_duration: z
    .number()
    .int()
    .describe('Nanoseconds, from the request to the end of its answer.'),
  load_duration: z.number().int().describe('Nanoseconds of it, waiting for the model.'),
  prompt_eval_count: z.number().int().describe('Tokens of the prompt.'),
  prompt_eval_duration: z
    .number()
    .int()
    .describe('Nanoseconds to read the prompt, waiting left out.'),
  eval_count: z.number().int().describe('Tokens of the answer.'),
  eval_duration: z.number().int().describe('Nanoseconds from there to the end.'),
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
  capabilities: z.array(z.enum(['completion', 'tools', 'thinking', 'vision', 'embedding'])),
  modified_at: z.iso.datetime(),
});
export type OllamaShow = z.infer<typeof ollamaShowSchema>;

/** A line of a pull. */
export const ollamaProgressSchema = z.object({
  status: z.string().describe('A stage, or "pulling" and the begin of a digest.'),
  digest: z.string().optional().describe('Of the file that comes: "sha256:" and hex.'),
  total: z.number().int().optional().describe('Its bytes.'),
  completed: z.number().int().optional().describe('Those that are there.'),
});
export type OllamaProgress = z.infer<typeof ollamaProgressSchema>;

/** DELETE /api/delete. */
export const ollamaDeletedSchema = z.object({});

export const ollamaVersionSchema = z.object({
  /** Of Ollama: the one whose API this one follows. */
  version: z.string(),
  /** The server's own. */
  pilotlight: z.string(),
});
