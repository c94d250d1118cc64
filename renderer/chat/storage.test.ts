import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Conversation, emptyConversation, reduce } from './conversation.js';
import { type KeyValueStore, loadDraft, loadTurns, saveDraft, saveTurns } from './storage.js';

function memory(): KeyValueStore & { values: Map<string, string> } {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => values.set(key, value),
    removeItem: (key) => values.delete(key),
  };
}

function conversation(turns: number, answer = 'Answer'): Conversation {
  let state = emptyConversation;
  for (let i = 0; i < turns; i += 1) {
    const answerId = `a${i}`;
    state = reduce(state, { type: 'ask', turnId: `t${i}`, answerId, question: 'Q', model: 'm' });
    state = reduce(state, { type: 'delta', answerId, content: answer, reasoning: '', at: 0 });
    state = reduce(state, { type: 'end', answerId, status: 'complete', at: 1 });
  }
  return state;
}

describe('the stored conversation', () => {
  it('comes back as it was', () => {
    const store = memory();
    const { turns } = conversation(3);
    expect(saveTurns(store, turns)).toBe(true);
    expect(loadTurns(store)).toEqual(turns);
  });

  it('counts an answer that was running as stopped', () => {
    const store = memory();
    const asked = { type: 'ask', turnId: 't', answerId: 'a', question: 'Q', model: 'm' } as const;
    saveTurns(store, reduce(emptyConversation, asked).turns);
    expect(loadTurns(store)[0]?.answer.status).toBe('stopped');
  });

  it('leaves nothing behind when it is empty', () => {
    const store = memory();
    saveTurns(store, conversation(1).turns);
    saveTurns(store, []);
    expect(store.values.size).toBe(0);
  });

  it('keeps the newest turns when it grows too big', () => {
    const store = memory();
    const { turns } = conversation(5, 'x'.repeat(600_000));
    saveTurns(store, turns);
    expect(loadTurns(store).map((turn) => turn.id)).toEqual(['t2', 't3', 't4']);
  });

  it.each(['', '{', 'null', '[]', '{"version":2,"turns":[]}', '{"version":1,"turns":[{}]}'])(
    'starts empty from %j',
    (text) => {
      const store = memory();
      store.values.set('pilotlight.conversation', text);
      expect(loadTurns(store)).toEqual([]);
    },
  );

  it('starts empty from anything', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const store = memory();
        store.values.set('pilotlight.conversation', text);
        expect(loadTurns(store)).toEqual([]);
      }),
    );
  });

  it('says when the browser does not store', () => {
    const full: KeyValueStore = {
      getItem: () => {
        throw new Error('SecurityError');
      },
      setItem: () => {
        throw new Error('QuotaExceededError');
      },
      removeItem: () => {},
    };
    expect(saveTurns(full, conversation(1).turns)).toBe(false);
    expect(loadTurns(full)).toEqual([]);
    expect(loadDraft(full)).toBe('');
    expect(() => saveDraft(full, 'x')).not.toThrow();
  });
});

it('keeps the draft', () => {
  const store = memory();
  saveDraft(store, 'Dear');
  expect(loadDraft(store)).toBe('Dear');
  saveDraft(store, '');
  expect(store.values.size).toBe(0);
});
