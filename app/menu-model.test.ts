import { describe, expect, it } from 'vitest';
import type { ModelEntry, ServerState } from '../protocol/models.js';
import { testEntry, testState } from '../protocol/test-state.js';
import { type MenuEntry, trayMenu, trayToolTip } from './menu-model.js';
import type { DesktopState } from './server-status.js';

const model = testEntry;

function desktop(models: ModelEntry[], changes: Partial<ServerState> = {}): DesktopState {
  return {
    server: { kind: 'ready', url: 'http://127.0.0.1:7411' },
    state: testState(models, changes),
  };
}

type Item = Extract<MenuEntry, { kind: 'item' }>;

function items(state: DesktopState, openAtLogin: boolean | null = null): Item[] {
  return trayMenu(state, openAtLogin).filter((entry) => entry.kind === 'item');
}

function find(state: DesktopState, id: string): Item {
  const found = items(state).find((entry) => entry.id === id);
  if (!found) throw new Error(`no menu entry ${id}`);
  return found;
}

describe('trayMenu', () => {
  it('lists every model with the tick at the current one', () => {
    const entries = items(desktop([model('guide', { status: 'loaded' }), model('qwen')]));
    const models = entries.filter((entry) => entry.id.startsWith('model:'));
    expect(models.map((entry) => [entry.label, entry.checked, entry.enabled])).toEqual([
      ['guide', true, true],
      ['qwen', false, true],
    ]);
    expect(models[1]?.action).toEqual({ type: 'select-model', model: 'qwen' });
  });

  it('keeps the order: state, models, commands, quit last', () => {
    const ids = trayMenu(desktop([model('guide')]), null).map((entry) =>
      entry.kind === 'item' ? entry.id : '-',
    );
    expect(ids).toEqual([
      'summary',
      '-',
      'model:guide',
      '-',
      'open',
      'open-models-folder',
      'copy-address',
      '-',
      'quit',
    ]);
  });

  it('disables a file that cannot be a model and says why', () => {
    const broken = model('notes', { status: 'invalid', reason: 'This is not a GGUF file.' });
    const entry = find(desktop([model('guide'), broken]), 'model:notes');
    expect(entry.enabled).toBe(false);
    expect(entry.label).toBe('notes — This is not a GGUF file.');
  });

  it('lets a model that failed be tried again and says why it failed', () => {
    const failed = model('big', { status: 'failed', reason: 'It needs 40 GB of memory.' });
    const entry = find(desktop([failed]), 'model:big');
    expect(entry.enabled).toBe(true);
    expect(entry.label).toBe('big — It needs 40 GB of memory.');
    expect(find(desktop([failed]), 'summary').label).toBe('big: cannot be loaded');
  });

  it('names what a model for programs is for, and does not offer it', () => {
    const entry = find(desktop([model('bge', { kind: 'embedding' })]), 'model:bge');
    expect(entry).toMatchObject({ label: 'bge — for embeddings', enabled: false });
  });

  it('shows the progress of loading', () => {
    const entry = model('qwen', { status: 'loading', progress: 0.429 });
    expect(find(desktop([entry]), 'model:qwen').label).toBe('qwen — loading 42 %');
    expect(find(desktop([entry]), 'summary').label).toBe('qwen: loading 42 %');
    const early = model('qwen', { status: 'loading', progress: null });
    expect(find(desktop([early]), 'model:qwen').label).toBe('qwen — loading');
  });

  it('keeps ampersands and cuts long text, with the whole of it as tool tip', () => {
    expect(find(desktop([model('R&D')]), 'model:R&D').label).toBe('R&&D');
    const long = model('m', { name: '模'.repeat(100) });
    const entry = find(desktop([long]), 'model:m');
    expect(entry.label).toBe(`${'模'.repeat(71)}…`);
    expect(entry.toolTip).toBe(long.name);
  });

  it('says what the current model is doing', () => {
    const label = (state: DesktopState) => find(state, 'summary').label;
    const loaded = [model('guide', { name: 'Guide', status: 'loaded' })];
    expect(label(desktop(loaded))).toBe('Guide: ready');
    expect(label(desktop(loaded, { running: 1 }))).toBe('Guide: answering 1 request');
    expect(label(desktop(loaded, { running: 2, waiting: 1 }))).toBe('Guide: answering 3 requests');
    expect(label(desktop([model('guide')]))).toBe('guide: loads with the next request');
    expect(label(desktop([model('guide', { status: 'crashed' })]))).toBe(
      'guide: crashed, loads again with the next request',
    );
    expect(label(desktop([]))).toBe('No model yet');
    expect(label(desktop(loaded, { current_model: null }))).toBe('No model chosen');
  });

  it('says what the server is doing while there is no state', () => {
    const label = (server: DesktopState['server']) =>
      find({ server, state: null }, 'summary').label;
    expect(label({ kind: 'starting' })).toBe('Starting…');
    expect(label({ kind: 'ready', url: 'http://127.0.0.1:1' })).toBe('Starting…');
    expect(label({ kind: 'restarting', sentence: '' })).toMatch(/starting it again/);
    expect(label({ kind: 'failed', sentence: '' })).toBe('The model server is not running');
    expect(label({ kind: 'stopped' })).toBe('Stopping…');
    const entry = items({ server: { kind: 'starting' }, state: null }).find(
      ({ id }) => id === 'copy-address',
    );
    expect(entry?.enabled).toBe(false);
  });

  it('offers the start at login only where the system has it, and flips it', () => {
    const switches = (open: boolean | null) =>
      items(desktop([]), open).filter((entry) => entry.id === 'open-at-login');
    expect(switches(null)).toEqual([]);
    expect(switches(false)[0]).toMatchObject({
      checked: false,
      action: { type: 'set-open-at-login', open: true },
    });
    expect(switches(true)[0]).toMatchObject({
      checked: true,
      action: { type: 'set-open-at-login', open: false },
    });
  });
});

describe('trayToolTip', () => {
  it('has the state and the address', () => {
    expect(trayToolTip(desktop([model('guide', { status: 'loaded' })]))).toBe(
      'Pilotlight · guide: ready · http://127.0.0.1:7411',
    );
    expect(trayToolTip({ server: { kind: 'starting' }, state: null })).toBe(
      'Pilotlight · Starting…',
    );
  });
});
