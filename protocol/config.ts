/** How a server is started: by the command line, or by the desktop app. */
import { z } from 'zod';
import { KV_TYPES, ON_OFF_AUTO, SPECULATION } from './engine-load.js';
import { HOST_NAME, ORIGIN, RPC_HOST, SETTING_DEFAULTS } from './settings.js';

export const DEFAULT_HOST = SETTING_DEFAULTS.host;
export const DEFAULT_PORT = SETTING_DEFAULTS.port;
/** llama.cpp's own. */
export const DEFAULT_RPC_PORT = 50_052;
export const DEFAULT_PARALLEL = 16;
/** A year, and some more to look back at it. */
export const DEFAULT_LEDGER_DAYS = 400;

export const serverConfigSchema = z.strictObject({
  /** Address to bind; null: that of the settings. Anything but a loopback address needs keys. */
  host: z.string().min(1).nullable().default(null),
  /** 0: any free port; null: that of the settings. A taken port is reported and the next free one is used. */
  port: z.number().int().min(0).max(65535).nullable().default(null),
  /** Where it was before it was started again, which goes before the settings; null: nowhere. */
  portBefore: z.number().int().min(1).max(65535).nullable().default(null),
  /** Folder of the person's model files; made when it is missing. */
  modelsDir: z.string().min(1),
  /** It was named for this start, which goes before the folder of the settings. */
  isModelsDirGiven: z.boolean().default(false),
  /** Folder of the built-in models (read only); null: none. */
  builtInModelsDir: z.string().min(1).nullable().default(null),
  /** Folder with ggml's backend modules, the engine's own; null: the engine has its backends inside. */
  backendsDir: z.string().min(1).nullable().default(null),
  /** A model id, or the path of a GGUF file, to make current; null: the one of last time. */
  model: z.string().min(1).nullable().default(null),
  /** Folder for settings and logs. */
  dataDir: z.string().min(1),
  /** The person's home folder, in which other programs keep their models; null: those are looked for nowhere. */
  homeDir: z.string().min(1).nullable().default(null),
  /** Whether other programs' models are taken up where the settings do not say so. */
  foreignModels: z.boolean().default(true),
  /** Secrets go into the system's keychain where there is one, else into files of the data folder. */
  keychain: z.boolean().default(false),
  /** How long rows of the ledger are kept. */
  ledgerDays: z.number().int().min(1).default(DEFAULT_LEDGER_DAYS),
  /** Built renderer to hand out at /; null: no window at /. */
  rendererDir: z.string().min(1).nullable().default(null),
  /** Context of each sequence in tokens; 0: automatic. */
  contextLength: z.number().int().min(0).default(0),
  /** Requests answered at the same time by one model. */
  parallel: z.number().int().min(1).max(256).default(DEFAULT_PARALLEL),
  /** Compute threads; 0: automatic. */
  threads: z.number().int().min(0).max(512).default(0),
  /** Layers of each model on the GPU; null: as many as fit. */
  gpuLayers: z.number().int().min(0).nullable().default(null),
  /** Element types of the KV cache's keys and values: smaller ones hold more context, at some loss of quality. */
  kvTypeK: z.enum(KV_TYPES).default('f16'),
  kvTypeV: z.enum(KV_TYPES).default('f16'),
  flashAttention: z.enum(ON_OFF_AUTO).default('auto'),
  /** One KV cache for all requests of a model, else one for each. */
  unifiedKv: z.enum(ON_OFF_AUTO).default('auto'),
  /** Milliseconds that a step of running answers may take while prompts are read beside them; 0: automatic. */
  targetItlMs: z.number().min(0).default(0),
  /** GGUF file of a small model that guesses ahead for every model (all of its family); null: none. */
  draftModel: z.string().min(1).nullable().default(null),
  /** Where guesses come from unless a request says it; null: from the draft model, where there is one. */
  speculation: z.enum(SPECULATION).nullable().default(null),
  /** "host:port" of RPC workers besides those in the settings. */
  rpcHosts: z.array(z.string().regex(RPC_HOST)).default([]),
  /** Keys that open the API besides those in keys.json of the data folder; without any, none is needed (loopback only). */
  apiKeys: z.array(z.string().min(1)).default([]),
  /** Names in the Host header that mean this server too, as of a proxy before it; without a port. */
  allowedHosts: z.array(z.string().regex(HOST_NAME)).default([]),
  /** Origins such as "https://app.example" whose web pages may use the server; "*", all of them, needs keys. */
  allowedOrigins: z.array(z.string().regex(ORIGIN)).default([]),
  /** The desktop window's own key of this launch; opens everything; null outside the desktop. */
  windowKey: z.string().min(1).nullable().default(null),
});
export type ServerConfig = z.infer<typeof serverConfigSchema>;
export type ServerConfigInput = z.input<typeof serverConfigSchema>;
