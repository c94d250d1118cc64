/** Whether a model fits this machine, and what it takes: before it is fetched, before it is loaded, and as it is set. */
import { z } from 'zod';

/**
 * `fits`: all of it, on the GPU where there is one. `partly`: some layers stay on the CPU, or the context or the number
 * of requests is smaller than asked for. `too_big`: not even its smallest plan.
 */
export const fitSchema = z.object({
  verdict: z.enum(['fits', 'partly', 'too_big']),
  reason: z.string().describe('A sentence for people.'),
  weights_bytes: z.number().int(),
  kv_bytes: z.number().int().describe('KV cache and recurrent states at this context.'),
  compute_bytes: z.number().int(),
  total_bytes: z.number().int(),
  free_bytes: z.number().int().describe('What a model may take now, over all devices.'),
  context_length: z.number().int().describe('Tokens of each request, as planned.'),
  parallel: z.number().int(),
  gpu_layers: z.number().int().describe('-1: all; 0: none, or there is no GPU.'),
  gpu_bytes: z.number().int().describe('Of total_bytes, on GPUs.'),
});
export type Fit = z.infer<typeof fitSchema>;
