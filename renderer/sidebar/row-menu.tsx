import { Menu } from '@base-ui/react/menu';
import {
  Archive,
  ArchiveRestore,
  ArrowDown,
  ArrowUp,
  Check,
  ChevronRight,
  Download,
  FileJson,
  FileText,
  FolderInput,
  FolderPlus,
  type LucideIcon,
  Pencil,
  Pin,
  PinOff,
  Trash2,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { ChatFolder, ChatSummary } from '../../protocol/chats.js';
import { t } from '../i18n/i18n.js';
import { chordText, parseChord } from '../shell/chord.js';
import type { ListRow } from './row-view.js';
import type { ListActions } from './use-list-actions.js';

/** At an element, or where the pointer was. */
export type MenuAnchor = Element | { getBoundingClientRect(): DOMRect };

interface RowMenuProps {
  open: boolean;
  /** Whose menu it is, or was. */
  row: ListRow | null;
  anchor: MenuAnchor | null;
  folders: readonly ChatFolder[];
  actions: ListActions;
  onRename: (key: string) => void;
  onNewFolder: (chat: ChatSummary) => void;
  onRemove: (row: ListRow) => void;
  onClose: () => void;
  /** Gets the focus back. */
  focusRow: () => void;
}

/** What can be done with a chat or a folder: one menu for the whole list. */
export function RowMenu(props: RowMenuProps) {
  const { open, row, anchor, onClose } = props;
  return (
    <Menu.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Menu.Portal>
        <Menu.Positioner anchor={anchor} sideOffset={4} align="start" collisionPadding={8}>
          <Menu.Popup
            className="menu"
            data-size="small"
            finalFocus={() => {
              props.focusRow();
              return false;
            }}
          >
            {row?.kind === 'chat' && <ChatItems {...props} row={row} />}
            {row?.kind === 'folder' && <FolderItems {...props} row={row} />}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function ChatItems(props: RowMenuProps & { row: Extract<ListRow, { kind: 'chat' }> }) {
  const { row, folders, actions } = props;
  const { chat } = row;
  return (
    <>
      {!chat.archived && (
        <Item
          icon={chat.pinned ? PinOff : Pin}
          label={chat.pinned ? t('sidebar.unpin') : t('sidebar.pin')}
          onClick={() => actions.change(chat, { pinned: !chat.pinned })}
        />
      )}
      <Item
        icon={Pencil}
        label={t('sidebar.rename')}
        keys="F2"
        onClick={() => props.onRename(row.key)}
      />
      {!chat.archived && (
        <Menu.SubmenuRoot>
          <Menu.SubmenuTrigger className="menu-item" data-plain="">
            <FolderInput size={16} aria-hidden="true" />
            <span>{t('sidebar.move')}</span>
            <ChevronRight className="menu-more" size={16} aria-hidden="true" />
          </Menu.SubmenuTrigger>
          <Menu.Portal>
            <Menu.Positioner sideOffset={-2} alignOffset={-4} collisionPadding={8}>
              <Menu.Popup className="menu" data-size="small">
                <Menu.RadioGroup
                  className="menu-scroll"
                  value={chat.folder_id}
                  onValueChange={(folder_id: string | null) => actions.change(chat, { folder_id })}
                >
                  <FolderChoice id={null} name={t('sidebar.no_folder')} />
                  {folders.map(({ id, name }) => (
                    <FolderChoice key={id} id={id} name={name} />
                  ))}
                </Menu.RadioGroup>
                <Menu.Separator className="menu-line" />
                <Item
                  icon={FolderPlus}
                  label={t('sidebar.into_new_folder')}
                  onClick={() => props.onNewFolder(chat)}
                />
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        </Menu.SubmenuRoot>
      )}
      {chat.archived ? (
        <Item
          icon={ArchiveRestore}
          label={t('sidebar.unarchive')}
          onClick={() => actions.change(chat, { archived: false })}
        />
      ) : (
        <Item
          icon={Archive}
          label={t('sidebar.do_archive')}
          onClick={() => actions.archive(chat)}
        />
      )}
      <Menu.SubmenuRoot>
        <Menu.SubmenuTrigger className="menu-item" data-plain="">
          <Download size={16} aria-hidden="true" />
          <span>{t('transfer.export_one')}</span>
          <ChevronRight className="menu-more" size={16} aria-hidden="true" />
        </Menu.SubmenuTrigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={-2} alignOffset={-4} collisionPadding={8}>
            <Menu.Popup className="menu" data-size="small">
              <Item
                icon={FileText}
                label={t('transfer.as_markdown')}
                onClick={() => actions.exportAs(chat, 'markdown')}
              />
              <Item
                icon={FileJson}
                label={t('transfer.as_json')}
                onClick={() => actions.exportAs(chat, 'json')}
              />
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.SubmenuRoot>
      <Menu.Separator className="menu-line" />
      <Item
        icon={Trash2}
        label={t('sidebar.delete')}
        keys={chordText(parseChord('Delete'))}
        tone="bad"
        onClick={() => props.onRemove(row)}
      />
    </>
  );
}

function FolderItems(props: RowMenuProps & { row: Extract<ListRow, { kind: 'folder' }> }) {
  const { row, folders, actions } = props;
  const { folder } = row;
  const place = folders.findIndex(({ id }) => id === folder.id);
  return (
    <>
      <Item
        icon={Pencil}
        label={t('sidebar.rename')}
        keys="F2"
        onClick={() => props.onRename(row.key)}
      />
      {place > 0 && (
        <Item
          icon={ArrowUp}
          label={t('sidebar.move_up')}
          onClick={() => actions.changeFolder(folder, { position: place - 1 })}
        />
      )}
      {place < folders.length - 1 && (
        <Item
          icon={ArrowDown}
          label={t('sidebar.move_down')}
          onClick={() => actions.changeFolder(folder, { position: place + 1 })}
        />
      )}
      <Menu.Separator className="menu-line" />
      <Item
        icon={Trash2}
        label={t('sidebar.delete_folder')}
        tone="bad"
        onClick={() => props.onRemove(row)}
      />
    </>
  );
}

function FolderChoice({ id, name }: { id: string | null; name: string }) {
  return (
    <Menu.RadioItem className="menu-item" data-plain="" value={id} closeOnClick>
      <Menu.RadioItemIndicator className="menu-check" keepMounted>
        <Check size={16} aria-hidden="true" />
      </Menu.RadioItemIndicator>
      <span className="menu-text" dir="auto">
        {name}
      </span>
    </Menu.RadioItem>
  );
}

interface ItemProps {
  icon: LucideIcon;
  label: ReactNode;
  keys?: string;
  tone?: 'bad';
  onClick: () => void;
}

function Item({ icon: Icon, label, keys, tone, onClick }: ItemProps) {
  return (
    <Menu.Item className="menu-item" data-plain="" data-tone={tone} onClick={onClick}>
      <Icon size={16} aria-hidden="true" />
      <span>{label}</span>
      {keys !== undefined && <kbd className="menu-keys">{keys}</kbd>}
    </Menu.Item>
  );
}
