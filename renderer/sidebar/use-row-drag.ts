import { type DragEvent, useState } from 'react';
import type { ChatFolder, ChatSummary } from '../../protocol/chats.js';
import type { SidebarRow } from './rows.js';
import type { ListActions } from './use-list-actions.js';

const CHAT = 'application/x-pilotlight-chat';
const FOLDER = 'application/x-pilotlight-folder';

interface RowDragParts {
  rows: readonly SidebarRow[];
  chats: readonly ChatSummary[];
  folders: readonly ChatFolder[];
  actions: ListActions;
}

/** Chats are dragged into folders, out of them and into the archive; folders to another place. */
export function useRowDrag({ rows, chats, folders, actions }: RowDragParts) {
  const [target, setTarget] = useState<string | null>(null);

  const rowAt = ({ target: element }: DragEvent): { row: SidebarRow; index: number } | null => {
    const key = element instanceof Element ? element.closest('li')?.dataset.key : undefined;
    const index = rows.findIndex((row) => row.key === key);
    const row = rows[index];
    return row ? { row, index } : null;
  };
  /** The row that stands for what the chat or the folder is dropped on. */
  const destination = (event: DragEvent): SidebarRow | null => {
    const at = rowAt(event);
    if (!at) return null;
    const { types } = event.dataTransfer;
    if (types.includes(FOLDER)) return at.row.kind === 'folder' ? at.row : null;
    if (!types.includes(CHAT)) return null;
    const { row, index } = at;
    if (row.kind === 'folder' || row.kind === 'archive') return row;
    if (row.kind === 'chat' && row.place === 'pinned') return null;
    if (row.kind === 'label' && (row.section === 'pinned' || row.section === 'folders'))
      return null;
    // Within a folder its own row stands for it; else the heading of the time, which is in no folder.
    const inside = row.kind === 'empty' || (row.kind === 'chat' && row.place === 'within');
    const owner = rows
      .slice(0, index + 1)
      .findLast(({ kind }) =>
        inside ? kind === 'folder' || kind === 'archive' : kind === 'label',
      );
    return owner ?? null;
  };

  const handlers = {
    onDragStart: (event: DragEvent) => {
      const row = rowAt(event)?.row;
      if (row?.kind === 'chat') event.dataTransfer.setData(CHAT, row.chat.id);
      else if (row?.kind === 'folder') event.dataTransfer.setData(FOLDER, row.folder.id);
      event.dataTransfer.effectAllowed = 'copyMove';
    },
    onDragOver: (event: DragEvent) => {
      const row = destination(event);
      setTarget(row?.key ?? null);
      if (!row) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'move';
    },
    onDragLeave: (event: DragEvent) => {
      const { relatedTarget, currentTarget } = event;
      if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget))
        setTarget(null);
    },
    onDragEnd: () => setTarget(null),
    onDrop: (event: DragEvent) => {
      const row = destination(event);
      setTarget(null);
      if (!row) return;
      event.preventDefault();
      const moved = folders.find(({ id }) => id === event.dataTransfer.getData(FOLDER));
      if (moved) {
        const position = folders.findIndex(({ id }) => id === row.key);
        if (position >= 0 && row.key !== moved.id) actions.changeFolder(moved, { position });
        return;
      }
      const chat = chats.find(({ id }) => id === event.dataTransfer.getData(CHAT));
      if (!chat) return;
      if (row.kind !== 'archive') actions.move(chat, row.kind === 'folder' ? row.folder.id : null);
      else if (!chat.archived) actions.archive(chat);
    },
  };
  return { target, handlers };
}
