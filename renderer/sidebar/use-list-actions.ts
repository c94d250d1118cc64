import { useContext, useMemo, useRef } from 'react';
import type { ChatFolder, ChatPatch, ChatSummary } from '../../protocol/chats.js';
import { changeFolder, createFolder, removeFolder } from '../api/chat-folders.js';
import { chatsApi } from '../api/chats.js';
import { transferApi } from '../api/transfer.js';
import { t } from '../i18n/i18n.js';
import { DismissNotice, ShowNotice, useAct } from '../shell/act.js';
import { navigate } from '../shell/use-route.js';
import { titleOf } from './titles.js';

export interface ListActions {
  change: (chat: ChatSummary, patch: ChatPatch) => void;
  /** Can be undone for a while. */
  remove: (chat: ChatSummary) => void;
  archive: (chat: ChatSummary) => void;
  /** As a file that the browser saves. */
  exportAs: (chat: ChatSummary, format: 'json' | 'markdown') => void;
  /** Into a folder or out of all, also out of the archive; null: no folder. */
  move: (chat: ChatSummary, folder: string | null) => void;
  /** Makes a folder, puts the chat into it if there is one, and gives its id; null where it did not work. */
  newFolder: (chat: ChatSummary | null) => Promise<string | null>;
  changeFolder: (folder: ChatFolder, patch: { name?: string; position?: number }) => void;
  /** Its chats stay. */
  removeFolder: (folder: ChatFolder) => void;
}

/** What can be done with chats and folders of the list. The result keeps its identity. */
export function useListActions(openId: string | null, chats: readonly ChatSummary[]): ListActions {
  const act = useAct();
  const show = useContext(ShowNotice);
  const dismiss = useContext(DismissNotice);
  const newest = { act, show, dismiss, openId, chats };
  const latest = useRef(newest);
  latest.current = newest;

  return useMemo(() => {
    const run = (action: () => Promise<unknown>) => latest.current.act('chats', action);
    /** Says what was done, and takes it back on demand. */
    const undoable = (text: string, undo: () => Promise<unknown>) => {
      const { show, dismiss } = latest.current;
      const id = 'chats-undo';
      const action = {
        label: t('common.undo'),
        run: () => {
          dismiss(id);
          void run(undo);
        },
      };
      show({ id, tone: 'info', text, action });
    };
    const change = (chat: ChatSummary, patch: ChatPatch) => {
      void run(() => chatsApi.change(chat.id, patch));
    };
    return {
      change,
      remove: async (chat) => {
        const { openId } = latest.current;
        if (!(await run(() => chatsApi.remove(chat.id)))) return;
        if (openId === chat.id) navigate({ page: 'chat' });
        undoable(t('sidebar.deleted', { title: titleOf(chat) }), async () => {
          await chatsApi.restore(chat.id);
          if (openId === chat.id) navigate({ page: 'chat', id: chat.id });
        });
      },
      archive: async (chat) => {
        if (!(await run(() => chatsApi.change(chat.id, { archived: true })))) return;
        undoable(t('sidebar.archived', { title: titleOf(chat) }), () =>
          chatsApi.change(chat.id, { archived: false }),
        );
      },
      exportAs: (chat, format) => void run(() => transferApi.exportChats(format, [chat.id])),
      move: (chat, folder_id) => {
        if (chat.folder_id === folder_id && !chat.archived) return;
        change(chat, { folder_id, archived: false });
      },
      newFolder: async (chat) => {
        let made: string | null = null;
        await run(async () => {
          made = await createFolder(t('sidebar.new_folder'));
          if (chat) await chatsApi.change(chat.id, { folder_id: made });
        });
        return made;
      },
      changeFolder: (folder, patch) => void run(() => changeFolder(folder.id, patch)),
      removeFolder: async (folder) => {
        const within = latest.current.chats.filter(({ folder_id }) => folder_id === folder.id);
        if (!(await run(() => removeFolder(folder.id)))) return;
        undoable(t('sidebar.folder_deleted', { name: folder.name }), async () => {
          const again = await createFolder(folder.name);
          await changeFolder(again, { position: folder.position });
          for (const { id } of within) await chatsApi.change(id, { folder_id: again });
        });
      },
    };
  }, []);
}
