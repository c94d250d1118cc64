/** The system's proxies, as Electron main knows them: from its settings, with a proxy configuration script where it has one. */
import type { MainToServer, ServerToMain } from '../../protocol/control.js';
import type { ParentPort } from '../engine/parent-channel.js';
import type { ResolveProxy } from './network.js';

/** A script is fetched and run for the answer. Who does not answer in time has none, milliseconds. */
const PATIENCE = 10_000;

const STRAIGHT = 'DIRECT';

export function resolveViaMain(parent: ParentPort, patience = PATIENCE): ResolveProxy {
  const waiting = new Map<number, (entries: string) => void>();
  let last = 0;
  parent.on('message', (event) => {
    const message = event.data as MainToServer;
    if (message.type === 'proxy') waiting.get(message.id)?.(message.entries);
  });
  return (url) =>
    new Promise((resolve) => {
      const id = ++last;
      const answer = (entries: string) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(entries);
      };
      const timer = setTimeout(() => answer(STRAIGHT), patience);
      waiting.set(id, answer);
      parent.postMessage({ type: 'resolve-proxy', id, url } satisfies ServerToMain);
    });
}
