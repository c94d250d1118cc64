/** A chat's messages as a tree. Pure. Messages are given in the order in which they were made. */

export interface Node {
  id: string;
  parent_id: string | null;
}

/** From the first message to `id`; empty where there is none of that id, or one before it is missing. */
export function pathTo<N extends Node>(messages: readonly N[], id: string | null): N[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const path: N[] = [];
  let next = id;
  while (next !== null) {
    const message = byId.get(next);
    // A circle cannot be made here, but what is read may have been written by others.
    if (message === undefined || path.length === messages.length) return [];
    path.push(message);
    next = message.parent_id;
  }
  return path.reverse();
}

/** `id` and all that follows it, on all of its branches. */
export function subtreeOf(messages: readonly Node[], id: string): Set<string> {
  const found = new Set([id]);
  // Whatever follows a message was made after it.
  for (const message of messages) {
    if (message.parent_id !== null && found.has(message.parent_id)) found.add(message.id);
  }
  return found;
}

/** The end of the branch below `id` that was begun last; `id` itself where nothing follows. */
export function newestLeaf(messages: readonly Node[], id: string): string {
  const newestChild = new Map<string | null, string>();
  for (const message of messages) newestChild.set(message.parent_id, message.id);
  let leaf = id;
  for (let i = 0; i < messages.length; i++) {
    const child = newestChild.get(leaf);
    if (child === undefined) break;
    leaf = child;
  }
  return leaf;
}

/**
 * What is shown once the branch of `removed` is gone: the newest of those beside it, else what it followed.
 * @param left Without the branch.
 */
export function leafWithout(left: readonly Node[], removed: Node): string | null {
  const beside = left.findLast(({ parent_id }) => parent_id === removed.parent_id);
  return beside === undefined ? removed.parent_id : newestLeaf(left, beside.id);
}
