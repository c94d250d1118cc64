import { Menu } from '@base-ui/react/menu';
import { ClipboardList, Ellipsis, Trash2 } from 'lucide-react';
import { useContext } from 'react';
import { t } from '../i18n/i18n.js';
import { Actions } from './thread-actions.js';

/** What is done more rarely with a message. */
export function MessageMenu({ id, canDelete }: { id: string; canDelete: boolean }) {
  const { onCopyChat, onDelete } = useContext(Actions);
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        className="icon-button"
        data-size="small"
        data-testid="message-menu"
        aria-label={t('chat.more')}
      >
        <Ellipsis size={15} aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="start" collisionPadding={8}>
          <Menu.Popup className="menu" data-size="small">
            <Menu.Item className="menu-item" data-plain="" onClick={onCopyChat}>
              <ClipboardList size={16} aria-hidden="true" />
              <span>{t('chat.copy_chat')}</span>
            </Menu.Item>
            <Menu.Item
              className="menu-item"
              data-plain=""
              data-testid="delete-message"
              disabled={!canDelete}
              onClick={() => onDelete(id)}
            >
              <Trash2 size={16} aria-hidden="true" />
              <span>{t('chat.delete_from_here')}</span>
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
