/** Other OpenAI-compatible servers whose models are offered here. */
import { z } from 'zod';

export const upstreamSettingsSchema = z.strictObject({
  name: z.string().min(1).max(100).describe('For people; unique.'),
  url: z
    .url({ protocol: /^https?$/ })
    .describe('Base URL with or without /v1, such as "http://10.0.0.5:8000/v1".'),
  models: z
    .array(z.string().min(1))
    .nullable()
    .describe('Ids that are taken over; null: all that it lists.'),
  enabled: z.boolean(),
});

/** POST /pilotlight/upstreams, PUT /pilotlight/upstreams/{id}. */
export const putUpstreamSchema = upstreamSettingsSchema.extend({
  key: z
    .string()
    .min(1)
    .nullable()
    .optional()
    .describe('Sent as a bearer token; null: none; left out: as it is. Never told.'),
});
export type PutUpstream = z.infer<typeof putUpstreamSchema>;

export const upstreamSchema = upstreamSettingsSchema.extend({
  id: z.string(),
  has_key: z.boolean(),
  health: z.enum(['unknown', 'healthy', 'unhealthy']),
  reason: z.string().nullable().describe('A sentence for people where it is unhealthy.'),
  checked_at: z.number().int().nullable().describe('Unix seconds.'),
  offered: z.array(z.string()).describe('Ids of its models that are offered here.'),
});
export type Upstream = z.infer<typeof upstreamSchema>;

/** GET /pilotlight/upstreams, and what DELETE leaves; in the order in which they are tried for a model that several have. */
export const upstreamListSchema = z.object({ upstreams: z.array(upstreamSchema) });
export type UpstreamList = z.infer<typeof upstreamListSchema>;

/** GET and PUT /pilotlight/upstreams/order: ids, first tried first; those that PUT leaves out follow. */
export const upstreamOrderSchema = z.strictObject({ ids: z.array(z.string()) });
export type UpstreamOrder = z.infer<typeof upstreamOrderSchema>;
