import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Download } from '../../protocol/downloads.js';
import { type ModelEvent, modelEventSchema } from '../../protocol/model-control.js';
import type { ModelEntry } from '../../protocol/models.js';
import { testEntry } from '../../protocol/test-state.js';
import { changes, type ModelsState, snapshot } from './changes.js';

const DOWNLOAD: Download = {
  ...{ id: 'd', repo: 'a/b', revision: 'main', name: 'b', quantization: null, files: ['b.gguf'] },
  ...{ status: 'downloading', total_bytes: 10, received_bytes: 1, bytes_per_second: 1 },
  ...{ seconds_left: 9, retry_at: null, reason: null, model_id: null },
};

const entries = fc.record({
  id: fc.constantFrom('a', 'b', 'c', '../é'),
  status: fc.constantFrom<ModelEntry['status']>(
    ...(['unloaded', 'loading', 'loaded', 'unloading', 'failed', 'crashed', 'invalid'] as const),
  ),
  progress: fc.constantFrom(null, 0, 0.5),
  reason: fc.constantFrom(null, 'It waits.'),
  running: fc.integer({ min: 0, max: 2 }),
});
const downloads = fc.record({
  id: fc.constantFrom('x', 'y'),
  status: fc.constantFrom<Download['status']>('queued', 'downloading', 'done'),
  received_bytes: fc.integer({ min: 0, max: 3 }),
});
const states: fc.Arbitrary<ModelsState> = fc.record({
  current_model: fc.constantFrom(null, 'a', 'b'),
  models: fc
    .uniqueArray(entries, { selector: ({ id }) => id })
    .map((list) => list.map((each) => testEntry(each.id, each))),
  downloads: fc
    .uniqueArray(downloads, { selector: ({ id }) => id })
    .map((list) => list.map((each) => ({ ...DOWNLOAD, ...each }))),
});

/** As a client keeps what it is told. */
class Client {
  current: string | null = null;
  models = new Map<string, ModelEntry>();
  downloads = new Map<string, Download>();

  apply(event: ModelEvent): void {
    switch (event.type) {
      case 'snapshot':
        this.current = event.current_model;
        this.models = new Map(event.models.map((each) => [each.id, each]));
        this.downloads = new Map(event.downloads.map((each) => [each.id, each]));
        break;
      case 'model-added':
      case 'model-changed':
      case 'loaded':
      case 'unloaded':
      case 'failed':
        this.models.set(event.model.id, event.model);
        break;
      case 'model-removed':
        this.models.delete(event.id);
        break;
      case 'load-progress': {
        const { type, id, ...news } = event;
        this.models.set(id, { ...known(this.models, id), ...news });
        break;
      }
      case 'current-model':
        this.current = event.id;
        break;
      case 'download-changed':
        this.downloads.set(event.download.id, event.download);
        break;
      case 'download-progress': {
        const { type, id, ...news } = event;
        this.downloads.set(id, { ...known(this.downloads, id), ...news });
        break;
      }
      case 'download-removed':
        this.downloads.delete(event.id);
        break;
    }
  }
}

function known<T>(map: ReadonlyMap<string, T>, id: string): T {
  const value = map.get(id);
  if (value === undefined) throw new Error(`nobody has told of ${id}`);
  return value;
}

describe('the events of models', () => {
  it('applied to a snapshot give each state that follows', () => {
    fc.assert(
      fc.property(states, fc.array(states, { minLength: 1, maxLength: 6 }), (first, next) => {
        const client = new Client();
        client.apply(snapshot(first));
        let before = first;
        for (const after of next) {
          for (const event of changes(before, after)) {
            expect(modelEventSchema.parse(event)).toEqual(event);
            client.apply(event);
          }
          expect(client.current).toBe(after.current_model);
          expect(client.models).toEqual(new Map(after.models.map((each) => [each.id, each])));
          expect(client.downloads).toEqual(new Map(after.downloads.map((each) => [each.id, each])));
          before = after;
        }
      }),
    );
  });

  it('are none where nothing has changed', () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(changes(state, state)).toEqual([]);
      }),
    );
  });

  it.each<[Partial<ModelEntry>, Partial<ModelEntry>, ModelEvent['type']]>([
    [{ status: 'unloaded' }, { status: 'loading', progress: 0 }, 'model-changed'],
    [{ status: 'loading', progress: 0 }, { status: 'loading', progress: 0.5 }, 'load-progress'],
    [{ status: 'loading', progress: 0.5 }, { status: 'loaded' }, 'loaded'],
    [{ status: 'unloading' }, { status: 'unloaded' }, 'unloaded'],
    [{ status: 'loading' }, { status: 'failed', reason: 'It is bad.' }, 'failed'],
    [{ status: 'loaded' }, { status: 'crashed', reason: 'It ended.' }, 'failed'],
    [{ status: 'loaded' }, { status: 'loaded', running: 1 }, 'model-changed'],
  ])('from %j to %j: %s', (before, after, type) => {
    const state = (entry: Partial<ModelEntry>): ModelsState => ({
      ...{ current_model: null, downloads: [] },
      models: [testEntry('a', entry)],
    });
    expect(changes(state(before), state(after)).map((event) => event.type)).toEqual([type]);
  });
});
