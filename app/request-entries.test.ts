import { describe, expect, it } from 'vitest';
import type { LiveRequest } from '../protocol/models.js';
import { testEntry as model, testState } from '../protocol/test-state.js';
import { REQUESTS_LISTED, requestEntries } from './request-entries.js';

/** Half past two in the afternoon, wherever this runs. */
const AT = Math.floor(new Date(2026, 10, 30, 14, 30, 5).getTime() / 1000);

const request = (id: string, changes: Partial<LiveRequest> = {}): LiveRequest => ({
  ...{ id, model: 'guide', route: '/v1/chat/completions', state: 'running', started_at: AT },
  ...changes,
});

function entries(requests: LiveRequest[]) {
  const state = testState([model('guide', { name: 'Guide' })], { requests });
  const [menu] = requestEntries(state);
  if (menu?.kind !== 'submenu') throw new Error('no submenu');
  return { label: menu.label, items: menu.entries.filter((entry) => entry.kind === 'item') };
}

describe('requestEntries', () => {
  it('is nothing while there is no request', () => {
    expect(requestEntries(testState([model('guide')]))).toEqual([]);
  });

  it('tells of each whose it is, what it is and since when, and cancels it; then all', () => {
    const { label, items } = entries([
      request('a'),
      request('b', { model: 'gone', route: '/api/chat', state: 'waiting' }),
      request('c', { route: '/of/a/later/version' }),
    ]);
    expect(label).toBe('Requests (3)');
    expect(items.map((entry) => [entry.label, entry.action])).toEqual([
      ['Cancel Guide — OpenAI chat, since 14:30:05', { type: 'cancel-request', id: 'a' }],
      ['Cancel gone — Ollama chat, since 14:30:05, waiting', { type: 'cancel-request', id: 'b' }],
      ['Cancel Guide — /of/a/later/version, since 14:30:05', { type: 'cancel-request', id: 'c' }],
      ['Cancel all', { type: 'cancel-request', id: null }],
    ]);
  });

  it('lists the oldest of a burst, and has entries of their own for two with the same id', () => {
    const burst = Array.from({ length: 50 }, (_, index) => request(`r${index}`));
    const { label, items } = entries(burst);
    expect(label).toBe('Requests (50 or more)');
    expect(items).toHaveLength(REQUESTS_LISTED + 1);
    expect(items[0]?.action).toEqual({ type: 'cancel-request', id: 'r0' });
    const twins = entries([request('a'), request('a')]).items;
    expect(twins[0]?.id).not.toBe(twins[1]?.id);
  });
});
