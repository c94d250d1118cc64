import { describe, expect, it } from 'vitest';
import { prune } from './retention.js';
import { appendRow } from './table.js';
import { newKey, requestDraft, testChain } from './test-chain.js';

const KEY = newKey();
const DAY = 24 * 60 * 60 * 1000;

/** One request an hour, from the beginning of time on; the row of the key comes first. */
function chainOf(hours: number) {
  const chain = testChain(KEY);
  for (let i = 0; i < hours; i++) {
    appendRow(chain.connection, requestDraft(`rcpt_${i}`), KEY, i * 60 * 60 * 1000);
  }
  return chain;
}

const kept = (chain: ReturnType<typeof chainOf>) => chain.rows().map(({ seq }) => seq);

describe('rows go', () => {
  it('by age, and the chain stays verifiable, time after time', () => {
    const chain = chainOf(20 * 24);
    const retention = { ageMs: 10 * DAY, rows: 1_000_000 };
    for (const day of [20, 21, 25, 31]) {
      expect(prune(chain.connection, retention, KEY, day * DAY)).toBe(false);
      expect(chain.break()).toBeNull();
    }
    const times = chain.rows().map(({ writtenAt }) => writtenAt / DAY);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(21);
  });

  it('by number', () => {
    const chain = chainOf(500);
    prune(chain.connection, { ageMs: 1000 * DAY, rows: 200 }, KEY, 0);
    expect(chain.break()).toBeNull();
    // And the row that tells.
    expect(kept(chain).length).toBe(201);
  });

  it('in several steps where they are many', () => {
    const chain = chainOf(2_500);
    const retention = { ageMs: 1000 * DAY, rows: 10 };
    let steps = 1;
    while (prune(chain.connection, retention, KEY, 0)) {
      steps++;
      expect(chain.break()).toBeNull();
    }
    expect(steps).toBe(3);
    expect(chain.break()).toBeNull();
    expect(kept(chain).length).toBeLessThan(20);
  });

  it('all, when nobody has asked for so long', () => {
    const chain = chainOf(50);
    prune(chain.connection, { ageMs: DAY, rows: 1_000_000 }, KEY, 100 * DAY);
    expect(chain.rows().map(({ text }) => JSON.parse(text).kind)).toEqual(['checkpoint']);
    expect(chain.break()).toBeNull();
    chain.append(requestDraft('rcpt_new'));
    expect(chain.break()).toBeNull();
  });
});

describe('rows stay', () => {
  it('while only a few are due, for a day', () => {
    const chain = chainOf(48);
    const retention = { ageMs: DAY, rows: 1_000_000 };
    prune(chain.connection, retention, KEY, 1.5 * DAY);
    expect(kept(chain).length).toBe(49);
    prune(chain.connection, retention, KEY, 2.5 * DAY);
    expect(kept(chain)[0]).toBeGreaterThan(30);
    expect(chain.break()).toBeNull();
  });

  it('where none is due', () => {
    const chain = chainOf(48);
    expect(prune(chain.connection, { ageMs: 10 * DAY, rows: 100 }, KEY, 2 * DAY)).toBe(false);
    expect(kept(chain).length).toBe(49);
    const empty = testChain(KEY);
    expect(prune(empty.connection, { ageMs: 0, rows: 0 }, KEY, 0)).toBe(false);
  });

  it('told as missing where one is missing among those that go', () => {
    const chain = chainOf(500);
    chain.connection.exec('DELETE FROM ledger WHERE seq IN (300, 301)');
    prune(chain.connection, { ageMs: 1000 * DAY, rows: 200 }, KEY, 0);
    expect(chain.break()).toEqual({ seq: 300, id: null, fault: 'is missing.' });
  });
});
