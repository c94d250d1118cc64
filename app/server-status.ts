import type { ModelEntry, ServerState } from '../protocol/models.js';

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
      return { text: 'Starting…', note: null };
    case 'restarting':
      return { text: 'The model server stopped; starting it again…', note: null };
    case 'failed':
      return { text: 'The model server is not running', note: null };
    case 'stopping':
      return { text: 'Stopping…', note: null };
    case 'stopped':
      return { text: 'The model server is stopped', note: null };
    case 'ready':
      return state ? modelSummary(state) : { text: 'Starting…', note: null };
  }
}

function modelSummary(state: ServerState): Summary {
  const current = state.models.find((model) => model.id === state.current_model);
  if (current) return { text: current.name, note: activity(current, state) };
  return { text: state.models.length > 0 ? 'No model chosen' : 'No model yet', note: null };
}

function activity(model: ModelEntry, state: ServerState): string {
  switch (model.status) {
    case 'loading':
      return loading(model);
    case 'unloading':
      return 'unloading';
    case 'failed':
    case 'invalid':
      return model.source === 'upstream' ? 'cannot be reached' : 'cannot be loaded';
    case 'crashed':
      return 'crashed, loads again with the next request';
    case 'loaded':
    case 'unloaded': {
      const own = model.running + model.waiting;
      if (own > 0) return `answering ${requests(own)}`;
      const rest = resting(model);
      const others = state.running + state.waiting;
      return others > 0 ? `${rest}, others answer ${requests(others)}` : rest;
    }
  }
}

function resting({ status, source }: ModelEntry): string {
  if (status === 'loaded') return 'ready';
  return source === 'upstream' ? 'not asked yet' : 'loads with the next request';
}

function requests(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`;
}

/** "loading", with the percentage once there is one. */
export function loading(model: ModelEntry): string {
  return model.progress === null ? 'loading' : `loading ${Math.floor(model.progress * 100)} %`;
}
