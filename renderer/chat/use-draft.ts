import { useEffect, useRef, useState } from 'react';
import { chatsApi } from '../api/chats.js';
import type { OpenChat } from '../chats/chats-state.js';
import { routeHash } from '../shell/route.js';
import { useStore } from '../shell/use-store.js';
import { Draft } from './draft.js';

/** Long enough that not each letter is sent, short enough that little is lost when the power goes. */
const SAVE_MS = 400;

/**
 * What is being written in the chat with this id (null: a new one); `chat` is what the server tells of it, once it does.
 * @param holds Whether something else than words is being kept in it.
 */
export function useDraft(id: string | null, chat: OpenChat | null, holds: () => boolean) {
  const latest = useRef(holds);
  latest.current = holds;
  const [made] = useState(() => new Set<string>());
  const [draft] = useState(
    () =>
      new Draft({
        create: async () => (await chatsApi.create()).id,
        save: (of, text) => chatsApi.saveDraft(of, text),
        created: (of) => {
          made.add(of);
          // In place of the new chat's address: "back" leads to where one was before.
          location.replace(routeHash({ page: 'chat', id: of }));
        },
        holds: () => latest.current(),
        discard: (of) => void chatsApi.remove(of).catch(() => {}),
        later: (callback) => {
          const timer = setTimeout(callback, SAVE_MS);
          return () => clearTimeout(timer);
        },
      }),
  );
  const { text } = useStore(draft);
  const told = chat?.draft;
  useEffect(() => draft.show(id, ''), [draft, id]);
  useEffect(() => {
    if (told !== undefined) draft.told(told);
  }, [draft, told]);
  useEffect(() => {
    const save = () => void draft.save();
    window.addEventListener('pagehide', save);
    return () => {
      window.removeEventListener('pagehide', save);
      save();
    };
  }, [draft]);
  return { draft, text, made };
}
