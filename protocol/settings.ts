/** What the person sets, for all models and for one. One configuration: window, tray, command line and API change it. */
import { z } from 'zod';
import { chatSettingsSchema } from './chat-settings.js';
import { KV_TYPES, ON_OFF_AUTO, SPECULATION } from './engine-load.js';
import { PREFERENCE_DEFAULTS, preferencesSchema } from './preferences.js';
import { samplingDefaultsSchema } from './sampling-defaults.js';

/** Longest time a model may rest, seconds: a year, since timers and dates end somewhere. */
export const IDLE_TTL_MAX = 31_536_000;

/** A day: clients give up long before. */
const MEMORY_WAIT_MAX = 86_400;

/** Name or IPv4 address and port of an RPC worker. */
export const RPC_HOST = /^([a-zA-Z0-9](?:[a-zA-Z0-9._-]{0,251}[a-zA-Z0-9])?):(\d{1,5})$/;

/** A DNS name or an IP address as it stands in a URL. */
export const HOST_NAME = /^(\[[0-9a-f:.]+\]|[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?)$/i;
/** Also of programs that are web pages inside, such as "app://obsidian.md". */
export const ORIGIN = /^(\*|[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*]+)$/i;

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
  chat_defaults: chatSettingsSchema
    .partial()
    .describe('How new chats ask their model; what is left out is as the model has it.'),
  preferences: preferencesSchema,
  api_enabled: z
    .boolean()
    .describe("False: programs are refused with 503. The person's own window goes on."),
  host: z
    .string()
    .regex(HOST_NAME)
    .describe(
      'Address to serve on: 127.0.0.1 for this machine only, 0.0.0.0 for every network, which needs a key.',
    ),
  port: z.number().int().min(1).max(65535),
  allowed_hosts: z
    .array(z.string().regex(HOST_NAME))
    .max(100)
    .describe('Further names in the Host header that mean this server, without a port.'),
  allowed_origins: z
    .array(z.string().regex(ORIGIN))
    .max(100)
    .describe('Origins whose web pages may use the server; "*", all of them, needs a key.'),
});
export type ServerSettings = z.infer<typeof settingsSchema>;

export const SETTING_DEFAULTS: ServerSettings = {
  models_dir: null,
  folders: [],
  sources: { lm_studio: true, hugging_face: true, llama_cpp: true, ollama: true },
  memory_budget_bytes: null,
  // An hour: long enough for a break, and gigabytes are free again when the work of the day is done.
  idle_ttl: 3600,
  // Five minutes: half of what OpenAI's clients wait for an answer.
  memory_wait: 300,
  hub_endpoint: null,
  rpc_hosts: [],
  chat_defaults: {},
  preferences: PREFERENCE_DEFAULTS,
  api_enabled: true,
  host: '127.0.0.1',
  port: 7411,
  allowed_hosts: [],
  allowed_origins: [],
};

/** GET /pilotlight/about. */
export const aboutSchema = z.object({
  version: z.string(),
  data_dir: z
    .string()
    .describe('Absolute path of the folder with settings, keys and the database.'),
});
export type About = z.infer<typeof aboutSchema>;

/**
 * `not_absolute`: no path from the root of a drive. `full`: next to nothing fits, which hinders nobody from having it.
 * `missing`: also where its drive is not connected.
 */
const folderProblemSchema = z.enum([
  'not_absolute',
  'missing',
  'not_a_folder',
  'not_readable',
  'not_writable',
  'full',
]);
export type FolderProblem = z.infer<typeof folderProblemSchema>;

/** POST /pilotlight/models-folder/check: whether models can be kept in a folder. Changes nothing. */
export const checkFolderSchema = z.strictObject({
  path: z.string().min(1).max(4096).nullable().describe('Null: the models folder as it is now.'),
});

export const folderCheckSchema = z.object({
  path: z.string(),
  problem: folderProblemSchema.nullable(),
  free_bytes: z.number().int().nullable().describe('Of its drive; null where it does not say.'),
  default_path: z.string().describe('The folder where the settings name none.'),
  is_fixed: z
    .boolean()
    .describe('It was named for this start, so that the settings do not move it.'),
});
export type FolderCheck = z.infer<typeof folderCheckSchema>;

/** Of the preferences, too, it changes what it names only. */
export const settingsPatchSchema = settingsSchema
  .partial()
  .extend({ preferences: preferencesSchema.partial().optional() });
export type SettingsPatch = z.infer<typeof settingsPatchSchema>;
