import { describe, expect, it } from 'vitest';
import { TestClock } from '../test-clock.js';
import { retryDelay, UpstreamHealth } from './health.js';

function setUp() {
  const clock = new TestClock();
  const answers: (string | null)[] = [];
  let checks = 0;
  let changes = 0;
  const health = new UpstreamHealth({
    check: async () => {
      checks++;
      return answers.shift() ?? null;
    },
    clock,
    onChange: () => changes++,
  });
  return { clock, health, answers, checks: () => checks, changes: () => changes };
}

describe('an upstream', () => {
  it('is unknown until it has been asked, and is asked again after half a minute', async () => {
    const { clock, health, checks } = setUp();
    expect(health.report).toEqual({ health: 'unknown', reason: null, checkedAt: null });
    await health.check();
    expect(health.report).toEqual({
      health: 'healthy',
      reason: null,
      checkedAt: expect.any(Number),
    });
    clock.pass(30_000);
    expect(checks()).toBe(2);
  });

  it('that fails is asked soon, then ever more seldom, until it is well', async () => {
    const { clock, health, answers } = setUp();
    answers.push('It is away.', 'It is away.', 'It is away.');
    const delays: (number | null)[] = [];
    for (let i = 0; i < 4; i++) {
      await health.check();
      delays.push(clock.next);
    }
    expect(delays).toEqual([2_000, 4_000, 8_000, 30_000]);
    expect(retryDelay(30)).toBe(300_000);
  });

  it('is told of by its requests', async () => {
    const { clock, health } = setUp();
    const signal = health.untilUnhealthy;
    health.failed('It is away.');
    expect(health.report).toMatchObject({ health: 'unhealthy', reason: 'It is away.' });
    expect(signal.aborted).toBe(true);
    expect(health.untilUnhealthy.aborted).toBe(false);
    expect(clock.next).toBe(2_000);
    health.succeeded();
    expect(health.report).toMatchObject({ health: 'healthy', reason: null });
    expect(clock.next).toBe(30_000);
  });

  it('is asked once by all who want to know at the same time', async () => {
    const { health, checks } = setUp();
    await Promise.all([health.check(), health.check()]);
    health.suspect();
    expect(checks()).toBe(2);
  });

  it('is left alone once it is closed', async () => {
    const { clock, health, changes } = setUp();
    const checked = health.check();
    health.close();
    await checked;
    health.failed('It is away.');
    health.succeeded();
    expect({ next: clock.next, changes: changes() }).toEqual({ next: null, changes: 0 });
  });
});
