// The engine process is a mock here: the real one cannot be made to send its messages in this order.
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EngineToServer } from '../../protocol/engine-channel.js';
import type { ModelInfo } from '../../protocol/engine-load.js';
import { Engine } from './engine.js';
import type { EngineProcess } from './spawn.js';

function start() {
  let tell = (_message: EngineToServer) => {};
  let killed = false;
  const sent: string[] = [];
  const process: EngineProcess = {
    pid: undefined,
    send: (message) => sent.push(message.type),
    onMessage: (listener) => {
      tell = listener;
    },
    onExit: () => {},
    kill: () => {
      killed = true;
    },
  };
  const fractions: number[] = [];
  const engine = new Engine(
    () => process,
    {} as never,
    (fraction) => fractions.push(fraction),
  );
  return {
    engine,
    fractions,
    tell: (message: EngineToServer) => tell(message),
    sent,
    isKilled: () => killed,
  };
}

describe('progress of a load that comes after its end is nobody’s', () => {
  it('when it failed', async () => {
    const { engine, fractions, tell } = start();
    tell({ type: 'load-progress', fraction: 0.5 });
    tell({ type: 'load-failed', code: 'out_of_memory', message: 'Too large.' });
    tell({ type: 'load-progress', fraction: 1 });
    await expect(engine.loaded).rejects.toThrow('Too large.');
    expect(fractions).toEqual([0.5]);
  });

  it('when it is loaded', async () => {
    const { engine, fractions, tell } = start();
    tell({ type: 'loaded', info: {} as ModelInfo });
    tell({ type: 'load-progress', fraction: 1 });
    await engine.loaded;
    expect(fractions).toEqual([]);
  });
});

describe('a load that is cancelled', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is killed when it does not give up in time', () => {
    vi.useFakeTimers();
    const { engine, sent, isKilled } = start();
    engine.cancelLoad();
    engine.cancelLoad();
    expect(sent).toEqual(['load', 'cancel-load', 'cancel-load']);
    vi.advanceTimersByTime(1999);
    expect(isKilled()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(isKilled()).toBe(true);
  });

  it.each<EngineToServer>([
    { type: 'load-failed', code: 'cancelled', message: 'Loading was cancelled.' },
    { type: 'loaded', info: {} as ModelInfo },
  ])('is left alone once it has ended ($type)', (end) => {
    vi.useFakeTimers();
    const { engine, tell, sent, isKilled } = start();
    engine.cancelLoad();
    tell(end);
    engine.cancelLoad();
    vi.runAllTimers();
    expect(isKilled()).toBe(false);
    expect(sent.filter((type) => type === 'cancel-load')).toHaveLength(1);
  });
});
