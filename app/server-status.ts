import type { ModelEntry, ServerState } from '../protocol/models.js';
import { say } from './words.js';

/** Life of the server process as main sees it. Sentences are for people. */
export type ServerStatus =
  | { kind: 'starting' }
  | { kind: 'ready'; url: string }
  /** It ended by itself and is being started again. */
  | { kind: 'restarting'; sentence: string }
  /** It cannot start, or ended too often; nothing happens until the person decides. */
  | { kind: 'failed'; sentence: string }
  /** Answers end, engines go, the port becomes free. */
  | { kind: 'stopping' }
  /** By the person, until they start it again; or the app is about to end. */
  | { kind: 'stopped' };

/** All that the tray and the window's title show. */
export interface DesktopState {
  server: ServerStatus;
  /** Latest state the server sent; null until the first one, and while no server runs. */
  state: ServerState | null;
}

/** What the tray says first: the current model's name and what it is doing, or what the server is doing. */
export interface Summary {
  text: string;
  /** null: the text says it all. */
  note: string | null;
}

export function summary({ server, state }: DesktopState): Summary {
  switch (server.kind) {
    case 'starting':
      return { text: say('starting'), note: null };
    case 'restarting':
      return { text: say('restarting'), note: null };
    case 'failed':
      return { text: say('server_failed'), note: null };
    case 'stopping':
      return { text: say('stopping'), note: null };
    case 'stopped':
      return { text: say('stopped'), note: null };
    case 'ready':
      return state ? withSwitch(modelSummary(state), state) : { text: say('starting'), note: null };
  }
}

/** That programs are refused is said whatever the model does. */
function withSwitch(said: Summary, { serving }: ServerState): Summary {
  if (serving) return said;
  const { text, note } = said;
  const off =
    note === null ? say('off_for_programs') : say('state_off_for_programs', { state: note });
  return { text, note: off };
}

function modelSummary(state: ServerState): Summary {
  const current = state.models.find((model) => model.id === state.current_model);
  if (current) return { text: current.name, note: activity(current, state) };
  return { text: say(state.models.length > 0 ? 'no_model_chosen' : 'no_model_yet'), note: null };
}

function activity(model: ModelEntry, state: ServerState): string {
  switch (model.status) {
    case 'loading':
      return loading(model);
    case 'unloading':
      return say('unloading');
    case 'failed':
    case 'invalid':
      return say(model.source === 'upstream' ? 'unreachable' : 'not_loadable');
    case 'crashed':
      return say('crashed');
    case 'loaded':
    case 'unloaded': {
      const own = model.running + model.waiting;
      if (own > 0) return say('answering', { n: own });
      const rest = resting(model);
      const others = state.running + state.waiting;
      return others > 0 ? say('others_answer', { state: rest, n: others }) : rest;
    }
  }
}

function resting({ status, source }: ModelEntry): string {
  if (status === 'loaded') return say('ready');
  return say(source === 'upstream' ? 'not_asked' : 'loads_with_request');
}

/** "loading", with the percentage once there is one. */
export function loading(model: ModelEntry): string {
  return model.progress === null
    ? say('loading')
    : say('loading_at', { percent: Math.floor(model.progress * 100) });
}
