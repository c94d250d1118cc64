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

/** One line for the tray: the current model and what it is doing, or what the server is doing. */
export function summary({ server, state }: DesktopState): string {
  switch (server.kind) {
    case 'starting':
      return 'Starting…';
    case 'restarting':
      return 'The model server stopped; starting it again…';
    case 'failed':
      return 'The model server is not running';
    case 'stopping':
      return 'Stopping…';
    case 'stopped':
      return 'The model server is stopped';
    case 'ready':
      return state ? modelSummary(state) : 'Starting…';
  }
}

function modelSummary(state: ServerState): string {
  const current = state.models.find((model) => model.id === state.current_model);
  if (!current) return state.models.length > 0 ? 'No model chosen' : 'No model yet';
  return `${current.name}: ${activity(current, state)}`;
}

function activity(model: ModelEntry, state: ServerState): string {
  switch (model.status) {
    case 'loading':
      return loading(model);
    case 'unloading':
      return 'unloading';
    case 'failed':
    case 'invalid':
      return 'cannot be loaded';
    case 'crashed':
      return 'crashed, loads again with the next request';
    case 'loaded':
    case 'unloaded': {
      const requests = state.running + state.waiting;
      if (requests === 0)
        return model.status === 'loaded' ? 'ready' : 'loads with the next request';
      return requests === 1 ? 'answering 1 request' : `answering ${requests} requests`;
    }
  }
}

/** "loading", with the percentage once there is one. */
export function loading(model: ModelEntry): string {
  return model.progress === null ? 'loading' : `loading ${Math.floor(model.progress * 100)} %`;
}
