/** What the person sets, for all models and for one. One configuration: window, tray, command line and API change it. */
import { z } from 'zod';
import { KV_TYPES, ON_OFF_AUTO, SPECULATION } from './engine-load.js';

/** Longest time a model may rest, seconds: a year, since timers and dates end somewhere. */
export const IDLE_TTL_MAX = 31_536_000;

/** A day: clients give up long before. */
const MEMORY_WAIT_MAX = 86_400;

/** Name or IPv4 address and port of an RPC worker. */
export const RPC_HOST = /^([a-zA-Z0-9](?:[a-zA-Z0-9._-]{0,251}[a-zA-Z0-9])?):(\d{1,5})$/;

/** Values of requests that leave them open; the model's file comes after these. Ranges as in chat completions. */
export const samplingDefaultsSchema = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.number().int().min(0).optional().describe('0: all tokens.'),
  min_p: z.number().min(0).max(1).optional(),
  presence_penalty: z.number().min(-2).max(2).optional(),
  frequency_penalty: z.number().min(-2).max(2).optional(),
  repeat_penalty: z.number().positive().max(10).optional(),
  max_tokens: z.number().int().min(1).optional(),
});
export type SamplingDefaults = z.infer<typeof samplingDefaultsSchema>;

/** Of one model. What is left out is chosen by the server: from its own options, the file and the memory there is. */
export const modelSettingsSchema = z.strictObject({
  aliases: z
    .array(z.string().min(1).max(200))
    .max(20)
    .optional()
    .describe('Further names for the API, such as "gpt-4o". A name means one model only.'),
  context_length: z.number().int().min(1).optional().describe('Tokens of each request.'),
  parallel: z.number().int().min(1).max(256).optional().describe('Requests at the same time.'),
  threads: z.number().int().min(1).max(512).optional(),
  gpu_layers: z.number().int().min(0).optional(),
  kv_type_k: z.enum(KV_TYPES).optional(),
  kv_type_v: z.enum(KV_TYPES).optional(),
  flash_attention: z.enum(ON_OFF_AUTO).optional(),
  unified_kv: z.enum(ON_OFF_AUTO).optional(),
  rpc: z
    .enum(ON_OFF_AUTO)
    .optional()
    .describe(
      'Whether layers lie on the RPC workers of rpc_hosts; auto: only where the model does not fit this machine.',
    ),
  speculation: z.enum(SPECULATION).optional(),
  draft_model: z.string().min(1).optional().describe('Id of a small model of the same family.'),
  ttl: z
    .number()
    .int()
    .min(0)
    .max(IDLE_TTL_MAX)
    .nullable()
    .optional()
    .describe('Seconds without a request until it leaves memory; null: never; 0: at once.'),
  pinned: z.boolean().optional().describe('Never makes room for another model.'),
  sampling: samplingDefaultsSchema.optional(),
  system_prompt: z
    .string()
    .max(1_000_000)
    .optional()
    .describe('Of chats that bring none of their own.'),
});
export type ModelSettings = z.infer<typeof modelSettingsSchema>;

/** Folders of other programs in which models are looked for; nothing there is ever changed. */
export const foreignSourcesSchema = z.strictObject({
  lm_studio: z.boolean(),
  hugging_face: z.boolean(),
  llama_cpp: z.boolean(),
  ollama: z.boolean(),
});
export type ForeignSources = z.infer<typeof foreignSourcesSchema>;

/** GET /pilotlight/settings. PATCH takes any of the keys, and answers with all. */
export const settingsSchema = z.strictObject({
  models_dir: z
    .string()
    .min(1)
    .nullable()
    .describe('Absolute path of the models folder; null: "models" in the data folder.'),
  folders: z.array(z.string().min(1)).max(100).describe('Further folders, absolute paths.'),
  sources: foreignSourcesSchema,
  memory_budget_bytes: z
    .number()
    .int()
    .min(0)
    .nullable()
    .describe('What all loaded models may take together; null: what the system has free.'),
  idle_ttl: z
    .number()
    .int()
    .min(0)
    .max(IDLE_TTL_MAX)
    .nullable()
    .describe('Seconds without a request until a model leaves memory; null: never.'),
  memory_wait: z
    .number()
    .int()
    .min(1)
    .max(MEMORY_WAIT_MAX)
    .describe(
      "Seconds that a request waits at most while other models' answers hold the memory that its model needs.",
    ),
  hub_endpoint: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .describe(
      "A mirror of Hugging Face; null: HF_ENDPOINT of the environment, else the hub's own.",
    ),
  rpc_hosts: z
    .array(z.string().regex(RPC_HOST, 'must be host:port, such as "10.0.0.2:50052"'))
    .max(64)
    .describe(
      '"host:port" of RPC workers over which models are spread that are too big for this machine.',
    ),
});
export type ServerSettings = z.infer<typeof settingsSchema>;

export const settingsPatchSchema = settingsSchema.partial();
export type SettingsPatch = z.infer<typeof settingsPatchSchema>;
