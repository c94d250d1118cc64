/** Models and server state as our own routes and the window show them. */
import { z } from 'zod';
import { downloadSchema } from './downloads.js';
import { preferencesSchema } from './preferences.js';

/** Life of a model in the server. `invalid`: the file cannot be a model; `reason` says why. */
export const modelStatusSchema = z.enum([
  'unloaded',
  'loading',
  'loaded',
  'unloading',
  'failed',
  'crashed',
  'invalid',
]);
export type ModelStatus = z.infer<typeof modelStatusSchema>;

/** Where a model comes from: our own folder, another program's, one that was added, a file that was named. */
export const modelSourceSchema = z.enum([
  'models_dir',
  'built_in',
  'lm_studio',
  'hugging_face',
  'llama_cpp',
  'ollama',
  'folder',
  'file',
  'upstream',
]);
export type ModelSource = z.infer<typeof modelSourceSchema>;

export const capabilitySchema = z.enum([
  'chat',
  'tools',
  'reasoning',
  'vision',
  'embeddings',
  'rerank',
]);
export type Capability = z.infer<typeof capabilitySchema>;

/** An entry of GET /v1/models: OpenAI's four fields, then ours. */
export const modelEntrySchema = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.number().int().describe("Unix seconds: the file's modification time."),
  owned_by: z.string(),
  name: z
    .string()
    .describe(
      "For people: the file's own name where it has one, else the file name without .gguf.",
    ),
  status: modelStatusSchema,
  progress: z.number().nullable().describe('0..1 while loading, else null.'),
  reason: z
    .string()
    .nullable()
    .describe(
      'A sentence for people where status is failed, crashed or invalid, or why it waits where it is loading; else null.',
    ),
  size_bytes: z.number().int(),
  context_length: z
    .number()
    .int()
    .nullable()
    .describe('As loaded, in tokens; null while it is not loaded.'),
  devices: z
    .array(z.string())
    .nullable()
    .describe(
      'Compute devices that hold it, such as "CPU" or a GPU\'s name; null while it is not loaded.',
    ),
  kind: z
    .enum(['generative', 'embedding', 'rerank'])
    .describe(
      'Writes text; makes vectors of texts; scores texts against a query. Only the first can be the current model.',
    ),
  built_in: z.boolean().describe('Comes with the app.'),
  source: modelSourceSchema,
  aliases: z.array(z.string()).describe('Further names by which requests mean it.'),
  architecture: z.string().describe('Such as "llama"; empty where nothing says.'),
  parameters: z.number().int().nullable().describe('Number of weights.'),
  quantization: z.string().nullable().describe('Such as "Q4_K_M".'),
  trained_context_length: z.number().int().nullable().describe('In tokens.'),
  capabilities: z.array(capabilitySchema),
  license: z.string().nullable().describe('As its file says, such as "apache-2.0".'),
  pinned: z.boolean().describe('Never makes room for another model.'),
  reload_pending: z
    .boolean()
    .describe('Its settings have changed since it was loaded: it is loaded anew once it is idle.'),
  memory_bytes: z.number().int().nullable().describe('As loaded; null while it is not.'),
  last_used_at: z
    .number()
    .int()
    .nullable()
    .describe('Unix seconds of its last request, also of earlier starts; null: never.'),
  running: z.number().int().describe('Requests that it answers.'),
  waiting: z.number().int().describe('Requests that wait for it.'),
});
export type ModelEntry = z.infer<typeof modelEntrySchema>;

/** GET /pilotlight/models/{id}: what its file says besides. */
export const modelDetailsSchema = modelEntrySchema.extend({
  path: z.string().describe('Absolute path of its first file.'),
  files: z.array(z.string()).describe('Absolute paths of all of its files, in order.'),
  projector: z
    .string()
    .nullable()
    .describe('Absolute path of the vision projector that belongs to it.'),
  chat_template: z.string().nullable(),
  metadata: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .describe("All else of its file, by the file's own keys; null: a list."),
});
export type ModelDetails = z.infer<typeof modelDetailsSchema>;

/** GET /v1/models. */
export const modelListSchema = z.object({
  object: z.literal('list'),
  data: z.array(modelEntrySchema),
});
export type ModelList = z.infer<typeof modelListSchema>;

/** A compute backend in a module of its own. `failed`: it crashed, hung or computed wrong results when it was tried. */
export const backendSchema = z.object({
  module: z
    .string()
    .describe('File name without "libggml-" and its ending, such as "vulkan" or "cpu-haswell".'),
  status: z.enum(['used', 'unused', 'failed']),
  devices: z.array(z.string()).describe('For people.'),
  reason: z.string().nullable().describe('A sentence for people where it is not used, else null.'),
});
export type Backend = z.infer<typeof backendSchema>;

/** POST /pilotlight/requests/{id}/cancel ends one. */
export const liveRequestSchema = z.object({
  id: z.string().describe('As in the header x-request-id.'),
  model: z.string(),
  route: z.string().describe('Such as "/v1/chat/completions".'),
  state: z.enum(['waiting', 'running']),
  started_at: z.number().int().describe('Unix seconds.'),
});
export type LiveRequest = z.infer<typeof liveRequestSchema>;

export const memorySchema = z.object({
  used_bytes: z.number().int().describe('By loaded models, over all devices.'),
  budget_bytes: z.number().int().describe('What loaded models may take together now.'),
});

/** What GET /pilotlight/events sends, whole, at once and after each change. */
export const serverStateSchema = z.object({
  version: z.string(),
  url: z.string().describe('Such as "http://127.0.0.1:7411".'),
  serving: z.boolean().describe('Whether programs may use the API; the window goes on without.'),
  models_dir: z
    .string()
    .nullable()
    .describe('Where model files are put; null when the server was given one file only.'),
  current_model: z
    .string()
    .nullable()
    .describe(
      'Id of the model that answers when a request names none, and that the window and the tray show; null: no model.',
    ),
  models: z.array(modelEntrySchema),
  running: z.number().int().describe('Requests that are being answered, over all models.'),
  waiting: z.number().int(),
  requests: z
    .array(liveRequestSchema)
    .describe('Those that run or wait, oldest first; at most 50 of them.'),
  memory: memorySchema,
  downloads: z
    .array(downloadSchema)
    .describe('Newest last; those that are done go with the next start.'),
  backends: z
    .array(backendSchema)
    .describe(
      'GPU backends and the CPU variants that matter; empty before the first load, and where the engine has all inside.',
    ),
  preferences: preferencesSchema,
  tool_changes: z
    .number()
    .int()
    .describe('Another one when GET /pilotlight/mcp/servers would tell something new.'),
  notices: z
    .array(z.string())
    .describe(
      'Sentences the person should see, such as "Port 7411 is used by …; serving on 7412 instead."',
    ),
});
export type ServerState = z.infer<typeof serverStateSchema>;

/** PUT /pilotlight/current-model: switches and loads it. Answers with ServerState. */
export const selectModelSchema = z.strictObject({ model: z.string().min(1) });

/** GET /health. */
export const healthSchema = z.union([
  z.object({
    status: z.literal('ok'),
    name: z.literal('pilotlight'),
    version: z.string(),
    model: z.string().nullable().describe('The current model.'),
    model_status: modelStatusSchema.nullable(),
    devices: z.array(z.string()).nullable(),
    backends: z.array(backendSchema),
  }),
  z
    .object({ status: z.literal('ok'), name: z.literal('pilotlight') })
    .describe('Where a key is needed and none was sent.'),
]);
export type Health = z.infer<typeof healthSchema>;
