import { useChats } from '../chats/use-chats.js';
import { useCommand } from '../shell/use-command.js';
import { currentRoute, navigate } from '../shell/use-route.js';
import { chatsInOrder } from './rows.js';

/** The commands that lead to the next and the previous chat of the list; from a page without one, to the first. */
export function useChatSteps(): void {
  const chats = useChats((state) => state.chats);
  const folders = useChats((state) => state.folders);
  const go = (step: 1 | -1) => {
    const order = chatsInOrder({ chats: chats ?? [], folders, now: Date.now() });
    // Of the address, which is ahead of what is drawn where keys follow each other closely.
    const route = currentRoute();
    const at = order.findIndex(({ id }) => route.page === 'chat' && id === route.id);
    const next = order[at < 0 ? 0 : at + step];
    if (next) navigate({ page: 'chat', id: next.id });
  };
  const any = chats?.some(({ archived }) => !archived) === true;
  useCommand('next-chat', any ? () => go(1) : null);
  useCommand('previous-chat', any ? () => go(-1) : null);
}
