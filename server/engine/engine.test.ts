// The engine process is a mock here: the real one cannot be made to send its messages in this order.
import { describe, expect, it } from 'vitest';
import type { EngineToServer, ModelInfo } from '../../protocol/engine.js';
import { Engine } from './engine.js';
import type { EngineProcess } from './spawn.js';

function start() {
  let tell = (_message: EngineToServer) => {};
  const process: EngineProcess = {
    pid: undefined,
    send: () => {},
    onMessage: (listener) => {
      tell = listener;
    },
    onExit: () => {},
    kill: () => {},
  };
  const fractions: number[] = [];
  const engine = new Engine(
    () => process,
    {} as never,
    (fraction) => fractions.push(fraction),
  );
  return { engine, fractions, tell: (message: EngineToServer) => tell(message) };
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
