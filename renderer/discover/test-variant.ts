/** Values for tests of those who show what the hub has. */
import type { Fit } from '../../protocol/fit.js';
import type { HubModelDetails, HubVariant } from '../../protocol/hub.js';

export function testFit(verdict: Fit['verdict'], context_length = 8192): Fit {
  return {
    ...{ verdict, reason: 'So it is.', weights_bytes: 1, kv_bytes: 1, compute_bytes: 1 },
    ...{ total_bytes: 3, free_bytes: 10, context_length, parallel: 1, gpu_layers: 0, gpu_bytes: 0 },
  };
}

/** A variant whose name is its quantisation. */
export function testVariant(
  name: string,
  size_bytes: number,
  verdict: Fit['verdict'] | null = null,
): HubVariant {
  const fit = verdict === null ? null : testFit(verdict);
  return { name, quantization: name, files: [], size_bytes, installed_as: null, fit };
}

export function testDetails(
  variants: HubVariant[],
  changes: Partial<HubModelDetails> = {},
): HubModelDetails {
  return {
    ...{ repo: 'owner/name', downloads: 1, likes: 1, updated_at: '2026-01-01T00:00:00Z' },
    ...{ gated: false, private: false, task: null, revision: 'r1', license: null },
    ...{ architecture: 'llama', parameters: 1, trained_context_length: 32_768, variants },
    ...changes,
  };
}
