/** The inspector. All throw ApiError with a sentence for people. */
import {
  cancelledRequestSchema,
  type InspectedRequest,
  type InspectorState,
  inspectedRequestSchema,
  inspectorStateSchema,
  replayedRequestSchema,
  type Snippet,
  snippetsSchema,
} from '../../protocol/inspector.js';
import { readJson, request, sendJson } from './http.js';

const PATH = '/pilotlight/inspector';
const one = (id: string) => `${PATH}/requests/${encodeURIComponent(id)}`;

export const INSPECTOR_EVENTS = `${PATH}/events`;

export async function switchInspector(enabled: boolean): Promise<InspectorState> {
  return readJson(inspectorStateSchema, await sendJson('PUT', `${PATH}/switch`, { enabled }));
}

export async function inspectedRequest(id: string, signal: AbortSignal): Promise<InspectedRequest> {
  return readJson(inspectedRequestSchema, await request(one(id), { signal }));
}

export async function requestSnippets(id: string, signal: AbortSignal): Promise<Snippet[]> {
  return (await readJson(snippetsSchema, await request(`${one(id)}/snippets`, { signal })))
    .snippets;
}

/** Ends a request that is under way; by the id of its receipt. */
export async function cancelInspected(id: string): Promise<void> {
  await readJson(cancelledRequestSchema, await sendJson('POST', `${one(id)}/cancel`, {}));
}

/** The same, by its `x-request-id`, for whom the inspector is closed. */
export async function cancelRequest(requestId: string): Promise<void> {
  const path = `/pilotlight/requests/${encodeURIComponent(requestId)}/cancel`;
  await sendJson('POST', path, {});
}

/** Gives the id of the new request, once it has begun. */
export async function replayRequest(id: string): Promise<string> {
  return (await readJson(replayedRequestSchema, await sendJson('POST', `${one(id)}/replay`, {})))
    .id;
}
