import { Tooltip } from '@base-ui/react/tooltip';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { messageOf } from './api/error.js';
import { apiBase } from './api/http.js';
import { searchHub } from './api/hub.js';
import { forgetKey, rememberKey } from './api/key.js';
import type { ServerLink } from './api/server-link.js';
import { Announcer } from './chat/announcer.js';
import { ChatView } from './chat/chat-view.js';
import { runningAnswer } from './chat/conversation.js';
import type { TurnActions } from './chat/turn-list.js';
import { useChat, useDraft } from './chat/use-chat.js';
import { SearchStore } from './discover/search-store.js';
import { useArrivals } from './downloads/use-arrivals.js';
import { AddModel } from './models/add-model.js';
import { ModelPicker } from './models/model-picker.js';
import { blockedReason, currentModel } from './models/model-state.js';
import { ModelsView } from './models/models-view.js';
import { ShowNotice } from './shell/act.js';
import { ConnectionBanner } from './shell/connection-banner.js';
import { Header } from './shell/header.js';
import { KeyDialog } from './shell/key-dialog.js';
import { asksForNewChat, isStrayTyping } from './shell/keys.js';
import { MoreMenu } from './shell/more-menu.js';
import { Notices } from './shell/notices.js';
import { useNotices } from './shell/use-notices.js';
import { navigate, useRoute } from './shell/use-route.js';

const noNotices: readonly string[] = [];

