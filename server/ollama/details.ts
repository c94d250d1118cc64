/** A model of the library in Ollama's words. Pure. */
import { createHash } from 'node:crypto';
import type { OllamaDetails, OllamaTags } from '../../protocol/ollama.js';
import type { LibraryModel } from '../library/model.js';

/** llama.cpp's names of general.file_type (llama_ftype in llama.h). */
const FILE_TYPES: Record<number, string> = {
  0: 'F32',
  1: 'F16',
  2: 'Q4_0',
  3: 'Q4_1',
  7: 'Q8_0',
  8: 'Q5_0',
  9: 'Q5_1',
  10: 'Q2_K',
  11: 'Q3_K_S',
  12: 'Q3_K_M',
  13: 'Q3_K_L',
  14: 'Q4_K_S',
  15: 'Q4_K_M',
  16: 'Q5_K_S',
  17: 'Q5_K_M',
  18: 'Q6_K',
  19: 'IQ2_XXS',
  20: 'IQ2_XS',
  21: 'Q2_K_S',
  22: 'IQ3_XS',
  23: 'IQ3_XXS',
  24: 'IQ1_S',
  25: 'IQ4_NL',
  26: 'IQ3_S',
  27: 'IQ3_M',
  28: 'IQ2_S',
  29: 'IQ2_M',
  30: 'IQ4_XS',
  31: 'IQ1_M',
  32: 'BF16',
  36: 'TQ1_0',
  37: 'TQ2_0',
  38: 'MXFP4',
  39: 'NVFP4',
  40: 'Q1_0',
  41: 'Q2_0',
};

/** What lists of models share. */
export function listed(model: LibraryModel): Omit<OllamaTags['models'][number], 'modified_at'> {
  return {
    name: model.id,
    model: model.id,
    size: model.sizeBytes,
    digest: digestOf(model),
    details: detailsOf(model),
  };
}

export function detailsOf({ architecture, parameters, fileType }: LibraryModel): OllamaDetails {
  return {
    parent_model: '',
    format: 'gguf',
    family: architecture,
    families: [architecture],
    parameter_size: parameterSize(parameters),
    quantization_level: FILE_TYPES[fileType ?? -1] ?? 'unknown',
  };
}

/** Unix seconds → RFC 3339. */
export function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/**
 * Clients compare digests to see that a model has changed. Ollama's is of a manifest, which nobody has here, and to hash
 * gigabytes for a list would take minutes: this one is of what tells files apart, and changes when the file does.
 */
export function digestOf({ id, sizeBytes, created }: LibraryModel): string {
  return createHash('sha256').update(`${id}\n${sizeBytes}\n${created}`).digest('hex');
}

/** Such as "8.0B", "494.03M" or "32K". */
export function parameterSize(parameters: number): string {
  if (parameters >= 1e9) return `${(parameters / 1e9).toFixed(1)}B`;
  if (parameters >= 1e6) return `${(parameters / 1e6).toFixed(2)}M`;
  return parameters >= 1e3 ? `${Math.round(parameters / 1e3)}K` : String(parameters);
}
