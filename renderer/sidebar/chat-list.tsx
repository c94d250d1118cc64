import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type MouseEvent, type Ref, useImperativeHandle, useMemo, useRef, useState } from 'react';
import type { ChatFolder, ChatSummary } from '../../protocol/chats.js';
import { t } from '../i18n/i18n.js';
import { type MenuAnchor, RowMenu } from './row-menu.js';
import { type ListRow, RowView, rowName } from './row-view.js';
import { ARCHIVE, isStop, rowsOf, type SidebarRow } from './rows.js';
import { useFolded } from './use-folded.js';
import { useListActions } from './use-list-actions.js';
import { useListKeys } from './use-list-keys.js';
import { useRowDrag } from './use-row-drag.js';
import { useToday } from './use-today.js';

/** Pixels that a row takes before it has been measured. */
const ROW_SIZE = 36;
/** Rows that are drawn beyond both edges: the keyboard finds its next one there. */
const OVERSCAN = 8;

export interface ChatListHandle {
  /** Makes a folder, and asks for its name. */
  newFolder: () => void;
}

interface ChatListProps {
  ref: Ref<ChatListHandle>;
  chats: readonly ChatSummary[];
  folders: readonly ChatFolder[];
  openId: string | null;
}

/** All chats in their folders. Of thousands only those in sight are drawn. */
export function ChatList({ ref, chats, folders, openId }: ChatListProps) {
  const now = useToday();
  const [folded, setFolded] = useFolded();
  const rows = useMemo(
    () => rowsOf({ chats, folders, folded, now }),
    [chats, folders, folded, now],
  );
  const actions = useListActions(openId, chats);
  const [renaming, setRenaming] = useState<string | null>(null);
  const [menu, setMenu] = useState<{
    open: boolean;
    row: ListRow | null;
    anchor: MenuAnchor | null;
  }>({ open: false, row: null, anchor: null });
  const scroller = useRef<HTMLDivElement>(null);

  const fold = (row: SidebarRow, open: boolean) => {
    if (row.kind === 'folder') setFolded(row.key, !open);
    else if (row.kind === 'archive') setFolded(ARCHIVE, open);
  };
  const remove = (row: ListRow) => {
    keys.leave(row.key);
    if (row.kind === 'chat') actions.remove(row.chat);
    else if (row.kind === 'folder') actions.removeFolder(row.folder);
  };
  const keys = useListKeys({
    rows,
    scroller,
    toIndex: (index) => virtualizer.scrollToIndex(index),
    preferred: openId,
    nameOf: rowName,
    onFold: fold,
    onRename: (row) => row.kind !== 'archive' && setRenaming(row.key),
    onRemove: (row) => row.kind === 'chat' && remove(row),
  });
  const stopIndex = rows.findIndex((row) => row.key === keys.stop);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_SIZE,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: OVERSCAN,
    // The row at which the Tab key stops is there wherever the list is scrolled to.
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(startIndex - overscan, 0);
      const to = Math.min(endIndex + overscan, count - 1);
      const indexes = Array.from({ length: to - from + 1 }, (_, at) => from + at);
      if (stopIndex < 0 || (stopIndex >= from && stopIndex <= to)) return indexes;
      return stopIndex < from ? [stopIndex, ...indexes] : [...indexes, stopIndex];
    },
  });
  const drag = useRowDrag({ rows, chats, folders, actions });

  const rowOf = (target: EventTarget | null): ListRow | null => {
    const key = target instanceof Element ? target.closest('li')?.dataset.key : undefined;
    const row = rows.find((one) => one.key === key);
    return row && isStop(row) && row.kind !== 'label' && row.kind !== 'empty' ? row : null;
  };
  const onContextMenu = (event: MouseEvent) => {
    const row = rowOf(event.target);
    if (!row || row.kind === 'archive' || row.key === renaming) return;
    event.preventDefault();
    const { clientX: x, clientY: y } = event;
    const anchor = { getBoundingClientRect: () => new DOMRect(x, y, 0, 0) };
    setMenu({ open: true, row, anchor });
  };
  const newFolder = async (chat: ChatSummary | null) => {
    const made = await actions.newFolder(chat);
    if (made !== null) setRenaming(made);
  };
  useImperativeHandle(ref, () => ({ newFolder: () => void newFolder(null) }));
  const renamed = (row: SidebarRow, name: string | null, byKey: boolean) => {
    setRenaming(null);
    if (byKey) keys.focus(row.key);
    if (name === null) return;
    if (row.kind === 'chat') actions.change(row.chat, { title: name });
    else if (row.kind === 'folder' && name !== '') actions.changeFolder(row.folder, { name });
  };

  const draw = (item: VirtualItem) => {
    const row = rows[item.index];
    if (!row) return null;
    return (
      <li
        key={item.key}
        ref={virtualizer.measureElement}
        data-index={item.index}
        data-key={row.key}
        data-drop={drag.target === row.key ? '' : undefined}
        aria-setsize={rows.length}
        aria-posinset={item.index + 1}
        style={{ translate: `0 ${item.start}px` }}
      >
        <RowView
          row={row}
          current={row.kind === 'chat' && row.chat.id === openId}
          stop={row.key === keys.stop}
          renaming={row.key === renaming}
          onRenamed={(name, byKey) => renamed(row, name, byKey)}
          onFold={(open) => fold(row, open)}
          onMenu={(button) => {
            if (row.kind === 'label' || row.kind === 'empty') return;
            setMenu({ open: true, row, anchor: button });
          }}
        />
      </li>
    );
  };
  return (
    <div className="sidebar-scroll" ref={scroller}>
      {rows.length === 0 && <p className="sidebar-note">{t('sidebar.empty')}</p>}
      <ul
        className="chats"
        aria-label={t('sidebar.chats')}
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={keys.onKeyDown}
        onFocus={keys.onFocus}
        onContextMenu={onContextMenu}
        {...drag.handlers}
      >
        {virtualizer.getVirtualItems().map(draw)}
      </ul>
      <RowMenu
        open={menu.open}
        row={menu.row}
        anchor={menu.anchor}
        folders={folders}
        actions={actions}
        onRename={setRenaming}
        onNewFolder={newFolder}
        onRemove={remove}
        onClose={() => setMenu((before) => ({ ...before, open: false }))}
        focusRow={() => menu.row && renaming === null && keys.focus(menu.row.key)}
      />
    </div>
  );
}
