import { describe, expect, it } from 'vitest';
import type { ModelEntry, ServerState } from '../protocol/models.js';
import { testEntry as model, testState } from '../protocol/test-state.js';
import type { MenuEntry } from './menu-entry.js';
import { MODELS_LISTED, memory, modelEntries, unloadEntries } from './model-entries.js';

/** Label of an entry, or labels of a submenu behind its own. */
function shown(entries: readonly MenuEntry[]): unknown[] {
  return entries.map((entry) => {
    if (entry.kind === 'separator') return '-';
    return entry.kind === 'item' ? entry.label : [entry.label, ...shown(entry.entries)];
  });
}

const list = (models: ModelEntry[], changes: Partial<ServerState> = {}) =>
  modelEntries(testState(models, changes));
const only = (entry: ModelEntry) => list([entry])[0];

describe('modelEntries', () => {
  it('lists the current model first, then by last use, then those of never, ticking the current', () => {
    const models = [
      model('never'),
      model('old', { last_used_at: 5 }),
      model('bge', { kind: 'embedding', last_used_at: 9 }),
      model('new', { last_used_at: 8 }),
      model('current', { last_used_at: 1 }),
    ];
    const entries = list(models, { current_model: 'current' });
    expect(shown(entries)).toEqual(['current', 'new', 'old', 'never', 'bge — for embeddings']);
    expect(entries.map((entry) => entry.kind === 'item' && entry.checked)).toEqual([
      true,
      ...[false, false, false, false],
    ]);
    expect(entries[1]).toMatchObject({
      enabled: true,
      action: { type: 'select-model', model: 'new' },
    });
  });

  it('tells the memory of each loaded one, and which is pinned', () => {
    const loaded = { status: 'loaded', memory_bytes: 1_240_000_000 } as const;
    expect(only(model('qwen', loaded))).toMatchObject({ label: 'qwen — 1.2 GB' });
    expect(only(model('qwen', { ...loaded, pinned: true }))).toMatchObject({
      label: 'qwen — 1.2 GB, pinned',
    });
    expect(only(model('bge', { ...loaded, kind: 'rerank' }))).toMatchObject({
      label: 'bge — for ranking, 1.2 GB',
      enabled: false,
    });
  });

  it('tells on which other server a model is, and why it is not to be had', () => {
    const far = { source: 'upstream', owned_by: 'workstation', status: 'loaded' } as const;
    expect(only(model('big', far))).toMatchObject({ label: 'big — on workstation', enabled: true });
    const gone = { ...far, status: 'failed', reason: 'It cannot be reached.' } as const;
    expect(only(model('big', gone))).toMatchObject({ label: 'big — It cannot be reached.' });
  });

  it('puts the rest into a submenu, where there is more than one', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => model(`m${i}`));
    expect(list(many(MODELS_LISTED + 1))).toHaveLength(MODELS_LISTED + 1);
    const entries = list(many(MODELS_LISTED + 2));
    expect(shown(entries.slice(-2))).toEqual([
      `m${MODELS_LISTED - 1}`,
      ['More models (2)', `m${MODELS_LISTED}`, `m${MODELS_LISTED + 1}`],
    ]);
    const thousands = shown(list(many(3_000))).at(-1) as string[];
    expect(thousands).toHaveLength(102);
    expect(thousands.at(-1)).toBe('All models in the window');
  });

  it('disables a file that cannot be a model and says why', () => {
    const broken = model('notes', { status: 'invalid', reason: 'This is not a GGUF file.' });
    expect(only(broken)).toMatchObject({
      enabled: false,
      label: 'notes — This is not a GGUF file.',
    });
  });

  it('lets a model that failed be tried again and says why it failed', () => {
    const failed = model('big', { status: 'failed', reason: 'It needs 40 GB of memory.' });
    expect(only(failed)).toMatchObject({
      enabled: true,
      label: 'big — It needs 40 GB of memory.',
    });
  });

  it('shows the progress of loading', () => {
    const at = (progress: number | null) => only(model('qwen', { status: 'loading', progress }));
    expect(at(0.429)).toMatchObject({ label: 'qwen — loading 42 %' });
    expect(at(null)).toMatchObject({ label: 'qwen — loading' });
    expect(only(model('qwen', { status: 'unloading' }))).toMatchObject({
      label: 'qwen — unloading',
    });
  });
});

describe('unloadEntries', () => {
  const loaded = { status: 'loaded', memory_bytes: 2e9 } as const;

  it('is one entry for the only loaded model, and none without one', () => {
    expect(unloadEntries(testState([model('a'), model('b', { status: 'failed' })]))).toEqual([]);
    expect(unloadEntries(testState([model('a'), model('b', loaded)]))).toMatchObject([
      { id: 'unload:b', label: 'Unload b — 2.0 GB', action: { type: 'unload-model', model: 'b' } },
    ]);
  });

  it('leaves models of other servers alone', () => {
    const far = model('far', { ...loaded, source: 'upstream' });
    expect(unloadEntries(testState([far]))).toEqual([]);
  });

  it('gives up a load that is under way', () => {
    const big = model('big', { status: 'loading', progress: 0.3 });
    expect(shown(unloadEntries(testState([big])))).toEqual(['Unload big — loading 30 %']);
  });

  it('is a submenu of several, and tells which are pinned and which have to answer before', () => {
    const models = [
      model('a', { ...loaded, pinned: true }),
      model('b', { ...loaded, running: 1 }),
      model('c', { ...loaded, waiting: 1, pinned: true }),
    ];
    expect(shown(unloadEntries(testState(models)))).toEqual([
      [
        'Unload',
        'a — 2.0 GB, pinned',
        'b — 2.0 GB, once it has answered',
        'c — 2.0 GB, pinned, once it has answered',
      ],
    ]);
  });
});

describe('memory', () => {
  it.each([
    [0, '1 MB'],
    [1_499_999, '1 MB'],
    [999_000_000, '999 MB'],
    [999_500_000, '1.0 GB'],
    [1_240_000_000, '1.2 GB'],
    [99_940_000_000, '99.9 GB'],
    [99_950_000_000, '100 GB'],
    [412_300_000_000, '412 GB'],
  ])('%i bytes are %s', (bytes, text) => {
    expect(memory(bytes)).toBe(text);
  });
});
