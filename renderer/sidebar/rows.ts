/** The lines of the list of chats, from top to bottom. Pure. */
import type { ChatFolder, ChatSummary } from '../../protocol/chats.js';
import { type Stretch, stretchOf } from './days.js';

export type Section = 'pinned' | 'folders' | Stretch;

export type SidebarRow =
  | { kind: 'label'; key: string; section: Section }
  | { kind: 'folder'; key: string; folder: ChatFolder; open: boolean; count: number }
  | { kind: 'archive'; key: string; open: boolean; count: number }
  | { kind: 'chat'; key: string; chat: ChatSummary; place: Place }
  /** An open folder without chats. */
  | { kind: 'empty'; key: string; folder: ChatFolder };

/** Where in the list a chat is. `within`: in a folder or in the archive, to which the row above it belongs. */
export type Place = 'pinned' | 'within' | 'time';

export const ARCHIVE = 'archive';

interface RowsOf {
  chats: readonly ChatSummary[];
  folders: readonly ChatFolder[];
  /** Ids of folders that are folded, or unfolded: the archive. */
  folded: ReadonlySet<string>;
  now: number;
}

/** Pinned chats, folders with theirs, all others by time, and the archive, which is folded unless asked for. */
export function rowsOf({ chats, folders, folded, now }: RowsOf): SidebarRow[] {
  const newest = [...chats].sort(byUse);
  const shown = newest.filter((chat) => !chat.archived);
  const known = new Set(folders.map(({ id }) => id));
  const pinned = shown.filter((chat) => chat.pinned);
  const loose = shown.filter((chat) => !chat.pinned);
  const inFolder = new Map<string | null, ChatSummary[]>();
  for (const chat of loose) {
    const folder = chat.folder_id !== null && known.has(chat.folder_id) ? chat.folder_id : null;
    const within = inFolder.get(folder);
    if (within) within.push(chat);
    else inFolder.set(folder, [chat]);
  }
  const archived = newest.filter((chat) => chat.archived);

  const rows: SidebarRow[] = [];
  if (pinned.length > 0) rows.push(label('pinned'));
  rows.push(...pinned.map((chat) => chatRow(chat, 'pinned')));

  if (folders.length > 0) rows.push(label('folders'));
  for (const folder of [...folders].sort((a, b) => a.position - b.position)) {
    const within = inFolder.get(folder.id) ?? [];
    const open = !folded.has(folder.id);
    rows.push({ kind: 'folder', key: folder.id, folder, open, count: within.length });
    if (!open) continue;
    rows.push(...within.map((chat) => chatRow(chat, 'within')));
    if (within.length === 0) rows.push({ kind: 'empty', key: `${folder.id}/empty`, folder });
  }

  let section: Section | null = null;
  for (const chat of inFolder.get(null) ?? []) {
    const stretch = stretchOf(chat.updated_at, now);
    if (stretch !== section) rows.push(label(stretch));
    section = stretch;
    rows.push(chatRow(chat, 'time'));
  }

  if (archived.length > 0) {
    const open = folded.has(ARCHIVE);
    rows.push({ kind: 'archive', key: ARCHIVE, open, count: archived.length });
    if (open) rows.push(...archived.map((chat) => chatRow(chat, 'within')));
  }
  return rows;
}

/** Chats in the order in which they are shown, also those that are folded away; for the next and the previous one. */
export function chatsInOrder(parts: Omit<RowsOf, 'folded'>): ChatSummary[] {
  return rowsOf({ ...parts, folded: new Set() }).flatMap((row) =>
    row.kind === 'chat' ? row.chat : [],
  );
}

/** Whether the keyboard stops there. */
export function isStop(row: SidebarRow): boolean {
  return row.kind === 'chat' || row.kind === 'folder' || row.kind === 'archive';
}

/**
 * Index of the row that `key` leads to from the one at `at`; null: nowhere else. Folders of a right-to-left window fold
 * with the same keys: the list is vertical.
 */
export function stepFrom(rows: readonly SidebarRow[], at: number, key: string): number | null {
  const find = (from: number, step: 1 | -1): number | null => {
    for (let index = from; index >= 0 && index < rows.length; index += step) {
      const row = rows[index];
      if (row && isStop(row)) return index;
    }
    return null;
  };
  switch (key) {
    case 'ArrowDown':
      return find(at + 1, 1);
    case 'ArrowUp':
      return find(at - 1, -1);
    case 'Home':
      return find(0, 1);
    case 'End':
      return find(rows.length - 1, -1);
    default:
      return null;
  }
}

/** Index of the next row whose words begin with `typed`, from the one at `at` on, around the end. */
export function typeahead(
  rows: readonly SidebarRow[],
  at: number,
  typed: string,
  wordsOf: (row: SidebarRow) => string,
): number | null {
  const wanted = plain(typed);
  // A single letter, typed again, goes on to the next one.
  const first = typed.length === 1 ? 1 : 0;
  for (let step = first; step < rows.length + first; step += 1) {
    const index = (at + step) % rows.length;
    const row = rows[index];
    if (row && isStop(row) && plain(wordsOf(row)).startsWith(wanted)) return index;
  }
  return null;
}

function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trimStart();
}

function label(section: Section): SidebarRow {
  return { kind: 'label', key: `label/${section}`, section };
}

function chatRow(chat: ChatSummary, place: Place): SidebarRow {
  return { kind: 'chat', key: chat.id, chat, place };
}

/** What was used last comes first; where that tells nothing, the order never changes by itself. */
function byUse(a: ChatSummary, b: ChatSummary): number {
  return b.updated_at - a.updated_at || (a.id < b.id ? -1 : 1);
}
