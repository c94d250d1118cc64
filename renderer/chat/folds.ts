import { createContext, useContext, useState } from 'react';

/** What the person unfolded or folded in the chat that is shown, by key: rows out of sight are not there to know it. */
export const Folds = createContext<Map<string, boolean>>(new Map());

/** Whether something is open: as the person chose, else `otherwise`. */
export function useFold(key: string, otherwise: boolean): [boolean, (open: boolean) => void] {
  const folds = useContext(Folds);
  const [choice, setChoice] = useState(() => folds.get(key) ?? null);
  const choose = (open: boolean) => {
    folds.set(key, open);
    setChoice(open);
  };
  return [choice ?? otherwise, choose];
}
