/** Other servers whose models are offered here. All throw ApiError with a sentence for people. */
import { type PutUpstream, type Upstream, upstreamListSchema } from '../../protocol/upstreams.js';
import { readJson, request, sendJson } from './http.js';

const PATH = '/pilotlight/upstreams';
const one = (id: string) => `${PATH}/${encodeURIComponent(id)}`;

export async function listUpstreams(): Promise<Upstream[]> {
  return (await readJson(upstreamListSchema, await request(PATH))).upstreams;
}

/** Adds one, or with an id changes that one. */
export async function putUpstream(id: string | null, upstream: PutUpstream): Promise<void> {
  if (id === null) await sendJson('POST', PATH, upstream);
  else await sendJson('PUT', one(id), upstream);
}

export async function removeUpstream(id: string): Promise<void> {
  await request(one(id), { method: 'DELETE' });
}

/** Asks it whether it answers, and for its models. */
export async function checkUpstream(id: string): Promise<void> {
  await sendJson('POST', `${one(id)}/check`, {});
}

/** The order in which they are tried for a model that several have. */
export async function orderUpstreams(ids: readonly string[]): Promise<void> {
  await sendJson('PUT', `${PATH}/order`, { ids });
}
