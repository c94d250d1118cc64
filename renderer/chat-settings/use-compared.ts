import { useState } from 'react';
import type { ServerState } from '../../protocol/models.js';
import { canAnswer } from '../models/model-state.js';

/**
 * Which models answer the next question together; null: only the chat's. It lasts until it is ended, from chat to chat.
 * @param model The chat's own, with which a comparison begins.
 */
export function useCompared(server: ServerState | null, model: string | null) {
  const [wanted, setWanted] = useState<readonly string[] | null>(null);
  const there = new Set(server?.models.filter(canAnswer).map(({ id }) => id));
  // One that has been deleted gives its place to the chat's.
  const compared = wanted?.map((id) => (there.has(id) || model === null ? id : model)) ?? null;
  return {
    compared,
    compare: (models: readonly string[]) => {
      const [first, second] = models;
      const other = [...there].find((id) => id !== first);
      // A model beside itself says little, unless there is no other.
      const isStart = wanted === null && models.length === 2 && first === second;
      setWanted(isStart && first !== undefined && other !== undefined ? [first, other] : models);
    },
    endComparing: () => setWanted(null),
  };
}
