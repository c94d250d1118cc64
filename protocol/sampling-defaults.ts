import { z } from 'zod';

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
