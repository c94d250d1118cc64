import { formatBytes } from '../../protocol/bytes.js';
import type { Capability, ModelEntry } from '../../protocol/models.js';
import { formatCompact, formatContext } from '../shell/format.js';

const sources: Record<Exclude<ModelEntry['source'], 'upstream'>, string> = {
  models_dir: 'Models folder',
  built_in: 'Built in',
  lm_studio: 'LM Studio',
  hugging_face: 'Hugging Face cache',
  llama_cpp: 'llama.cpp cache',
  ollama: 'Ollama',
  folder: 'Added folder',
  file: 'Given file',
};

const capabilities: Record<Capability, string> = {
  chat: 'Chat',
  tools: 'Tools',
  reasoning: 'Reasoning',
  vision: 'Vision',
  embeddings: 'Embeddings',
  rerank: 'Reranking',
};

/** Where a model is. */
export function sourceWords(model: ModelEntry): string {
  return model.source === 'upstream' ? model.owned_by : sources[model.source];
}

/** What a model can do. */
export function capabilityWords(model: ModelEntry): string[] {
  return model.capabilities.map((capability) => capabilities[capability]);
}

const words = {
  parameters: (count: string) => `${count} parameters`,
  context: (tokens: string) => `${tokens} context`,
  upTo: (tokens: string) => `up to ${tokens} context`,
  inMemory: (bytes: string) => `${bytes} in memory`,
  answering: (count: number) =>
    count === 1 ? 'answering 1 request' : `answering ${count} requests`,
  waiting: (count: number) => (count === 1 ? '1 request waits' : `${count} requests wait`),
  reload: 'takes over its new settings once it is idle',
};

/** What a model is, in a few short facts; those that nobody knows are left out. */
export function modelFacts(model: ModelEntry): string[] {
  const { quantization, size_bytes, parameters, context_length, trained_context_length } = model;
  const facts: string[] = [];
  if (quantization) facts.push(quantization);
  if (size_bytes > 0) facts.push(formatBytes(size_bytes));
  if (parameters) facts.push(words.parameters(formatCompact(parameters)));
  if (context_length) facts.push(words.context(formatContext(context_length)));
  else if (trained_context_length) facts.push(words.upTo(formatContext(trained_context_length)));
  return facts;
}

/** What a model does now, beside its state: the memory it takes, the requests it has. */
export function modelUse(model: ModelEntry): string[] {
  const { memory_bytes, running, waiting, reload_pending } = model;
  const use: string[] = [];
  if (memory_bytes) use.push(words.inMemory(formatBytes(memory_bytes)));
  if (running > 0) use.push(words.answering(running));
  if (waiting > 0) use.push(words.waiting(waiting));
  if (reload_pending) use.push(words.reload);
  return use;
}

/** Whether its files are the person's own here, and may be deleted. */
export function isOwnFile(model: ModelEntry): boolean {
  return model.source === 'models_dir' && !model.built_in;
}

export type LoadAction = 'load' | 'unload';

/** What can be done with a model's memory now; null where nothing can. */
export function loadAction(model: ModelEntry): LoadAction | null {
  if (model.source === 'upstream') return null;
  switch (model.status) {
    case 'unloaded':
    case 'failed':
    case 'crashed':
      return 'load';
    case 'loaded':
    case 'loading':
      return 'unload';
    case 'unloading':
    case 'invalid':
      return null;
  }
}
