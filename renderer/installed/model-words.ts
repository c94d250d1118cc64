import type { Capability, ModelEntry } from '../../protocol/models.js';
import { formatBytes, formatCompact, formatContext } from '../shell/format.js';

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

/** What a model is, in a few short facts; those that nobody knows are left out. */
export function modelFacts(model: ModelEntry): string[] {
  const { quantization, size_bytes, parameters, context_length, trained_context_length } = model;
  const facts: string[] = [];
  if (quantization) facts.push(quantization);
  if (size_bytes > 0) facts.push(formatBytes(size_bytes));
  if (parameters) facts.push(`${formatCompact(parameters)} parameters`);
  if (context_length) facts.push(`${formatContext(context_length)} context`);
  else if (trained_context_length)
    facts.push(`up to ${formatContext(trained_context_length)} context`);
  return facts;
}

/** What a model does now, beside its state: the memory it takes, the requests it has. */
export function modelUse(model: ModelEntry): string[] {
  const { memory_bytes, running, waiting } = model;
  const use: string[] = [];
  if (memory_bytes) use.push(`${formatBytes(memory_bytes)} in memory`);
  if (running > 0)
    use.push(running === 1 ? 'answering 1 request' : `answering ${running} requests`);
  if (waiting > 0) use.push(waiting === 1 ? '1 request waits' : `${waiting} requests wait`);
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
