import { createContext, useContext } from 'react';
import { messageOf } from '../api/error.js';
import type { Notice } from './notices.js';

/** Shows a notice in place of the one with the same id. */
export const ShowNotice = createContext<(notice: Notice) => void>(() => {});

/** Takes a notice away. */
export const DismissNotice = createContext<(id: string) => void>(() => {});

/**
 * Runs what a button starts, and tells where it failed; `topic` makes a later failure of the same kind take the place of
 * the earlier one. Gives whether it worked.
 */
export function useAct(): (topic: string, action: () => Promise<unknown>) => Promise<boolean> {
  const show = useContext(ShowNotice);
  return async (topic, action) => {
    try {
      await action();
      return true;
    } catch (cause) {
      show({ id: topic, tone: 'bad', text: messageOf(cause) });
      return false;
    }
  };
}
