import { expect, test } from 'vitest';
import { PREFERENCE_DEFAULTS, type Preferences } from '../../protocol/preferences.js';
import { PreferenceStore } from './preference-store.js';

/** A server that answers when it is told to. */
function server() {
  const requests: { answer: (now: Preferences) => void; refuse: () => void }[] = [];
  const send = (_patch: Partial<Preferences>) =>
    new Promise<Preferences>((answer, reject) => {
      requests.push({ answer, refuse: () => reject(new Error('No.')) });
    });
  return { send, requests };
}

test('a change shows at once, and is there still when the server has it', async () => {
  const { send, requests } = server();
  const store = new PreferenceStore(PREFERENCE_DEFAULTS, send);
  const changed = store.change({ theme: 'dark' });
  expect(store.snapshot().theme).toBe('dark');
  // What the server says meanwhile does not take it back.
  store.follow({ ...PREFERENCE_DEFAULTS, accent: 'rose' });
  expect(store.snapshot()).toMatchObject({ theme: 'dark', accent: 'rose' });
  requests[0]?.answer({ ...PREFERENCE_DEFAULTS, accent: 'rose', theme: 'dark' });
  await changed;
  expect(store.snapshot()).toMatchObject({ theme: 'dark', accent: 'rose' });
});

test('of two changes under way the later one shows', async () => {
  const { send, requests } = server();
  const store = new PreferenceStore(PREFERENCE_DEFAULTS, send);
  const first = store.change({ text_size: 1.1 });
  const second = store.change({ text_size: 1.2 });
  requests[0]?.answer({ ...PREFERENCE_DEFAULTS, text_size: 1.1 });
  await first;
  expect(store.snapshot().text_size).toBe(1.2);
  requests[1]?.answer({ ...PREFERENCE_DEFAULTS, text_size: 1.2 });
  await second;
  expect(store.snapshot().text_size).toBe(1.2);
});

test('a refused change goes back, and the refusal is told', async () => {
  const { send, requests } = server();
  const store = new PreferenceStore(PREFERENCE_DEFAULTS, send);
  const changed = store.change({ theme: 'dark' });
  requests[0]?.refuse();
  await expect(changed).rejects.toThrow('No.');
  expect(store.snapshot()).toEqual(PREFERENCE_DEFAULTS);
});
