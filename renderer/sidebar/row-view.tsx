import { Archive, ChevronDown, Ellipsis, Folder, FolderOpen } from 'lucide-react';
import type { MouseEvent } from 'react';
import { currentLanguage, t } from '../i18n/i18n.js';
import { routeHash } from '../shell/route.js';
import { monthName } from './days.js';
import { RenameField } from './rename-field.js';
import type { Section, SidebarRow } from './rows.js';
import { titleOf } from './titles.js';

export type ListRow = Exclude<SidebarRow, { kind: 'label' | 'empty' }>;

interface RowViewProps {
  row: SidebarRow;
  /** It is the open chat. */
  current: boolean;
  /** The Tab key stops here. */
  stop: boolean;
  /** Its name is being changed. */
  renaming: boolean;
  onRenamed: (name: string | null, byKey: boolean) => void;
  onFold: (open: boolean) => void;
  /** By its button. */
  onMenu: (button: HTMLElement) => void;
}

const sectionNames = {
  pinned: 'sidebar.pinned',
  folders: 'sidebar.folders',
  today: 'sidebar.today',
  yesterday: 'sidebar.yesterday',
  week: 'sidebar.week',
  month: 'sidebar.month',
} as const;

function sectionName(section: Section): string {
  if (section in sectionNames) return t(sectionNames[section as keyof typeof sectionNames]);
  return monthName(section as `${number}-${number}`, currentLanguage()) ?? section;
}

/** What a row is called, and found by. */
export function rowName(row: SidebarRow): string {
  switch (row.kind) {
    case 'chat':
      return titleOf(row.chat);
    case 'folder':
      return row.folder.name;
    case 'archive':
      return t('sidebar.archive');
    case 'label':
      return sectionName(row.section);
    case 'empty':
      return t('sidebar.folder_empty');
  }
}

/** The inside of a line of the list. */
export function RowView(props: RowViewProps) {
  const { row } = props;
  switch (row.kind) {
    case 'label':
      return <h3 className="chats-label">{rowName(row)}</h3>;
    case 'empty':
      return <p className="chats-empty-folder">{rowName(row)}</p>;
    case 'chat':
      return <ChatRow {...props} row={row} />;
    default:
      return <FoldRow {...props} row={row} />;
  }
}

function ChatRow(props: RowViewProps & { row: Extract<SidebarRow, { kind: 'chat' }> }) {
  const { row, current, stop } = props;
  const { chat, place } = row;
  if (props.renaming) {
    return (
      <span className="chat-row" data-place={place}>
        <RenameField
          label={t('sidebar.title_of_chat')}
          value={chat.title}
          onEnd={props.onRenamed}
        />
      </span>
    );
  }
  return (
    <span className="chat-row" data-place={place} data-current={current ? '' : undefined}>
      <a
        className="chat-link"
        href={routeHash({ page: 'chat', id: chat.id })}
        aria-current={current ? 'page' : undefined}
        tabIndex={stop ? 0 : -1}
        data-row={row.key}
        data-testid="chat-link"
      >
        <span className="chat-title" dir="auto">
          {titleOf(chat)}
        </span>
        {chat.answering && (
          <span className="chat-busy">
            <span className="dot" data-tone="busy" />
            <span className="hidden-visually">{t('sidebar.answering')}</span>
          </span>
        )}
      </a>
      <MenuButton title={titleOf(chat)} onMenu={props.onMenu} />
    </span>
  );
}

function FoldRow(
  props: RowViewProps & { row: Extract<SidebarRow, { kind: 'folder' | 'archive' }> },
) {
  const { row } = props;
  const name = rowName(row);
  if (row.kind === 'folder' && props.renaming) {
    return (
      <span className="chat-row">
        <RenameField label={t('sidebar.name_of_folder')} value={name} onEnd={props.onRenamed} />
      </span>
    );
  }
  const Icon = row.kind === 'archive' ? Archive : row.open ? FolderOpen : Folder;
  return (
    <span className="chat-row" data-fold={row.open ? 'open' : 'folded'}>
      <button
        type="button"
        className="chat-link"
        aria-expanded={row.open}
        tabIndex={props.stop ? 0 : -1}
        data-row={row.key}
        data-testid={row.kind === 'folder' ? 'folder' : 'archive'}
        onClick={() => props.onFold(!row.open)}
      >
        <Icon size={16} aria-hidden="true" />
        <span className="chat-title" dir="auto">
          {name}
        </span>
        {row.count > 0 && (
          <span className="chat-count">
            <span aria-hidden="true">{row.count}</span>
            <span className="hidden-visually">{t('sidebar.count', { n: row.count })}</span>
          </span>
        )}
        <ChevronDown className="chat-fold" size={14} aria-hidden="true" />
      </button>
      {row.kind === 'folder' && <MenuButton title={name} onMenu={props.onMenu} />}
    </span>
  );
}

/** For the pointer; the keyboard opens the menu of the row that has the focus. */
function MenuButton({ title, onMenu }: { title: string; onMenu: (button: HTMLElement) => void }) {
  const label = t('sidebar.menu_of', { title });
  const onClick = (event: MouseEvent<HTMLButtonElement>) => onMenu(event.currentTarget);
  return (
    <button
      type="button"
      className="icon-button chat-menu"
      data-size="small"
      tabIndex={-1}
      aria-label={label}
      aria-haspopup="menu"
      onClick={onClick}
    >
      <Ellipsis size={16} aria-hidden="true" />
    </button>
  );
}
