/** Stands between the server and its engines, for tests of what happens while one does not answer. */
import type { ServerToEngine } from '../../protocol/engine-channel.js';
import type { EngineProcess } from '../engine/spawn.js';

/** Holds every message to the engines until `release`, as a slow disk would hold the load. */
export function holdBack() {
  const held: (() => void)[] = [];
  let released = false;
  return {
    release: () => {
      released = true;
      for (const send of held.splice(0)) send();
    },
    wrap: (engine: EngineProcess): EngineProcess => ({
      ...engine,
      send: (message: ServerToEngine) => {
        if (released) engine.send(message);
        else held.push(() => engine.send(message));
      },
    }),
  };
}
