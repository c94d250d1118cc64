/** A model of the library in Ollama's words. Pure. */
import { createHash } from 'node:crypto';
import type { ModelEntry } from '../../protocol/models.js';
import type { OllamaDetails, OllamaTags } from '../../protocol/ollama.js';
import type { LibraryModel } from '../library/model.js';

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

/** A model of an upstream, of which little may be known. */
export function listedEntry(entry: ModelEntry): OllamaTags['models'][number] {
  const { id, size_bytes: sizeBytes, created, architecture, parameters, quantization } = entry;
  return {
    name: id,
    model: id,
    size: sizeBytes,
    digest: digestOf({ id, sizeBytes, created }),
    details: {
      parent_model: '',
      format: 'gguf',
      family: architecture,
      families: architecture === '' ? [] : [architecture],
      parameter_size: parameters === null ? '' : parameterSize(parameters),
      quantization_level: quantization ?? 'unknown',
    },
    modified_at: timeOf(created),
  };
}

export function detailsOf({ architecture, parameters, quantization }: LibraryModel): OllamaDetails {
  return {
    parent_model: '',
    format: 'gguf',
    family: architecture,
    families: [architecture],
    parameter_size: parameterSize(parameters),
    quantization_level: quantization ?? 'unknown',
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
export function digestOf({
  id,
  sizeBytes,
  created,
}: Pick<LibraryModel, 'id' | 'sizeBytes' | 'created'>): string {
  return createHash('sha256').update(`${id}\n${sizeBytes}\n${created}`).digest('hex');
}

/** Such as "8.0B", "494.03M" or "32K". */
export function parameterSize(parameters: number): string {
  if (parameters >= 1e9) return `${(parameters / 1e9).toFixed(1)}B`;
  if (parameters >= 1e6) return `${(parameters / 1e6).toFixed(2)}M`;
  return parameters >= 1e3 ? `${Math.round(parameters / 1e3)}K` : String(parameters);
}
