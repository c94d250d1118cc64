// What changes of the inspector, as a reader of its events hears it.
import { describe, expect, it } from 'vitest';
import type { InspectorState } from '../../protocol/inspector.js';
import { user } from '../test-server.js';
import { applyChanges, inspectedServers } from './test-inspector.js';

const start = inspectedServers();

describe('the events', () => {
  it('tell the state at once and then what changes, some times a second', async () => {
    const { test, inspector } = await start({ models: ['slow'] });
    const began = performance.now();
    const events = inspector.events();
    const { value: first } = await events.next();
    if (first?.type !== 'state') throw new Error('expected the state first');
    let state: InspectorState = first;
    await inspector.switch(true, 1);
    const running = await test.chat({ messages: [user('Go.')], stream: true });
    const stages = new Set<string>();
    let told = 0;
    for await (const event of events) {
      if (event.type !== 'changes') throw new Error('the state is told once');
      told++;
      for (const row of event.live ?? []) {
        if (row.stage) stages.add(row.stage);
        // What does not change is not told again.
        if (state.live.some(({ id }) => id === row.id)) expect(row.client).toBeUndefined();
      }
      state = applyChanges(state, event);
      const [row] = state.live;
      if (row && row.output_tokens > 5 && !row.cancelled) await inspector.cancel(row.id);
      if (state.kept.length === 1 && state.live.length === 0) break;
    }
    // Four a second; the first one need not wait.
    expect(told).toBeLessThanOrEqual((performance.now() - began) / 250 + 2);
    expect(stages).toContain('running');
    expect(await running.text()).toContain('request_cancelled');
    expect(state).toEqual({ ...(await inspector.state()), type: 'state' });
  });

  it('end with the server', async () => {
    const { test, inspector } = await start({ models: [] });
    const events = inspector.events();
    await events.next();
    await test.stop();
    expect((await events.next()).done).toBe(true);
  });
});
