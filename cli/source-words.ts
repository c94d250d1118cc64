import type { ModelSource } from '../protocol/models.js';

/** Where a model is, for people. */
export const SOURCE_WORDS: Record<ModelSource, string> = {
  models_dir: 'models folder',
  built_in: 'built in',
  lm_studio: 'LM Studio',
  hugging_face: 'Hugging Face',
  llama_cpp: 'llama.cpp',
  ollama: 'Ollama',
  folder: 'added folder',
  file: 'given file',
  upstream: 'other server',
};
