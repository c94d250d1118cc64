/**
 * What one decode step gave, as it crosses from the engine's C++ to the server. A token of plain answer text, which is
 * most of them, is four values in a row in place of two objects: at the pace of one stream, where all code has left the
 * processor's caches between two tokens, making, cloning and reading objects costs more than anything else on the way.
 */
import type { EngineEvent } from './engine.js';

/** Events in order; seq, index, token id and text of a token stand for it and the `delta` with the same text behind it. */
export type PackedEvents = (EngineEvent | number | string)[];

/** @throws TypeError where the four values of a token are not there, which only a fault of ours can cause. */
export function unpackEvents(packed: Readonly<PackedEvents>): EngineEvent[] {
  const events: EngineEvent[] = [];
  for (let at = 0; at < packed.length; at++) {
    const seq = packed[at];
    if (typeof seq === 'object') {
      events.push(seq);
      continue;
    }
    const index = packed[++at];
    const tokenId = packed[++at];
    const text = packed[++at];
    if (
      typeof seq !== 'number' ||
      typeof index !== 'number' ||
      typeof tokenId !== 'number' ||
      typeof text !== 'string'
    ) {
      throw new TypeError(`a packed token ends at ${at} of ${packed.length}`);
    }
    events.push(
      { type: 'token', seq, index, tokenId, text },
      { type: 'delta', seq, content: text, reasoning: '', toolCalls: [] },
    );
  }
  return events;
}
