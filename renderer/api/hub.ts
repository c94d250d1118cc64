/** Models on Hugging Face, asked by the server. All throw ApiError with a sentence for people. */
import {
  type HUB_SORTS,
  type HubAccount,
  type HubModelDetails,
  type HubModelPage,
  hubAccountSchema,
  hubModelDetailsSchema,
  hubModelPageSchema,
} from '../../protocol/hub.js';
import { encodePath } from '../shell/route.js';
import { readJson, request, sendJson } from './http.js';

export type HubSort = (typeof HUB_SORTS)[number];

export interface HubQuery {
  search: string;
  sort: HubSort;
  /** Where the page before ended. */
  cursor: string | null;
}

export async function searchHub(query: HubQuery, signal: AbortSignal): Promise<HubModelPage> {
  const parameters = new URLSearchParams({ sort: query.sort });
  if (query.search !== '') parameters.set('search', query.search);
  if (query.cursor !== null) parameters.set('cursor', query.cursor);
  const response = await request(`/pilotlight/hub/models?${parameters}`, { signal });
  return readJson(hubModelPageSchema, response);
}

/** A repo's variants, as they fit with `context` tokens a request; `fit` names one whose verdict is waited for. */
export async function hubDetails(
  repo: string,
  context: number | null,
  fit: string | null,
  signal: AbortSignal,
): Promise<HubModelDetails> {
  const parameters = new URLSearchParams();
  if (context !== null) parameters.set('context', String(context));
  if (fit !== null) parameters.set('fit', fit);
  const path = `/pilotlight/hub/models/${encodePath(repo)}?${parameters}`;
  return readJson(hubModelDetailsSchema, await request(path, { signal }));
}

const TOKEN = '/pilotlight/hub/token';

export async function hubAccount(): Promise<HubAccount> {
  return readJson(hubAccountSchema, await request(TOKEN));
}

export async function putHubToken(token: string): Promise<HubAccount> {
  return readJson(hubAccountSchema, await sendJson('PUT', TOKEN, { token }));
}

export async function deleteHubToken(): Promise<HubAccount> {
  await request(TOKEN, { method: 'DELETE' });
  return hubAccount();
}
