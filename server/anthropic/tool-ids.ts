/** Ids of tool calls: the dialect's begin with "toolu_"; behind it stands the engine's, which templates get back. */
const PREFIX = 'toolu_';

export function toWireId(id: string): string {
  return PREFIX + id;
}

/** Ids of other servers stay as they are but for the prefix: in one conversation they still tell calls apart. */
export function toEngineId(id: string): string {
  return id.startsWith(PREFIX) && id.length > PREFIX.length ? id.slice(PREFIX.length) : id;
}
