/** What the tests of all clients have in common: one server for a file, and what is asked of its models. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import { z } from 'zod';
import { startTestServer, type TestServer } from '../server/test-server.js';

export const QUESTION = 'What is the weather in Rome?';

/** Parameters of the tool that the model `toolcall` is wired to call. */
export const weatherParameters = z.object({ city: z.string() });

/** What the model `random` writes noise into: no answer is like it unless it is enforced. */
export const verdictSchema = z.object({ kind: z.enum(['a', 'b']), good: z.boolean() });

/** Each test begins and ends with an engine that has nothing to do. */
export function serverForClients(): { test: () => TestServer; baseURL: () => string } {
  let server: TestServer | null = null;
  const test = () => {
    if (!server) throw new Error('the server has not been started yet');
    return server;
  };
  beforeAll(async () => {
    server = await startTestServer({
      models: ['toolcall', 'scripted', 'scripted-long', 'thinking', 'random', 'embed'],
    });
  });
  afterEach(() => test().idle());
  afterAll(() => server?.close());
  return { test, baseURL: () => `${test().server.url}/v1` };
}
