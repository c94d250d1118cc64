// Bodies that nobody would send on purpose: none may break the server, hang, or cost another client its answer.
import { once } from 'node:events';
import http from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestHub } from '../hub/test-hub.js';
import { startTestServer, type TestServer } from '../test-server.js';
import { type FuzzRequest, fuzzRequest } from './mutations.js';
import { ROUTES } from './routes.js';

const REQUESTS = 20_000;
const IN_FLIGHT = 8;
/** What takes this long hangs, even where another thing uses the processor; in milliseconds. */
const HANG_MS = 60_000;

const agent = new http.Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
let test: TestServer;
let hub: TestHub;
beforeAll(async () => {
  // A name to pull may turn out as one of the hub, of which this one has none.
  hub = await TestHub.start();
  test = await startTestServer({
    settings: { hub_endpoint: hub.endpoint },
    models: ['random', 'toolcall', 'embed', 'rerank'],
    // Whatever a request asks for ends soon.
    config: { contextLength: 256, parallel: 4 },
  });
});
afterAll(async () => {
  agent.destroy();
  await test.close();
  await hub.close();
});

interface Answer {
  status: number;
  contentType: string;
  text: string;
}

/** Null: the client has left. */
async function send({ route, contentType, body, leaves }: FuzzRequest): Promise<Answer | null> {
  const headers = contentType === null ? {} : { 'content-type': contentType };
  const request = http.request({
    host: '127.0.0.1',
    port: test.port,
    path: route.path,
    method: 'POST',
    agent,
    headers: { ...headers, 'content-length': body.length },
    signal: AbortSignal.timeout(HANG_MS),
  });
  request.end(body);
  if (leaves === 'at once') {
    request.on('error', () => {});
    await once(request, 'finish');
    request.destroy();
    return null;
  }
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) {
    if (leaves === 'midway') {
      response.destroy();
      return null;
    }
    chunks.push(chunk);
  }
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type'] ?? '',
    text: Buffer.concat(chunks).toString('utf8'),
  };
}

async function check(request: FuzzRequest): Promise<void> {
  const answer = await send(request).catch((error: Error) => {
    throw new Error(`no answer (${error.message})`);
  });
  if (!answer) return;
  const { status, contentType, text } = answer;
  if (status === 200) {
    if (contentType.startsWith('application/json')) JSON.parse(text);
    return;
  }
  const shape = request.route.failure.safeParse(JSON.parse(text));
  if (status < 400 || status >= 500 || !shape.success) {
    throw new Error(`${status} ${text.slice(0, 500)}`);
  }
}

it(
  `survives ${REQUESTS.toLocaleString('en-US')} odd requests`,
  async () => {
    const engines = () => test.engines.length;
    const good = async () => {
      for (const route of ROUTES) {
        for (const value of route.bodies) {
          const body = Buffer.from(JSON.stringify(value));
          const contentType = 'application/json';
          const answer = await send({ route, contentType, body, leaves: 'never' });
          const status = answer?.status ?? 0;
          const isRefused = status >= 400 && status < 500;
          expect([route.path, route.refuses ? isRefused : status, answer?.text]).toEqual([
            route.path,
            route.refuses ? true : 200,
            expect.anything(),
          ]);
        }
      }
    };
    await good();
    const before = engines();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fuzzRequest, { minLength: IN_FLIGHT, maxLength: IN_FLIGHT }),
        async (requests) => {
          await Promise.all(
            requests.map((request) =>
              check(request).catch((error: Error) => {
                throw new Error(`${request}\n${error.message}`);
              }),
            ),
          );
        },
      ),
      // Not shrunk: an engine that crashes is started again with growing pauses.
      { numRuns: REQUESTS / IN_FLIGHT, seed: 1, endOnFailure: true },
    );
    // No engine had to be started again, nothing runs or waits, and good requests are answered.
    expect(engines()).toBe(before);
    await test.idle();
    await good();
  },
  10 * 60_000,
);
