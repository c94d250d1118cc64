/** Requests under way in the tray's menu. */
import type { LiveRequest, ServerState } from '../protocol/models.js';
import { item, type MenuEntry, submenu } from './menu-entry.js';
import { say } from './words.js';

/** Requests that are listed by themselves; a burst of hundreds is cancelled as a whole. */
export const REQUESTS_LISTED = 20;

/** As many as a state lists at most; with as many there are most likely more. */
const REQUESTS_TOLD = 50;

/** How the programs that use a route call what they do. */
const ROUTES = {
  '/v1/chat/completions': 'route_openai_chat',
  '/v1/completions': 'route_openai_completion',
  '/v1/responses': 'route_openai_response',
  '/v1/messages': 'route_anthropic_message',
  '/v1/messages/count_tokens': 'route_anthropic_count',
  '/api/chat': 'route_ollama_chat',
  '/api/generate': 'route_ollama_text',
  '/api/embed': 'route_ollama_embedding',
  '/api/embeddings': 'route_ollama_embedding',
  '/v1/embeddings': 'route_openai_embedding',
  '/v1/rerank': 'route_ranking',
  '/v2/rerank': 'route_ranking',
  '/v1/generate': 'route_generation',
  '/inference/v1/generate': 'route_vllm',
} as const;

/** A submenu in which each request can be cancelled; nothing while there is none. */
export function requestEntries(state: ServerState): MenuEntry[] {
  const { requests } = state;
  if (requests.length === 0) return [];
  const names = new Map(state.models.map(({ id, name }) => [id, name]));
  const listed = withUniqueIds(requests).slice(0, REQUESTS_LISTED);
  const isWhole = requests.length < REQUESTS_TOLD;
  return [
    submenu('requests', say(isWhole ? 'requests' : 'requests_or_more', { n: requests.length }), [
      ...listed.map(([entryId, request]) =>
        item(
          entryId,
          say('cancel_request', { model: names.get(request.model) ?? request.model }),
          { type: 'cancel-request', id: request.id },
          { note: requestNote(request) },
        ),
      ),
      { kind: 'separator' },
      item('cancel-all', say('cancel_all'), { type: 'cancel-request', id: null }),
    ]),
  ];
}

function requestNote({ route, state, started_at }: LiveRequest): string {
  const values = { what: routeWords(route), time: clock(started_at) };
  return say(state === 'waiting' ? 'request_waits' : 'request_since', values);
}

function routeWords(route: string): string {
  return isKnown(route) ? say(ROUTES[route]) : route;
}

function isKnown(route: string): route is keyof typeof ROUTES {
  return Object.hasOwn(ROUTES, route);
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
