/** Which tool servers a chat uses. Pure. */
import type { McpServer } from '../../protocol/mcp.js';

/** Tools that a model may be told of. @param chosen Ids; null: all that are switched on. */
export function toolCount(servers: readonly McpServer[], chosen: readonly string[] | null): number {
  return servers
    .filter(({ id, status }) => status === 'ready' && (chosen === null || chosen.includes(id)))
    .flatMap(({ tools }) => tools)
    .filter(({ consent, unusable }) => consent !== 'never' && unusable === null).length;
}

/** The choice with one server more or less. Where all are chosen there is none, so that later ones are, too. */
export function toolsOn(
  servers: readonly McpServer[],
  chosen: readonly string[] | null,
  id: string,
  isOn: boolean,
): string[] | null {
  const known = servers.map((server) => server.id);
  const others = (chosen ?? known).filter((each) => each !== id);
  const next = isOn ? [...others, id] : others;
  return known.every((each) => next.includes(each)) ? null : next;
}
