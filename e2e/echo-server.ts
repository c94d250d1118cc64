/** Another server of the OpenAI API, whose models answer what a test needs. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

/**
 * `echo` answers with the question; `busy` refuses each second request, and says when to come again; `stalled` begins
 * like `echo`, and never ends.
 */
export const ECHO = 'echo';
export const BUSY = 'busy';
export const STALLED = 'stalled';

const requestSchema = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
});
const idSchema = z.object({ id: z.string() });

export interface EchoServer {
  url: string;
  stop(): Promise<void>;
}

export async function startEchoServer(): Promise<EchoServer> {
  let asked = 0;
  const server = http.createServer(async (request, response) => {
    const json = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (request.url === '/v1/models') {
      const known = { object: 'model', created: 0, owned_by: 'e2e' };
      const data = [ECHO, BUSY, STALLED].map((id) => ({ id, ...known }));
      json(200, { object: 'list', data });
      return;
    }
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { model, messages } = requestSchema.parse(JSON.parse(body));
    asked += model === BUSY ? 1 : 0;
    if (model === BUSY && asked % 2 === 1) {
      const error = { message: 'Come again.', type: 'rate_limit', param: null, code: 'queue_full' };
      response.setHeader('retry-after', '2');
      json(429, { error });
      return;
    }
    const text = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    response.setHeader('content-type', 'text/event-stream');
    const chunk = (delta: object, finish_reason: string | null) => {
      const choices = [{ index: 0, delta, finish_reason }];
      const event = { id: 'c', object: 'chat.completion.chunk', created: 0, model, choices };
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    };
    for (const piece of text.match(/[\s\S]{1,8}/g) ?? []) chunk({ content: piece }, null);
    if (model === STALLED) return;
    chunk({}, 'stop');
    response.end('data: [DONE]\n\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}

/** Makes the models of another server available in ours. */
export async function addUpstream(ours: string, url: string): Promise<void> {
  const body = { name: 'echo', url, models: null, enabled: true };
  const { id } = idSchema.parse(await post(`${ours}/pilotlight/upstreams`, body));
  await post(`${ours}/pilotlight/upstreams/${id}/check`, {});
}

export async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