export function App({ link }: { link: ServerLink }) {
  const { connection, server } = useSyncExternalStore(link.subscribe, link.snapshot);
  const route = useRoute();
  const inChat = route.page === 'chat';
  const [search] = useState(() => new SearchStore(searchHub));
  const { notices, show, dismiss } = useNotices(server?.notices ?? noNotices);
  const { session, conversation } = useChat(() => {
    const text = 'This browser does not keep the chat: it is gone when the window is closed.';
    show({ id: 'not-saved', tone: 'bad', text });
  });
  const [draft, setDraft] = useDraft();
  const input = useRef<HTMLTextAreaElement>(null);
  const [dialog, setDialog] = useState<'none' | 'add-model' | 'key'>('none');
  const [keyTried, setKeyTried] = useState(false);

  const model = currentModel(server);
  const running = runningAnswer(conversation);
  const blocked = blockedReason(server);
  const focusInput = () => input.current?.focus();

  const send = (text: string) => {
    if (!model || running || blocked) return;
    dismiss('new-chat');
    if (text === draft.trim()) setDraft('');
    focusInput();
    void session.ask(text, model.id);
  };
  const stop = () => {
    session.stop();
    focusInput();
  };
  const newChat = () => {
    if (!inChat) navigate({ page: 'chat' });
    const { turns } = session.snapshot();
    if (turns.length > 0) {
      session.stop();
      const before = session.snapshot().turns;
      session.replace([]);
      const undo = () => {
        session.replace(before);
        dismiss('new-chat');
      };
      const action = { label: 'Undo', run: undo };
      show({ id: 'new-chat', tone: 'info', text: 'Chat cleared.', action });
    }
    focusInput();
  };
  /** The chat grew too long: the question that no longer fitted goes over into the new one. */
  const newChatWithQuestion = () => {
    const question = session.snapshot().turns.at(-1)?.question;
    newChat();
    if (question !== undefined && draft.trim() === '') setDraft(question);
  };
  const askAgain = (question?: string) => {
    if (!model || running) return;
    focusInput();
    void session.askAgain(model.id, question);
  };
  const pick = (id: string) => {
    link.selectModel(id).catch((cause: unknown) => {
      show({ id: 'model', tone: 'bad', text: messageOf(cause) });
    });
    focusInput();
  };
  const chatWith = (id: string) => {
    if (id !== server?.current_model) pick(id);
    navigate({ page: 'chat' });
  };
  useArrivals(server, show, dismiss, chatWith);
  const folderFailed = () => {
    show({ id: 'folder', tone: 'bad', text: 'The models folder could not be opened.' });
  };
  const enterKey = (key: string) => {
    rememberKey(key);
    setKeyTried(true);
    setDialog('none');
    link.reconnect();
  };

  // Handlers read the newest state through this, so that finished turns keep theirs and are not drawn again.
  const handlers = { askAgain, newChat, newChatWithQuestion, stop, running, inChat };
  const latest = useRef(handlers);
  latest.current = handlers;
  const actions = useMemo<TurnActions>(
    () => ({
      onAgain: () => latest.current.askAgain(),
      onEdit: (question) => latest.current.askAgain(question),
      onNewChat: () => latest.current.newChatWithQuestion(),
      onEnterKey: () => setDialog('key'),
    }),
    [],
  );

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      if (asksForNewChat(event)) {
        event.preventDefault();
        latest.current.newChat();
      } else if (!latest.current.inChat) {
        return;
      } else if (event.key === 'Escape' && !event.isComposing && latest.current.running) {
        // An open menu or dialog takes Escape for itself.
        if (!document.querySelector('[role="menu"], [role="dialog"]')) latest.current.stop();
      } else if (isStrayTyping(event)) {
        input.current?.focus();
      }
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);

  const locked = connection.state === 'locked';
  useEffect(() => {
    if (!locked) return;
    forgetKey();
    setDialog('key');
  }, [locked]);
  useEffect(() => {
    if (connection.state === 'online') setKeyTried(false);
  }, [connection.state]);
  const unauthorized = conversation.turns.at(-1)?.answer.failure?.remedy === 'key';
  useEffect(() => {
    // The events would be refused as well: connecting again leads to the question for the key.
    if (unauthorized) link.reconnect();
  }, [unauthorized, link]);

  const shown = inChat ? (model?.name ?? null) : 'Models';
  const title = [running ? 'Answering…' : null, shown, 'Pilotlight']
    .filter((part) => part !== null)
    .join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);

  useEffect(() => {
    if (inChat && matchMedia('(hover: hover)').matches) input.current?.focus();
  }, [inChat]);

  const names = useMemo(
    () => new Map(server?.models.map((entry) => [entry.id, entry.name])),
    [server?.models],
  );

  return (
    <Tooltip.Provider delay={400} closeDelay={0}>
      <ShowNotice value={show}>
        <div className="app">
          <Header
            picker={
              <ModelPicker
                server={server}
                online={connection.state !== 'offline'}
                onPick={pick}
                onAdd={() => navigate({ page: 'models', tab: 'discover', item: null })}
              />
            }
            more={
              <MoreMenu endpoint={server ? apiBase() : null} version={server?.version ?? null} />
            }
            inChat={inChat}
            canStartNew={conversation.turns.length > 0}
            onNewChat={newChat}
          />
          <ConnectionBanner
            connection={connection}
            onRetry={() => link.retry()}
            onEnterKey={() => setDialog('key')}
          />
          {/* The chat goes on meanwhile, and is found again where it was left. */}
          <div className="page" hidden={!inChat}>
            <ChatView
              conversation={conversation}
              server={server}
              model={model}
              names={names}
              blocked={blocked}
              inputRef={input}
              draft={draft}
              onDraft={setDraft}
              onSend={send}
              onStop={stop}
              actions={actions}
              onFolderFailed={folderFailed}
            />
          </div>
          {route.page === 'models' && (
            <ModelsView
              tab={route.tab}
              item={route.item}
              server={server}
              search={search}
              onUse={chatWith}
              onAddFile={() => setDialog('add-model')}
              onFolderFailed={folderFailed}
            />
          )}
          <Notices notices={notices} onDismiss={dismiss} />
        </div>
        <Announcer conversation={conversation} />
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
      </ShowNotice>
    </Tooltip.Provider>
  );
}
