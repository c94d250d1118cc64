/** Requests under way in the tray's menu. */
import type { LiveRequest, ServerState } from '../protocol/models.js';
import { item, type MenuEntry, submenu } from './menu-entry.js';

/** Requests that are listed by themselves; a burst of hundreds is cancelled as a whole. */
export const REQUESTS_LISTED = 20;

/** As many as a state lists at most; with as many there are most likely more. */
const REQUESTS_TOLD = 50;

/** How the programs that use a route call what they do. */
const ROUTES: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'OpenAI chat',
  '/v1/completions': 'OpenAI completion',
  '/v1/responses': 'OpenAI response',
  '/v1/messages': 'Anthropic message',
  '/v1/messages/count_tokens': 'Anthropic token count',
  '/api/chat': 'Ollama chat',
  '/api/generate': 'Ollama text',
  '/api/embed': 'Ollama embedding',
  '/api/embeddings': 'Ollama embedding',
  '/v1/embeddings': 'OpenAI embedding',
  '/v1/rerank': 'ranking',
  '/v2/rerank': 'ranking',
  '/v1/generate': 'generation',
  '/inference/v1/generate': 'vLLM generation',
};

/** A submenu in which each request can be cancelled; nothing while there is none. */
export function requestEntries(state: ServerState): MenuEntry[] {
  const { requests } = state;
  if (requests.length === 0) return [];
  const names = new Map(state.models.map(({ id, name }) => [id, name]));
  const listed = withUniqueIds(requests).slice(0, REQUESTS_LISTED);
  const count = requests.length < REQUESTS_TOLD ? requests.length : `${REQUESTS_TOLD} or more`;
  return [
    submenu('requests', `Requests (${count})`, [
      ...listed.map(([entryId, request]) =>
        item(
          entryId,
          `Cancel ${names.get(request.model) ?? request.model}`,
          { type: 'cancel-request', id: request.id },
          { note: requestNote(request) },
        ),
      ),
      { kind: 'separator' },
      item('cancel-all', 'Cancel all', { type: 'cancel-request', id: null }),
    ]),
  ];
}

function requestNote({ route, state, started_at }: LiveRequest): string {
  const waits = state === 'waiting' ? ', waiting' : '';
  return `${ROUTES[route] ?? route}, since ${clock(started_at)}${waits}`;
}

/** "14:05:09" on this machine's clock. */
function clock(seconds: number): string {
  const date = new Date(seconds * 1000);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/** Clients may choose the id of a request, so two can have the same one; both are cancelled by it. */
function withUniqueIds(requests: readonly LiveRequest[]): [string, LiveRequest][] {
  const seen = new Map<string, number>();
  return requests.map((request) => {
    const times = (seen.get(request.id) ?? 0) + 1;
    seen.set(request.id, times);
    return [`request:${times}:${request.id}`, request];
  });
}
