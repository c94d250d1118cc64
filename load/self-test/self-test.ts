/** Runs the tests of a live server one after the other, and tells each as it comes. */
import { SELF_TESTS, type SelfTestEvent, type SelfTestId } from '../../protocol/self-test.js';
import type { Api } from '../api.js';
import { printable } from '../printable.js';
import { Fault, LiveServer, Skip } from './live-server.js';
import {
  anthropicTest,
  cancelTest,
  chatStreamTest,
  chatTest,
  completionStreamTest,
  embeddingsTest,
  maxTokensTest,
  ollamaTest,
  responsesTest,
  schemaTest,
  stopTest,
  type Test,
  toolsTest,
} from './model-tests.js';
import {
  corsTest,
  errorsTest,
  healthTest,
  hostGuardTest,
  keepAliveTest,
  keyGuardTest,
  modelsTest,
  originGuardTest,
} from './server-tests.js';
import { studySubject } from './subject.js';

const TESTS: Record<SelfTestId, Test> = {
  health: healthTest,
  models: modelsTest,
  keep_alive: keepAliveTest,
  chat: chatTest,
  chat_stream: chatStreamTest,
  completion_stream: completionStreamTest,
  stop: stopTest,
  max_tokens: maxTokensTest,
  schema: schemaTest,
  tools: toolsTest,
  cancel: cancelTest,
  embeddings: embeddingsTest,
  responses: responsesTest,
  anthropic: anthropicTest,
  ollama: ollamaTest,
  errors: errorsTest,
  host_guard: hostGuardTest,
  origin_guard: originGuardTest,
  cors: corsTest,
  key_guard: keyGuardTest,
};

/** Longest time of one test, in milliseconds: its model may have to be loaded, and others may be before it. */
const TEST_MS = 180_000;

export interface SelfTestOptions {
  api: Api;
  /** Null: the current one. */
  model: string | null;
  /** As the server's settings allow them; null: not known. */
  origins: readonly string[] | null;
  signal: AbortSignal;
}

/** Ends early, without an `end`, where the signal aborts. */
export async function* selfTest(options: SelfTestOptions): AsyncGenerator<SelfTestEvent> {
  const { api, model, origins, signal } = options;
  const serverFor = () =>
    new LiveServer(api, AbortSignal.any([signal, AbortSignal.timeout(TEST_MS)]));
  const subject = await studySubject(serverFor(), model, origins).catch((error: unknown) => {
    if (error instanceof Fault) return error;
    throw error;
  });
  const url = `${api.isTls ? 'https' : 'http'}://${bracketed(api.host)}:${api.port}`;
  yield { type: 'begin', url, model: subject instanceof Fault ? null : subject.model };
  // A short one stands in words by chance.
  const hidden = api.key !== null && api.key.length >= 8 ? api.key : null;
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const test of SELF_TESTS) {
    if (signal.aborted) return;
    yield { type: 'running', test };
    const begun = performance.now();
    const { status, detail } =
      subject instanceof Fault
        ? await outcome(() => Promise.reject(test === 'health' ? subject : NOBODY))
        : await outcome(() => TESTS[test]({ ...subject, live: serverFor() }));
    if (signal.aborted) return;
    counts[status] += 1;
    const ms = Math.round(performance.now() - begun);
    const shown = detail === null ? null : printable(detail, hidden);
    yield { type: 'result', test, status, ms, detail: shown };
  }
  yield { type: 'end', ...counts };
}

const NOBODY = new Skip('the server does not answer');

async function outcome(run: () => Promise<string | null>) {
  try {
    return { status: 'passed', detail: await run() } as const;
  } catch (error) {
    if (error instanceof Skip) return { status: 'skipped', detail: error.message } as const;
    if (error instanceof Fault) return { status: 'failed', detail: error.message } as const;
    throw error;
  }
}

const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host);
