import type { ModelEntry, ServerState } from '../../protocol/models.js';
import { t } from '../i18n/i18n.js';
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
      return { tone: 'good', text: purpose(model) ?? t('models.state_ready') };
    case 'loading':
      return {
        tone: 'busy',
        text:
          model.progress === null
            ? t('models.state_loading')
            : t('models.state_loading_at', { percent: formatPercent(model.progress) }),
      };
    case 'unloading':
      return { tone: 'busy', text: t('models.state_unloading') };
    case 'unloaded':
      return { tone: 'idle', text: purpose(model) ?? t('models.state_unloaded') };
    case 'failed':
      return { tone: 'bad', text: t('models.state_failed') };
    case 'crashed':
      return { tone: 'bad', text: t('models.state_crashed') };
    case 'invalid':
      return { tone: 'bad', text: t('models.state_invalid') };
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

/** What a model that writes no text is for; null for one that does. */
function purpose({ kind }: ModelEntry): string | null {
  return kind === 'generative' ? null : t(`models.kind_${kind}`);
}

/** The model that answers, or null. */
export function currentModel(server: ServerState | null): ModelEntry | null {
  if (!server) return null;
  return server.models.find((model) => model.id === server.current_model) ?? null;
}

/** Why nothing can be sent, in words; null when it can. */
export function blockedReason(server: ServerState | null): string | null {
  if (!server) return t('models.blocked_server');
  const model = currentModel(server);
  if (model?.status === 'invalid') return t('models.blocked_invalid', { name: model.name });
  if (model) return null;
  return t(hasUsableModel(server) ? 'models.blocked_pick' : 'models.blocked_add');
}

/** Whether there is any model that could be picked. */
export function hasUsableModel(server: ServerState): boolean {
  return server.models.some(canAnswer);
}

/** Nothing that is written to it leaves this machine. */
export function isOfThisMachine({ source, devices }: ModelEntry): boolean {
  return source !== 'upstream' && !devices?.some((device) => device.startsWith('RPC '));
}

/** Where what is written to a model goes. */
export function placeSentence(model: ModelEntry): string {
  const { name, source, owned_by } = model;
  if (source === 'upstream') {
    return t('models.place_upstream', { name, server: owned_by });
  }
  if (!isOfThisMachine(model)) {
    return t('models.place_rpc', { name });
  }
  return t('models.place_local', { name });
}
