/** What a desktop may have to show, for tests. */
import fc from 'fast-check';
import { type Download, downloadStatusSchema } from '../protocol/downloads.js';
import { modelStatusSchema } from '../protocol/models.js';
import { testEntry, testState } from '../protocol/test-state.js';
import type { DesktopState } from './server-status.js';

/** In the midst of it. */
export function testDownload(id: string, changes: Partial<Download> = {}): Download {
  return {
    ...{ id, repo: 'org/repo', revision: 'main', name: `${id}-Q4_K_M`, quantization: 'Q4_K_M' },
    ...{ files: [], status: 'downloading', total_bytes: 1_000, received_bytes: 439 },
    ...{ bytes_per_second: 1, seconds_left: 1, retry_at: null, reason: null, model_id: null },
    ...changes,
  };
}

const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.string());
const anyCount = fc.nat({ max: 1e6 });

const anyModel = fc
  .record({
    id: anyText,
    name: anyText,
    status: fc.constantFrom(...modelStatusSchema.options),
    kind: fc.constantFrom('generative' as const, 'embedding' as const, 'rerank' as const),
    progress: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    reason: fc.option(anyText),
    memory_bytes: fc.option(fc.nat({ max: Number.MAX_SAFE_INTEGER })),
    last_used_at: fc.option(anyCount),
    pinned: fc.boolean(),
    running: fc.nat({ max: 3 }),
  })
  .map(({ id, ...changes }) => testEntry(id, changes));

/** Their ids are chosen by clients: two may be the same. */
const anyRequest = fc.record({
  id: fc.oneof(anyText, fc.constantFrom('a', 'b')),
  model: anyText,
  route: fc.oneof(anyText, fc.constant('/v1/messages')),
  state: fc.constantFrom('waiting' as const, 'running' as const),
  started_at: anyCount,
});

const anyDownload = fc.record({
  id: anyText,
  repo: anyText,
  revision: anyText,
  name: anyText,
  quantization: fc.option(anyText),
  files: fc.array(anyText, { maxLength: 2 }),
  status: fc.constantFrom(...downloadStatusSchema.options),
  total_bytes: anyCount,
  received_bytes: anyCount,
  bytes_per_second: fc.option(anyCount),
  seconds_left: fc.option(anyCount),
  retry_at: fc.option(anyCount),
  reason: fc.option(anyText),
  model_id: fc.option(anyText),
});

const anyState = fc
  .record({
    models: fc.uniqueArray(anyModel, { selector: ({ id }) => id, maxLength: 40 }),
    current: fc.option(fc.nat({ max: 50 })),
    requests: fc.array(anyRequest, { maxLength: 50 }),
    downloads: fc.uniqueArray(anyDownload, { selector: ({ id }) => id, maxLength: 10 }),
    running: anyCount,
    waiting: anyCount,
  })
  .map(({ models, current, ...changes }) =>
    testState(models, { ...changes, current_model: models[current ?? models.length]?.id ?? null }),
  );

/** Any that may ever have to be shown. */
export const anyDesktop: fc.Arbitrary<DesktopState> = fc.record({
  server: fc.oneof(
    fc.constantFrom(
      { kind: 'starting' as const },
      { kind: 'stopping' as const },
      { kind: 'stopped' as const },
    ),
    fc.record({ kind: fc.constant('ready' as const), url: fc.constant('http://127.0.0.1:7411') }),
    fc.record({
      kind: fc.constantFrom('restarting' as const, 'failed' as const),
      sentence: anyText,
    }),
  ),
  state: fc.option(anyState),
});
