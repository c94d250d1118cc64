import type { ModelEntry } from '../../protocol/models.js';
import { t } from '../i18n/i18n.js';
import { formatBytes, formatCompact, formatContext } from '../shell/format.js';

/** Where a model is. */
export function sourceWords(model: ModelEntry): string {
  return model.source === 'upstream' ? model.owned_by : t(`installed.source_${model.source}`);
}

/** What a model can do. */
export function capabilityWords(model: ModelEntry): string[] {
  return model.capabilities.map((capability) => t(`installed.capability_${capability}`));
}

/** What a model is, in a few short facts; those that nobody knows are left out. */
export function modelFacts(model: ModelEntry): string[] {
  const { quantization, size_bytes, parameters, context_length, trained_context_length } = model;
  const facts: string[] = [];
  if (quantization) facts.push(quantization);
  if (size_bytes > 0) facts.push(formatBytes(size_bytes));
  if (parameters) facts.push(t('installed.parameters', { count: formatCompact(parameters) }));
  if (context_length) facts.push(t('installed.context', { tokens: formatContext(context_length) }));
  else if (trained_context_length)
    facts.push(t('installed.context_up_to', { tokens: formatContext(trained_context_length) }));
  return facts;
}

/** What a model does now, beside its state: the memory it takes, the requests it has. */
export function modelUse(model: ModelEntry): string[] {
  const { memory_bytes, running, waiting, reload_pending } = model;
  const use: string[] = [];
  if (memory_bytes) use.push(t('installed.in_memory', { bytes: formatBytes(memory_bytes) }));
  if (running > 0) use.push(t('installed.answering', { n: running }));
  if (waiting > 0) use.push(t('installed.waiting_requests', { n: waiting }));
  if (reload_pending) use.push(t('installed.reload'));
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
