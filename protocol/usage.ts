/** GET /v1/usage: what was asked and answered, in numbers, by day, model and client. */
import { z } from 'zod';

export const USAGE_GROUPS = ['day', 'model', 'client'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

const count = z.number().int().min(0);
const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .describe('Such as "2026-11-30".');

const countsShape = {
  requests: count.describe('All that have ended, those below included.'),
  failed: count.describe('With an error, refusals included, or cut by an end of the server.'),
  cancelled: count.describe('Left by their client, or cancelled by the person at this machine.'),
  prompt_tokens: count,
  cached_tokens: count.describe('Of the prompt tokens: taken from the KV cache.'),
  output_tokens: count,
};

export const usageCountsSchema = z.strictObject(countsShape);
export type UsageCounts = z.infer<typeof usageCountsSchema>;

export const usageRowSchema = z
  .strictObject({
    day: day.optional(),
    model: z
      .string()
      .optional()
      .describe('Empty: the request was refused before a model was chosen.'),
    client: z
      .string()
      .optional()
      .describe(
        'Name of the key, else what the program says it is (user agent), else empty. "other": those that came after the first 200 different ones of a day.',
      ),
    ...countsShape,
  })
  .describe('Has the fields that were grouped by.');
export type UsageRow = z.infer<typeof usageRowSchema>;

export const usageSchema = z.strictObject({
  object: z.literal('usage'),
  from: day,
  to: day,
  timezone: z
    .string()
    .describe(
      'The machine\'s, such as "Europe/Berlin": a request counts on the day there on which it came. Past days stay as they were counted where the machine\'s changes.',
    ),
  group_by: z.array(z.enum(USAGE_GROUPS)),
  total: usageCountsSchema,
  data: z.array(usageRowSchema).describe('In order of day, model and client.'),
});
export type Usage = z.infer<typeof usageSchema>;
