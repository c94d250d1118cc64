/** A chat as a tree: which messages are shown, and which branches stand beside them. Pure. */
import type { ChatMessage } from '../../protocol/chats.js';

export type Messages = ReadonlyMap<string, ChatMessage>;

/** Ids of the messages below each; below null those that begin the chat. Oldest first. */
export type Children = ReadonlyMap<string | null, readonly string[]>;

/** What follows what. A message whose parent is gone begins the chat. */
export function childrenOf(messages: Messages): Children {
  const children = new Map<string | null, string[]>();
  for (const { id, parent_id } of messages.values()) {
    const parent = parent_id !== null && messages.has(parent_id) ? parent_id : null;
    const list = children.get(parent);
    if (list) list.push(id);
    else children.set(parent, [id]);
  }
  return children;
}

/** From the beginning to `leaf`; to the newest message where there is no such leaf. */
export function branchTo(messages: Messages, leaf: string | null): readonly string[] {
  const branch: string[] = [];
  const seen = new Set<string>();
  let next = leaf !== null && messages.has(leaf) ? leaf : newestLeaf(messages);
  while (next !== null && !seen.has(next)) {
    const message = messages.get(next);
    if (!message) break;
    seen.add(next);
    branch.push(next);
    next = message.parent_id;
  }
  return branch.reverse();
}

/** Where a branch that goes through `id` ends, following the newest message at each fork. */
export function newestEnd(children: Children, id: string): string {
  let end = id;
  for (let next = children.get(end)?.at(-1); next !== undefined; next = children.get(end)?.at(-1)) {
    end = next;
  }
  return end;
}

/** The messages that stand in the place of `id`, itself among them, oldest first. */
export function branchesAt(messages: Messages, children: Children, id: string): readonly string[] {
  const parent = messages.get(id)?.parent_id ?? null;
  return children.get(parent !== null && messages.has(parent) ? parent : null) ?? [];
}

function newestLeaf(messages: Messages): string | null {
  let newest: string | null = null;
  for (const id of messages.keys()) newest = id;
  return newest;
}
