import { expect, test } from 'vitest';
import { CrashBackoff } from './backoff.js';

test('a first crash is followed by an immediate start', () => {
  const backoff = new CrashBackoff();
  expect(backoff.delay(0)).toBe(0);
  backoff.crashed(1000);
  expect(backoff.delay(1000)).toBe(0);
});

test('further crashes in a row wait twice as long each, up to half a minute', () => {
  const backoff = new CrashBackoff();
  for (let i = 0; i < 2; i++) backoff.crashed(0);
  expect(backoff.delay(0)).toBe(1000);
  backoff.crashed(0);
  expect(backoff.delay(0)).toBe(2000);
  expect(backoff.delay(1500)).toBe(500);
  expect(backoff.delay(9000)).toBe(0);
  for (let i = 0; i < 20; i++) backoff.crashed(0);
  expect(backoff.delay(0)).toBe(30_000);
});

test('an answer makes the next crash a first one', () => {
  const backoff = new CrashBackoff();
  for (let i = 0; i < 5; i++) backoff.crashed(0);
  backoff.succeeded();
  backoff.crashed(0);
  expect(backoff.delay(0)).toBe(0);
});
