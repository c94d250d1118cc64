import { type KeyboardEvent, type RefObject, useState } from 'react';

const STEPS: Partial<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_at, last) => last,
};

/**
 * A long list as one stop of the Tab key: arrows, Home and End move between its items, which carry `data-roving` with
 * their id. `active` is the item that Tab stops at.
 */
export function useRoving(list: RefObject<HTMLElement | null>, ids: readonly string[]) {
  const [chosen, setChosen] = useState<string | null>(null);
  const active = chosen !== null && ids.includes(chosen) ? chosen : (ids[0] ?? null);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const { target } = event;
    // Within an item's own fields and menus arrows have another meaning.
    if (!step || !(target instanceof HTMLElement) || target.dataset.roving === undefined) return;
    const next = ids[step(ids.indexOf(target.dataset.roving), ids.length - 1)];
    if (next === undefined) return;
    event.preventDefault();
    setChosen(next);
    list.current?.querySelector<HTMLElement>(`[data-roving="${CSS.escape(next)}"]`)?.focus();
  };
  return { active, setActive: setChosen, onKeyDown };
}
