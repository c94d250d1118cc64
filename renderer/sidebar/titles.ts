import type { ChatSummary } from '../../protocol/chats.js';
import { t } from '../i18n/i18n.js';

/** What a chat is called before people; one that has no title yet too. */
export function titleOf(chat: Pick<ChatSummary, 'title'>): string {
  return chat.title.trim() === '' ? t('sidebar.untitled') : chat.title;
}
