import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { testState } from '../protocol/test-state.js';
import { StateFeed } from './state.js';

const BASE = testState();

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('StateFeed', () => {
  it('gathers changes, and tells only of real ones', () => {
    let state = BASE;
    const feed = new StateFeed(() => state);
    const told: number[] = [];
    feed.subscribe(({ running }) => told.push(running));
    for (let running = 1; running <= 5; running++) {
      state = { ...BASE, running };
      feed.touch();
    }
    expect(told).toEqual([]);
    vi.runAllTimers();
    feed.touch();
    vi.runAllTimers();
    expect(told).toEqual([5]);
    expect(feed.now().running).toBe(5);
  });

  it('is read and written once for all who hear of a change, and anew for who asks later', () => {
    let reads = 0;
    const feed = new StateFeed(() => ({ ...BASE, running: ++reads }));
    const told: unknown[] = [];
    for (let i = 0; i < 3; i++) feed.subscribe((now) => told.push(now === feed.now()));
    feed.touch();
    vi.runAllTimers();
    expect(told).toEqual([true, true, true]);
    expect(reads).toBe(1);
    const now = feed.now();
    expect(now.running).toBe(2);
    expect(JSON.parse(feed.textOf(now))).toEqual(now);
  });

  it('tells of a return to what it told last, where somebody has seen what was between', () => {
    let state = BASE;
    const feed = new StateFeed(() => state);
    const told: number[] = [];
    feed.subscribe(({ running }) => told.push(running));
    feed.touch();
    vi.runAllTimers();
    state = { ...BASE, running: 1 };
    feed.touch();
    expect(feed.now().running).toBe(1);
    state = BASE;
    vi.runAllTimers();
    expect(told).toEqual([0, 0]);
  });

  it('lets listeners go', () => {
    let running = 0;
    const feed = new StateFeed(() => ({ ...BASE, running: ++running }));
    const told = vi.fn();
    const unsubscribe = feed.subscribe(told);
    feed.touch();
    vi.runAllTimers();
    unsubscribe();
    feed.touch();
    vi.runAllTimers();
    expect(told).toHaveBeenCalledTimes(1);
  });

  it('says when it ends, and nothing after that', () => {
    const feed = new StateFeed(() => BASE);
    const told = vi.fn();
    feed.subscribe(told);
    feed.touch();
    feed.close();
    expect(feed.ended.aborted).toBe(true);
    vi.runAllTimers();
    expect(told).not.toHaveBeenCalled();
  });
});
