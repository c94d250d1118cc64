/** Loading and unloading by request, and what is told of models as they come, go, load and leave. */
import { z } from 'zod';
import { downloadSchema } from './downloads.js';
import { modelEntrySchema } from './models.js';
import { modelSettingsSchema } from './settings.js';

const { aliases, ttl, pinned, sampling, system_prompt, ...loadShape } = modelSettingsSchema.shape;

/** Of the settings of a model, those that its load depends on. */
export const loadSettingsSchema = z.strictObject(loadShape);
export type ModelLoadSettings = z.infer<typeof loadSettingsSchema>;

/** POST /v1/models/{id}/load. All of it holds until the model leaves memory; the settings for good are elsewhere. */
export const loadModelSchema = z.strictObject({
  settings: loadSettingsSchema
    .optional()
    .describe('A model that is loaded with others is loaded anew, when its answers have ended.'),
  ttl: ttl.describe('Seconds without a request until it leaves memory; null: never; 0: at once.'),
  pin: z.boolean().optional().describe('It never makes room for another model.'),
  wait: z.boolean().optional().describe('false: answer at once, while it loads.'),
});

/** POST /pilotlight/models/{id}/estimate: what it would take with these settings. */
export const estimateModelSchema = z.strictObject({
  settings: loadSettingsSchema.optional(),
  alone: z
    .boolean()
    .optional()
    .describe('true: what they leave out is as if nothing were set; else as it is set.'),
});

const loadProgress = z.object({
  type: z.literal('load-progress'),
  id: z.string(),
  progress: z.number().nullable().describe('0..1'),
  reason: z.string().nullable().describe('Why it waits, a sentence for people; null: it does not.'),
});

const loaded = z.object({ type: z.literal('loaded'), model: modelEntrySchema });

/** What POST /v1/models/{id}/load streams: how far it is, and `loaded` last. A failure is OpenAI's error object. */
export const loadEventSchema = z.discriminatedUnion('type', [loadProgress, loaded]);
export type LoadEvent = z.infer<typeof loadEventSchema>;

/**
 * GET /pilotlight/models/events: a snapshot first, then what has changed. Each `model` and each `download` is whole and
 * takes the place of the one with its id; `load-progress` and `download-progress` change only what they name.
 */
export const modelEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('snapshot'),
    current_model: z.string().nullable(),
    models: z.array(modelEntrySchema),
    downloads: z.array(downloadSchema),
  }),
  z.object({ type: z.literal('model-added'), model: modelEntrySchema }),
  z.object({ type: z.literal('model-changed'), model: modelEntrySchema }),
  z.object({ type: z.literal('model-removed'), id: z.string() }),
  loadProgress,
  loaded,
  z.object({ type: z.literal('unloaded'), model: modelEntrySchema }),
  z
    .object({ type: z.literal('failed'), model: modelEntrySchema })
    .describe('It could not be loaded, or its engine has ended by itself; its `reason` says why.'),
  z.object({ type: z.literal('current-model'), id: z.string().nullable() }),
  z.object({ type: z.literal('download-changed'), download: downloadSchema }),
  z.object({
    type: z.literal('download-progress'),
    ...downloadSchema.pick({
      id: true,
      received_bytes: true,
      bytes_per_second: true,
      seconds_left: true,
    }).shape,
  }),
  z.object({ type: z.literal('download-removed'), id: z.string() }),
]);
export type ModelEvent = z.infer<typeof modelEventSchema>;
