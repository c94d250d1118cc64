/** Models and server state as our own routes and the window show them. */
import { z } from 'zod';

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

/** An entry of GET /v1/models: OpenAI's four fields, then ours. */
export const modelEntrySchema = z.object({
  id: z.string(),
  object: z.literal('model'),
  /** Unix seconds: the file's modification time. */
  created: z.number().int(),
  owned_by: z.string(),
  /** For people: the file's own name where it has one, else the file name without .gguf. */
  name: z.string(),
  status: modelStatusSchema,
  /** 0..1 while loading, else null. */
  progress: z.number().nullable(),
  /** A sentence for people where status is failed, crashed or invalid, else null. */
  reason: z.string().nullable(),
  size_bytes: z.number().int(),
  /** As loaded, in tokens; null while it is not loaded. */
  context_length: z.number().int().nullable(),
  /** Compute devices that hold it, such as "CPU" or a GPU's name; null while it is not loaded. */
  devices: z.array(z.string()).nullable(),
  /** Writes text; makes vectors of texts; scores texts against a query. Only the first can be the current model. */
  kind: z.enum(['generative', 'embedding', 'rerank']),
  /** Comes with the app. */
  built_in: z.boolean(),
});
export type ModelEntry = z.infer<typeof modelEntrySchema>;

/** GET /v1/models. */
export interface ModelList {
  object: 'list';
  data: ModelEntry[];
}

/** A compute backend in a module of its own. `failed`: it crashed, hung or computed wrong results when it was tried. */
export const backendSchema = z.object({
  /** File name without "libggml-" and its ending, such as "vulkan" or "cpu-haswell". */
  module: z.string(),
  status: z.enum(['used', 'unused', 'failed']),
  /** For people. */
  devices: z.array(z.string()),
  /** A sentence for people where it is not used, else null. */
  reason: z.string().nullable(),
});
export type Backend = z.infer<typeof backendSchema>;

/** What GET /pilotlight/events sends, whole, at once and after each change. */
export const serverStateSchema = z.object({
  version: z.string(),
  /** Such as "http://127.0.0.1:7411". */
  url: z.string(),
  /** Where model files are put; null when the server was given one file only. */
  models_dir: z.string().nullable(),
  /** Id of the model that answers when a request names none, and that the window and the tray show; null: no model. */
  current_model: z.string().nullable(),
  models: z.array(modelEntrySchema),
  /** Requests that are being answered, over all models. */
  running: z.number().int(),
  waiting: z.number().int(),
  /** GPU backends and the CPU variants that matter; empty before the first load, and where the engine has all inside. */
  backends: z.array(backendSchema),
  /** Sentences the person should see, such as "Port 7411 is used by …; serving on 7412 instead." */
  notices: z.array(z.string()),
});
export type ServerState = z.infer<typeof serverStateSchema>;

/** PUT /pilotlight/current-model: switches and loads it. Answers with ServerState. */
export const selectModelSchema = z.strictObject({ model: z.string().min(1) });
