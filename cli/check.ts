/** `pilotlight check`: tries what a server promises on the wire. The result goes to standard output, all else to the other. */
import { AddressError, apiOf } from '../load/api.js';
import { selfTest } from '../load/self-test/self-test.js';
import type { SelfTestId, SelfTestResult } from '../protocol/self-test.js';
import { stopOnSignal } from './stop-on-signal.js';

export interface CheckOptions {
  model?: string;
  apiKey?: string;
  json?: boolean;
}

/** What each test is about, in words. */
const NAMES: Record<SelfTestId, string> = {
  health: 'the server says that it is well',
  models: 'the list of models',
  keep_alive: 'a connection is used again',
  chat: 'a chat completion',
  chat_stream: 'a streamed chat completion',
  completion_stream: 'a streamed completion',
  stop: 'stop strings',
  max_tokens: 'the limit of tokens',
  schema: 'an answer in the shape of a schema',
  tools: 'a tool call',
  cancel: 'a client that leaves ends its answer',
  embeddings: 'embeddings',
  responses: 'the Responses API',
  anthropic: "Anthropic's API",
  ollama: "Ollama's API",
  errors: 'errors have four keys',
  host_guard: 'foreign Hosts are refused',
  origin_guard: 'pages of foreign origins are refused',
  cors: 'pages of allowed origins are let in',
  key_guard: 'keys are asked for',
};

const MARKS = { passed: '✓', failed: '✗', skipped: '–' } as const;

/** Exit status: whether all holds; that it was interrupted. */
const EXIT = { holds: 0, fails: 1, interrupted: 130 } as const;

export async function check(url: string, options: CheckOptions): Promise<void> {
  const stop = new AbortController();
  const forget = stopOnSignal(stop, EXIT.interrupted);
  const results: SelfTestResult[] = [];
  try {
    const key = options.apiKey ?? (process.env.PILOTLIGHT_API_KEY || null);
    const model = options.model ?? null;
    const run = selfTest({ api: apiOf(url, key), model, origins: null, signal: stop.signal });
    for await (const event of run) {
      if (event.type === 'begin') {
        console.error(`${event.url}, ${event.model ?? 'without a model'}`);
      } else if (event.type === 'result') {
        const { type: _, ...result } = event;
        results.push(result);
        if (!options.json) console.log(line(result));
      } else if (event.type === 'end') {
        const { passed, failed, skipped } = event;
        if (options.json) console.log(JSON.stringify({ passed, failed, skipped, results }));
        else console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
        process.exitCode = failed === 0 ? EXIT.holds : EXIT.fails;
      }
    }
    if (stop.signal.aborted) process.exitCode = EXIT.interrupted;
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    console.error(error.message);
    process.exitCode = EXIT.fails;
  } finally {
    forget();
  }
}

function line({ test, status, ms, detail }: SelfTestResult): string {
  const time = status === 'skipped' ? '' : `${ms} ms`;
  const head = `${MARKS[status]} ${NAMES[test].padEnd(40)} ${time.padStart(8)}`;
  return detail === null ? head.trimEnd() : `${head}  ${detail}`;
}
