import { createContext, useContext } from 'react';
import { ApiError } from '../api/error.js';
import type { Notice } from './notices.js';

/** Shows a notice in place of the one with the same id. */
export const ShowNotice = createContext<(notice: Notice) => void>(() => {});

const words = { failed: 'That did not work.' };

/** What a failure is called before people. */
export function messageOf(cause: unknown): string {
  return cause instanceof ApiError ? cause.message : words.failed;
}

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
