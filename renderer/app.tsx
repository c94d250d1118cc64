import { Tooltip } from '@base-ui/react/tooltip';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { chatsApi } from './api/chats.js';
import { messageOf } from './api/error.js';
import { apiBase } from './api/http.js';
import { searchHub } from './api/hub.js';
import { forgetKey, rememberKey } from './api/key.js';
import type { ServerLink } from './api/server-link.js';
import { ChatPage } from './chat/chat-page.js';
import { chatsStore, useChats } from './chats/use-chats.js';
import { useUpdateNotice } from './desktop/use-update-notice.js';
import { DeveloperView } from './developer/developer-view.js';
import { SearchStore } from './discover/search-store.js';
import { useArrivals } from './downloads/use-arrivals.js';
import { t } from './i18n/i18n.js';
import { useLanguage } from './i18n/use-language.js';
import { AddModel } from './models/add-model.js';
import { ModelPicker } from './models/model-picker.js';
import { ModelsView } from './models/models-view.js';
import { chatItems, modelItems } from './palette/found-items.js';
import { Palette } from './palette/palette.js';
import { ShortcutsDialog } from './palette/shortcuts-dialog.js';
import { ChatSearchStore } from './search/chat-search-store.js';
import { SearchDialog } from './search/search-dialog.js';
import { SettingsView } from './settings/settings-view.js';
import { DismissNotice, ShowNotice } from './shell/act.js';
import { commands } from './shell/command-registry.js';
import { ConnectionBanner } from './shell/connection-banner.js';
import { useFollowAddress } from './shell/follow-address.js';
import { Frame } from './shell/frame.js';
import { KeyDialog } from './shell/key-dialog.js';
import { MoreMenu } from './shell/more-menu.js';
import { useCommand } from './shell/use-command.js';
import { useNotices } from './shell/use-notices.js';
import { backToChat, navigate, useRoute } from './shell/use-route.js';
import { Sidebar } from './sidebar/sidebar.js';
import { useChatSteps } from './sidebar/use-chat-steps.js';
import { useFirstRun } from './welcome-run/use-first-run.js';
import { WelcomePage } from './welcome-run/welcome-page.js';
import { windowTitle } from './window-title.js';

const noNotices: readonly string[] = [];

/** Puts the parts of the window together. */
export function App({ link }: { link: ServerLink }) {
  const { connection, server } = useSyncExternalStore(link.subscribe, link.snapshot);
  const route = useRoute();
  // A change of language draws all that is below anew.
  useLanguage();
  useFollowAddress(server?.url ?? null);
  const [search] = useState(() => new SearchStore(searchHub));
  const [chatSearch] = useState(() => new ChatSearchStore(chatsApi.search));
  const { notices, show, dismiss } = useNotices(server?.notices ?? noNotices);
  const [dialog, setDialog] = useState<'none' | 'add-model' | 'key'>('none');
  const [keyTried, setKeyTried] = useState(false);
  const [running, setRunning] = useState(false);

  const use = useCallback(
    (id: string) => {
      link.selectModel(id).catch((cause: unknown) => {
        show({ id: 'model', tone: 'bad', text: messageOf(cause) });
      });
    },
    [link, show],
  );
  const pick = useCallback(
    (id: string) => {
      use(id);
      commands.run('focus-composer');
    },
    [use],
  );
  const endFirstRun = useFirstRun(server, route, (text) =>
    show({ id: 'settings', tone: 'bad', text }),
  );
  const current = server?.current_model;
  const chatWith = useCallback(
    (id: string) => {
      if (id !== current) pick(id);
      backToChat();
    },
    [current, pick],
  );
  useArrivals(server, show, dismiss, route.page === 'welcome' ? use : chatWith);
  useUpdateNotice(show, dismiss);
  const folderFailed = () => {
    show({ id: 'folder', tone: 'bad', text: t('notices.folder_failed') });
  };
  const askForKey = useCallback(() => setDialog('key'), []);
  const enterKey = (key: string) => {
    rememberKey(key);
    setKeyTried(true);
    setDialog('none');
    link.reconnect();
    chatsStore.reconnect();
  };

  const locked = connection.state === 'locked';
  useEffect(() => {
    if (!locked) return;
    forgetKey();
    setDialog('key');
  }, [locked]);
  useEffect(() => {
    if (connection.state === 'online') setKeyTried(false);
  }, [connection.state]);

  const chats = useChats((state) => state.chats);
  const opened = useChats((state) => state.opened);
  const models = server?.models;
  const items = useMemo(
    () => [...chatItems(chats ?? []), ...modelItems(models ?? [], chatWith)],
    [chats, models, chatWith],
  );
  const searchTexts = useCallback(
    (query: string) => {
      chatSearch.type(query);
      commands.run('search-chats');
    },
    [chatSearch],
  );
  useChatSteps();
  useCommand('models', () => navigate({ page: 'models', tab: 'installed', item: null }));
  useCommand('developer', () => navigate({ page: 'developer', tab: 'server', item: null }));
  useCommand('settings', () => navigate({ page: 'settings', section: 'general', item: null }));

  const title = windowTitle(route, opened, running);
  useEffect(() => {
    document.title = title;
  }, [title]);

  return (
    <Tooltip.Provider delay={400} closeDelay={0}>
      <ShowNotice value={show}>
        <DismissNotice value={dismiss}>
          <Frame
            bare={route.page === 'welcome'}
            sidebar={<Sidebar route={route} />}
            picker={
              <ModelPicker
                server={server}
                online={connection.state !== 'offline'}
                onPick={pick}
                onAdd={() => navigate({ page: 'models', tab: 'discover', item: null })}
              />
            }
            actions={
              <MoreMenu endpoint={server ? apiBase() : null} version={server?.version ?? null} />
            }
            banner={
              <ConnectionBanner
                connection={connection}
                onRetry={() => link.retry()}
                onEnterKey={askForKey}
              />
            }
            notices={notices}
            onDismiss={dismiss}
          >
            <ChatPage
              server={server}
              route={route.page === 'chat' ? route : null}
              show={show}
              dismiss={dismiss}
              // The events would be refused as well: connecting again leads to the question for the key.
              onUnauthorized={() => link.reconnect()}
              onFolderFailed={folderFailed}
              onRunning={setRunning}
            />
            {route.page === 'welcome' && (
              <WelcomePage step={route.step} server={server} onUse={use} onEnd={endFirstRun} />
            )}
            {route.page === 'developer' && (
              <DeveloperView tab={route.tab} item={route.item} server={server} />
            )}
            {route.page === 'models' && (
              <ModelsView
                tab={route.tab}
                item={route.item}
                server={server}
                search={search}
                onUse={chatWith}
                onAddFile={() => setDialog('add-model')}
              />
            )}
            {route.page === 'settings' && (
              <SettingsView
                section={route.section}
                item={route.item}
                server={server}
                onFolderFailed={folderFailed}
              />
            )}
          </Frame>
          <Palette items={items} onSearch={searchTexts} />
          <SearchDialog store={chatSearch} />
          <ShortcutsDialog />
          <AddModel
            open={dialog === 'add-model'}
            folder={server?.models_dir ?? null}
            onClose={() => setDialog('none')}
            onFolderFailed={folderFailed}
          />
          <KeyDialog
            open={dialog === 'key'}
            refused={keyTried && locked}
            onClose={() => setDialog('none')}
            onKey={enterKey}
          />
        </DismissNotice>
      </ShowNotice>
    </Tooltip.Provider>
  );
}
