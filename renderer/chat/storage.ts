/** The conversation and the draft across reloads. Whatever is stored is checked before it is used. */
import { z } from 'zod';
import type { Turn } from './conversation.js';

const CONVERSATION_KEY = 'pilotlight.conversation';
const DRAFT_KEY = 'pilotlight.draft';
const VERSION = 1;
/** Browsers keep about 5 Mi UTF-16 units per origin; a conversation beyond this loses its oldest turns in the copy. */
const STORED_LENGTH_MAX = 2_000_000;

/** The part of Storage used here. */
export type KeyValueStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const number = z.number().nullable();
const turnSchema = z.object({
  id: z.string(),
  question: z.string(),
  answer: z.object({
    id: z.string(),
    model: z.string(),
    text: z.string(),
    reasoning: z.string(),
    reasoningMs: number,
    status: z.enum(['running', 'complete', 'length', 'stopped', 'failed']),
    failure: z
      .object({
        title: z.string(),
        message: z.string(),
        remedy: z.enum(['retry', 'new-chat', 'key']),
      })
      .nullable(),
    measure: z.object({ tokensPerSecond: number, firstTokenMs: number, tokens: number }),
  }),
});
const storedSchema = z.object({ version: z.literal(VERSION), turns: z.array(turnSchema) });

/** The stored turns; none when nothing usable is there. An answer that was running counts as stopped. */
export function loadTurns(store: KeyValueStore): Turn[] {
  try {
    const stored = storedSchema.safeParse(JSON.parse(store.getItem(CONVERSATION_KEY) ?? 'null'));
    if (!stored.success) return [];
    return stored.data.turns.map(({ answer, ...turn }) => {
      const status = answer.status === 'running' ? 'stopped' : answer.status;
      return { ...turn, answer: { ...answer, status, progress: null } };
    });
  } catch {
    return [];
  }
}

/** Stores the turns; false when the browser does not let us. */
export function saveTurns(store: KeyValueStore, turns: readonly Turn[]): boolean {
  try {
    if (turns.length === 0) store.removeItem(CONVERSATION_KEY);
    else store.setItem(CONVERSATION_KEY, serialize(turns));
    return true;
  } catch {
    return false;
  }
}

/** The newest turns that fit; the last one always. */
function serialize(turns: readonly Turn[]): string {
  const parts: string[] = [];
  let length = 0;
  for (const turn of turns.toReversed()) {
    const { progress: _, ...answer } = turn.answer;
    const part = JSON.stringify({ ...turn, answer });
    if (parts.length > 0 && length + part.length > STORED_LENGTH_MAX) break;
    length += part.length;
    parts.unshift(part);
  }
  return `{"version":${VERSION},"turns":[${parts.join(',')}]}`;
}

export function loadDraft(store: KeyValueStore): string {
  try {
    return store.getItem(DRAFT_KEY) ?? '';
  } catch {
    return '';
  }
}

/** A draft too big for the store is kept in the window only. */
export function saveDraft(store: KeyValueStore, draft: string): void {
  try {
    if (draft === '') store.removeItem(DRAFT_KEY);
    else if (draft.length <= STORED_LENGTH_MAX) store.setItem(DRAFT_KEY, draft);
  } catch {
    // The draft is still in the window.
  }
}
