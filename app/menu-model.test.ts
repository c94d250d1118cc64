import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelEntry, ServerState } from '../protocol/models.js';
import { testEntry, testState } from '../protocol/test-state.js';
import { LABEL_LENGTH, type MenuEntry } from './menu-entry.js';
import { menuOutline, trayMenu, trayToolTip } from './menu-model.js';
import type { DesktopState } from './server-status.js';
import { anyDesktop, testDownload } from './test-desktop.js';

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

/** Every entry, those of submenus too. */
function flat(entries: readonly MenuEntry[]): MenuEntry[] {
  return entries.flatMap((entry) =>
    entry.kind === 'submenu' ? [entry, ...flat(entry.entries)] : [entry],
  );
}

describe('trayMenu', () => {
  it('keeps the order: state, models, what can be ended, commands, quit last', () => {
    const loaded = model('guide', { status: 'loaded', memory_bytes: 1e8 });
    const request = { id: 'r', model: 'guide', route: '/v1/messages', started_at: 0 };
    const state = desktop([loaded], { requests: [{ ...request, state: 'running' }] });
    const ids = trayMenu(state, true).map((entry) => (entry.kind === 'separator' ? '-' : entry.id));
    expect(ids).toEqual([
      ...['summary', '-', 'model:guide', '-', 'unload:guide', 'requests', '-'],
      ...[
        'open',
        'quick-ask',
        'open-models-folder',
        'copy-address',
        'serving',
        'server',
        '-',
        'open-at-login',
        'quit',
      ],
    ]);
  });

  it('switches the API for programs, and says where it is off', () => {
    const on = desktop([model('guide', { name: 'Guide', status: 'loaded' })]);
    expect(find(on, 'serving')).toMatchObject({
      ...{ checked: true, action: { type: 'set-serving', enabled: false } },
    });
    const off = desktop([model('guide', { name: 'Guide', status: 'loaded' })], { serving: false });
    expect(find(off, 'serving')).toMatchObject({
      ...{ checked: false, action: { type: 'set-serving', enabled: true } },
    });
    expect(find(off, 'summary').label).toBe('Guide: ready, off for programs');
    expect(find(desktop([], { serving: false }), 'summary').label).toContain('off for programs');
  });

  it('says what the current model is doing', () => {
    const label = (state: DesktopState) => find(state, 'summary').label;
    const loaded = model('guide', { name: 'Guide', status: 'loaded' });
    expect(label(desktop([loaded]))).toBe('Guide: ready');
    const asked = (running: number, waiting: number, changes: Partial<ServerState> = {}) =>
      label(desktop([{ ...loaded, running, waiting }], { running, waiting, ...changes }));
    expect(asked(1, 0)).toBe('Guide: answering 1 request');
    expect(asked(2, 1)).toBe('Guide: answering 3 requests');
    expect(asked(0, 0, { running: 1, waiting: 1 })).toBe('Guide: ready, others answer 2 requests');
    expect(label(desktop([model('guide')]))).toBe('guide: loads with the next request');
    expect(label(desktop([model('guide', { status: 'crashed' })]))).toBe(
      'guide: crashed, loads again with the next request',
    );
    const far = (status: ModelEntry['status']) =>
      label(desktop([model('far', { status, source: 'upstream', owned_by: 'other' })]));
    expect([far('loaded'), far('unloaded'), far('failed')]).toEqual([
      'far: ready',
      'far: not asked yet',
      'far: cannot be reached',
    ]);
    const long = model('m', { name: 'm'.repeat(100), status: 'crashed' });
    expect(label(desktop([long]))).toMatch(/^m+…m+: crashed, loads again with the next request$/);
    expect(label(desktop([]))).toBe('No model yet');
    expect(label(desktop([loaded], { current_model: null }))).toBe('No model chosen');
  });

  it('says what the server is doing while there is no state', () => {
    const label = (server: DesktopState['server']) =>
      find({ server, state: null }, 'summary').label;
    expect(label({ kind: 'starting' })).toBe('Starting…');
    expect(label({ kind: 'ready', url: 'http://127.0.0.1:1' })).toBe('Starting…');
    expect(label({ kind: 'restarting', sentence: '' })).toMatch(/starting it again/);
    expect(label({ kind: 'failed', sentence: '' })).toBe('The model server is not running');
    expect(label({ kind: 'stopping' })).toBe('Stopping…');
    expect(label({ kind: 'stopped' })).toBe('The model server is stopped');
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

  it('offers to stop the server while it runs, and to start it while it does not', () => {
    const entry = (server: DesktopState['server']) => find({ server, state: null }, 'server');
    const stop = { label: 'Stop the server', enabled: true, action: { type: 'stop-server' } };
    const start = { label: 'Start the server', enabled: true, action: { type: 'start-server' } };
    expect(entry({ kind: 'ready', url: 'http://127.0.0.1:1' })).toMatchObject(stop);
    expect(entry({ kind: 'starting' })).toMatchObject(stop);
    expect(entry({ kind: 'restarting', sentence: '' })).toMatchObject(stop);
    expect(entry({ kind: 'stopping' })).toMatchObject({ enabled: false });
    expect(entry({ kind: 'stopped' })).toMatchObject(start);
    expect(entry({ kind: 'failed', sentence: '' })).toMatchObject(start);
  });

  it('has ids of one entry each, short labels of one line and no empty group, whatever is shown', () => {
    fc.assert(
      fc.property(anyDesktop, fc.constantFrom(null, true, false), (state, openAtLogin) => {
        const entries = trayMenu(state, openAtLogin);
        const named = flat(entries).filter((entry) => entry.kind !== 'separator');
        const ids = named.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const { label } of named) {
          expect([...label.replaceAll('&&', '&')].length).toBeLessThanOrEqual(LABEL_LENGTH);
          expect(label).not.toMatch(/[\n\r\t]/);
        }
        const kinds = entries.map(({ kind }) => kind).join(' ');
        expect(`separator ${kinds} separator`).not.toContain('separator separator');
        expect(entries.at(-1)).toMatchObject({ id: 'quit' });
      }),
    );
  });

  it('ticks the current model and no other, and lets only models that write be chosen', () => {
    fc.assert(
      fc.property(anyDesktop, (desktopState) => {
        const entries = flat(trayMenu(desktopState, null)).filter((entry) => entry.kind === 'item');
        const models = entries.filter(({ id }) => id.startsWith('model:'));
        const { state } = desktopState;
        const current = state?.models.find(({ id }) => id === state.current_model);
        expect(models.filter(({ checked }) => checked).map(({ id }) => id)).toEqual(
          current ? [`model:${current.id}`] : [],
        );
        for (const { action } of models.filter(({ enabled }) => enabled)) {
          const id = action?.type === 'select-model' ? action.model : null;
          const chosen = state?.models.find((entry) => entry.id === id);
          expect(chosen?.kind).toBe('generative');
          expect(chosen?.status).not.toBe('invalid');
        }
      }),
    );
  });
});

describe('menuOutline', () => {
  const guide = model('guide', { status: 'loaded', memory_bytes: 1e8 });
  const outline = (changes: Partial<ModelEntry>, state: Partial<ServerState> = {}, login = false) =>
    menuOutline(trayMenu(desktop([{ ...guide, ...changes }, model('qwen')], state), login));

  it('stays while only counts change, and while requests come and go', () => {
    const before = outline({});
    const request = { id: 'r', model: 'guide', route: '/v1/messages', started_at: 0 };
    const requests = [{ ...request, state: 'running' as const }];
    expect(outline({ running: 1, memory_bytes: 2e8 }, { running: 1, requests })).toBe(before);
    expect(outline({}, { downloads: [testDownload('d')] })).toBe(before);
  });

  it('changes with what is there and what can be done', () => {
    const outlines = [
      outline({}),
      outline({ status: 'unloaded' }),
      outline({}, { current_model: 'qwen' }),
      outline({}, {}, true),
      menuOutline(trayMenu({ server: { kind: 'stopping' }, state: null }, false)),
      menuOutline(trayMenu({ server: { kind: 'stopped' }, state: null }, false)),
    ];
    expect(new Set(outlines).size).toBe(outlines.length);
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
