import type { ModelEntry, ServerState } from '../../protocol/models.js';
import { formatPercent } from '../shell/format.js';

/** How a state is marked; always beside its words. */
type StateTone = 'good' | 'busy' | 'idle' | 'bad';

export interface StateWords {
  tone: StateTone;
  text: string;
}

/** A model's state in words. */
export function modelState(model: ModelEntry): StateWords {
  switch (model.status) {
    case 'loaded':
      return { tone: 'good', text: KIND_WORDS[model.kind] ?? 'Ready' };
    case 'loading':
      return {
        tone: 'busy',
        text: model.progress === null ? 'Loading' : `Loading ${formatPercent(model.progress)}`,
      };
    case 'unloading':
      return { tone: 'busy', text: 'Unloading' };
    case 'unloaded':
      return { tone: 'idle', text: KIND_WORDS[model.kind] ?? 'Not loaded' };
    case 'failed':
      return { tone: 'bad', text: 'Could not load' };
    case 'crashed':
      return { tone: 'bad', text: 'Stopped unexpectedly' };
    case 'invalid':
      return { tone: 'bad', text: 'Cannot run' };
  }
}

/** Whether it can be picked: its file is good, and it writes text. */
export function canAnswer(model: ModelEntry): boolean {
  return model.status !== 'invalid' && model.kind === 'generative';
}

/** Whether programs have another word for it than people. The API takes an id in any case. */
export function hasOwnId({ id, name }: ModelEntry): boolean {
  return id.toLowerCase() !== name.toLowerCase();
}

/** What a model that writes no text is for; undefined for one that does. */
const KIND_WORDS: Partial<Record<ModelEntry['kind'], string>> = {
  embedding: 'Makes embeddings for programs',
  rerank: 'Ranks texts for programs',
};

/** The model that answers, or null. */
export function currentModel(server: ServerState | null): ModelEntry | null {
  if (!server) return null;
  return server.models.find((model) => model.id === server.current_model) ?? null;
}

/** Why nothing can be sent, in words; null when it can. */
export function blockedReason(server: ServerState | null): string | null {
  if (!server) return 'Waiting for the server…';
  const model = currentModel(server);
  if (model?.status === 'invalid') return `${model.name} cannot run. Pick another model above.`;
  if (model) return null;
  return hasUsableModel(server) ? 'Pick a model above to start.' : 'Add a model to start.';
}

/** Whether there is any model that could be picked. */
export function hasUsableModel(server: ServerState): boolean {
  return server.models.some(canAnswer);
}

/** Where what is written to a model goes. */
export function placeSentence({ name, source, owned_by, devices }: ModelEntry): string {
  if (source === 'upstream') {
    return `${name} answers on another server, “${owned_by}”. What you write is sent there.`;
  }
  if (devices?.some((device) => device.startsWith('RPC '))) {
    return `${name} answers from several machines of your own network.`;
  }
  return `${name} answers from your own machine. Nothing leaves it.`;
}
