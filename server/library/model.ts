import type { ModelKind } from '../../protocol/engine-load.js';
import type { ModelSource } from '../../protocol/models.js';
import type { TemplateWords } from './gguf.js';

/** A model file the library knows. */
export interface LibraryModel {
  /** Stable id for the API; see ids.ts. */
  id: string;
  /** Further names that the person gave it. */
  aliases: readonly string[];
  /** For people: general.name of the file where it has one, else the id. */
  name: string;
  /** Absolute path of the (first) GGUF file. */
  path: string;
  /** Absolute paths of all of its files in order: one, or the parts of a split model. */
  files: readonly string[];
  sizeBytes: number;
  /** Absolute path of the vision projector that belongs to it; null: none. */
  projector: string | null;
  /** The file's modification time, unix seconds. */
  created: number;
  source: ModelSource;
  builtIn: boolean;
  /** A sentence for people why the file cannot be a model; null for a good one. */
  invalidReason: string | null;
  /** As its header says; the engine has the last word. */
  kind: ModelKind;
  /** general.architecture, such as "llama"; '' where the file does not say. */
  architecture: string;
  /** Number of weights. */
  parameters: number;
  /** general.file_type, llama.cpp's number of the format that most weights have; null where the file does not say. */
  fileType: number | null;
  /** Tokens; null where the file does not say. */
  trainedContextLength: number | null;
  /** Such as "apache-2.0"; null where the file does not say. */
  license: string | null;
  /** Such as "Q4_K_M"; null where nothing says. */
  quantization: string | null;
  /** What its chat template speaks of; null: it has none. */
  template: TemplateWords | null;
}
