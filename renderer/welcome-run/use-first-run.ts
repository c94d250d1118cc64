import { useEffect, useState } from 'react';
import type { ServerState } from '../../protocol/models.js';
import type { WelcomeStep } from '../../protocol/preferences.js';
import { messageOf } from '../api/error.js';
import { useChats } from '../chats/use-chats.js';
import { preferences, usePreferences } from '../preferences/preferences.js';
import { type Route, routeHash } from '../shell/route.js';
import { firstRun } from './first-run.js';

/**
 * Leads to the first run where it is due, instead of to a new chat, and remembers where it was left.
 * @returns ends it, for good.
 */
export function useFirstRun(
  server: ServerState | null,
  route: Route,
  onFailed: (sentence: string) => void,
): () => void {
  const { welcomed, welcome_step } = usePreferences();
  const chats = useChats((state) => state.chats);
  // Where the server cannot keep that it is over, it is over in this window all the same.
  const [isOver, setOver] = useState(false);
  const models = server?.models;
  const stand =
    models && chats && !isOver
      ? firstRun({ preferences: { welcomed, welcome_step }, chats: chats.length, models })
      : null;
  const inNewChat = route.page === 'chat' && route.id === undefined;
  const shown = route.page === 'welcome' ? route.step : null;

  useEffect(() => {
    if (stand !== 'due' || !inNewChat) return;
    // The browser's back is not to lead to a chat that leads here again.
    location.replace(routeHash({ page: 'welcome', step: welcome_step ?? 'folder' }));
  }, [stand, inNewChat, welcome_step]);

  useEffect(() => {
    if (stand === 'settled') void preferences.change({ welcomed: true }).catch(() => {});
  }, [stand]);

  useEffect(() => {
    if (stand !== 'due' || shown === null) return;
    void remember(shown);
  }, [stand, shown]);

  return () => {
    setOver(true);
    preferences
      .change({ welcomed: true, welcome_step: null })
      .catch((cause: unknown) => onFailed(messageOf(cause)));
  };
}

/** What cannot be kept begins anew next time. */
async function remember(step: WelcomeStep): Promise<void> {
  if (preferences.snapshot().welcome_step === step) return;
  await preferences.change({ welcome_step: step }).catch(() => {});
}
