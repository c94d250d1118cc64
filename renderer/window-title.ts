import type { Opened } from './chats/chats-state.js';
import { t } from './i18n/i18n.js';
import type { Route } from './shell/route.js';
import { titleOf } from './sidebar/titles.js';

/** What tabs and windows are told apart by. `running`: an answer is being written, whatever page is shown. */
export function windowTitle(route: Route, opened: Opened, running: boolean): string {
  const shown = `${pageName(route, opened)} – Pilotlight`;
  return running ? `${t('notices.answering')} · ${shown}` : shown;
}

function pageName(route: Route, opened: Opened): string {
  if (route.page === 'welcome') return t('welcome.title');
  if (route.page !== 'chat') return t(`commands.${route.page}`);
  // Of the chat that is left nothing is said any more, while the next one is on its way.
  if (opened.state === 'here' && opened.chat.id === route.id) return titleOf(opened.chat);
  if (opened.state === 'missing' && opened.id === route.id) return t('chat.missing');
  return route.id === undefined ? t('chat.new_chat') : t('chat.chat');
}
