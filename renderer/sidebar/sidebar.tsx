import {
  Boxes,
  FolderPlus,
  type LucideIcon,
  PanelLeft,
  Search,
  Settings,
  SquarePen,
  SquareTerminal,
} from 'lucide-react';
import { useContext, useRef } from 'react';
import { useChats } from '../chats/use-chats.js';
import { t } from '../i18n/i18n.js';
import { commands } from '../shell/command-registry.js';
import { keysOf } from '../shell/commands.js';
import { Flame } from '../shell/flame.js';
import { Hint, IconButton } from '../shell/icon-button.js';
import { type Route, routeHash } from '../shell/route.js';
import { SidebarToggle } from '../shell/sidebar-toggle.js';
import { ChatList, type ChatListHandle } from './chat-list.js';
import { PageLink } from './page-link.js';

/** What there is beside the chat that is open: the other chats, and the pages. */
export function Sidebar({ route }: { route: Route }) {
  const hide = useContext(SidebarToggle);
  const chats = useChats((state) => state.chats);
  const folders = useChats((state) => state.folders);
  const list = useRef<ChatListHandle>(null);
  return (
    <>
      <div className="sidebar-head">
        <span className="sidebar-mark">
          <Flame size={22} />
          Pilotlight
        </span>
        <IconButton
          label={t('sidebar.new_folder')}
          icon={<FolderPlus size={18} aria-hidden="true" />}
          data-testid="new-folder"
          disabled={chats === null}
          onClick={() => list.current?.newFolder()}
        />
        <IconButton
          label={t('shell.sidebar_hide')}
          keys={keysOf('toggle-sidebar')}
          icon={<PanelLeft size={18} aria-hidden="true" />}
          aria-expanded={true}
          data-testid="hide-sidebar"
          onClick={hide}
        />
        <CommandButton id="new-chat" label={t('commands.new_chat')} icon={SquarePen} />
        <CommandButton id="search-chats" label={t('commands.search_chats')} icon={Search} />
      </div>
      <nav className="sidebar-chats" aria-label={t('sidebar.chats')}>
        {chats === null ? (
          <p className="sidebar-note">{t('sidebar.loading')}</p>
        ) : (
          <ChatList
            ref={list}
            chats={chats}
            folders={folders}
            openId={route.page === 'chat' ? (route.id ?? null) : null}
          />
        )}
      </nav>
      <nav className="sidebar-foot" aria-label={t('sidebar.pages')}>
        <PageLink
          icon={Boxes}
          label={t('commands.models')}
          href={routeHash({ page: 'models', tab: 'installed', item: null })}
          current={route.page === 'models'}
          testId="models"
        />
        <PageLink
          icon={SquareTerminal}
          label={t('commands.developer')}
          href={routeHash({ page: 'developer', tab: 'server', item: null })}
          current={route.page === 'developer'}
          testId="developer"
        />
        <PageLink
          icon={Settings}
          label={t('commands.settings')}
          href={routeHash({ page: 'settings', section: 'general', item: null })}
          current={route.page === 'settings'}
          testId="settings"
        />
      </nav>
    </>
  );
}

function CommandButton(props: {
  id: 'new-chat' | 'search-chats';
  label: string;
  icon: LucideIcon;
}) {
  const { icon: Icon } = props;
  return (
    <Hint label={props.label} keys={keysOf(props.id)}>
      <button
        type="button"
        className="sidebar-link"
        data-testid={props.id}
        onClick={() => commands.run(props.id)}
      >
        <Icon size={17} aria-hidden="true" />
        <span>{props.label}</span>
      </button>
    </Hint>
  );
}
