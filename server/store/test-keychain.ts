/** A keychain in memory, for tests of who uses one: the real ones belong to the person who runs the tests. */
import type { ServerToEngine } from '../../protocol/engine-channel.js';
import type { EngineProcess, SpawnEngine } from '../engine/spawn.js';

export interface TestKeychain {
  spawn: SpawnEngine;
  secrets: Map<string, string>;
  /** Null: it works. */
  failure: string | null;
}

export function testKeychain(): TestKeychain {
  const secrets = new Map<string, string>();
  const keychain: TestKeychain = {
    secrets,
    failure: null,
    spawn: () => {
      let tell: Parameters<EngineProcess['onMessage']>[0] = () => {};
      const answer = (message: ServerToEngine) => {
        if (message.type !== 'keychain') return;
        const { request } = message;
        if (keychain.failure !== null) {
          tell({ type: 'keychain-failed', message: keychain.failure });
          return;
        }
        if (request.action === 'write') secrets.set(request.name, request.secret);
        if (request.action === 'remove') secrets.delete(request.name);
        const secret = request.action === 'read' ? (secrets.get(request.name) ?? null) : null;
        tell({ type: 'keychain-done', secret });
      };
      return {
        pid: undefined,
        send: (message) => queueMicrotask(() => answer(message)),
        onMessage: (listener) => {
          tell = listener;
        },
        onExit: () => {},
        kill: () => {},
      };
    },
  };
  return keychain;
}
