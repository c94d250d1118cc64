/** Upstreams of a server under test. */
import { type PutUpstream, type Upstream, upstreamSchema } from '../../protocol/upstreams.js';
import type { TestServer } from '../test-server.js';

/** Adds one, and asks it how it is. */
export async function addUpstream(
  test: TestServer,
  put: Partial<PutUpstream> & Pick<PutUpstream, 'url'>,
): Promise<Upstream> {
  const body = { name: 'other', models: null, enabled: true, ...put };
  const added = await test.post('/pilotlight/upstreams', body);
  if (added.status !== 200) throw new Error(`${added.status}: ${await added.text()}`);
  const { id } = upstreamSchema.parse(await added.json());
  return checkUpstream(test, id);
}

export async function checkUpstream(test: TestServer, id: string): Promise<Upstream> {
  const checked = await test.post(`/pilotlight/upstreams/${id}/check`, {});
  return upstreamSchema.parse(await checked.json());
}

export async function listUpstreams(test: TestServer): Promise<Upstream[]> {
  const listed = await fetch(`${test.server.url}/pilotlight/upstreams`);
  const { upstreams } = (await listed.json()) as { upstreams: unknown[] };
  return upstreams.map((each) => upstreamSchema.parse(each));
}
