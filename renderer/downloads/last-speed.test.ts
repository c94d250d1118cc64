import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { lastSpeed, noteSpeed } from './last-speed.js';

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it('is that of all downloads together, and stays when nothing comes any more', () => {
  expect(lastSpeed()).toBeNull();
  noteSpeed([
    { bytes_per_second: 1_000_000 },
    { bytes_per_second: null },
    { bytes_per_second: 500_000.4 },
  ]);
  expect(lastSpeed()).toBe(1_500_000);
  noteSpeed([{ bytes_per_second: null }]);
  noteSpeed([]);
  expect(lastSpeed()).toBe(1_500_000);
});

it('is not known where nothing can be kept', () => {
  vi.stubGlobal('localStorage', undefined);
  noteSpeed([{ bytes_per_second: 1 }]);
  expect(lastSpeed()).toBeNull();
});

it('is not known where what was kept is no speed', () => {
  localStorage.setItem('pilotlight.download_speed', 'quick');
  expect(lastSpeed()).toBeNull();
});
