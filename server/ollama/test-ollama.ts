/** A server for the tests of one file, and the official client. */
import { Ollama } from 'ollama';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { ollamaErrorSchema } from '../../protocol/ollama.js';
import { startTestServer, type TestServer } from '../test-server.js';

interface OllamaServer {
  test(): TestServer;
  client(): Ollama;
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
}

/** Nothing runs or waits after each test. */
export function ollamaServer(
  models: NonNullable<NonNullable<Parameters<typeof startTestServer>[0]>['models']>,
): OllamaServer {
  let test: TestServer;
  let client: Ollama;
  beforeAll(async () => {
    test = await startTestServer({ models });
    client = new Ollama({ host: test.server.url });
  });
  afterAll(() => test.close());
  afterEach(() => test.idle());
  return {
    test: () => test,
    client: () => client,
    post: (path, body, init = {}) =>
      fetch(`${test.server.url}/api/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...init,
      }),
  };
}

/** A refusal: its status and its sentence. */
export async function refusal(response: Response): Promise<{ status: number; error: string }> {
  const { error } = ollamaErrorSchema.strict().parse(await response.json());
  expect(error).toMatch(/^\S.*\.$/s);
  return { status: response.status, error };
}
