import { type ClipboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type ChatSettings, NO_CHAT_SETTINGS } from '../../protocol/chat-settings.js';
import type { ServerState } from '../../protocol/models.js';
import { chatsApi } from '../api/chats.js';
import { ApiError, messageOf } from '../api/error.js';
import { decideToolCall } from '../api/mcp.js';
import { changeSettings } from '../api/settings.js';
import { AttachButton } from '../attachments/attach-button.js';
import { filesIn, LONG_PASTE } from '../attachments/bring-files.js';
import { DraftFileList, TooLongCard } from '../attachments/draft-file-list.js';
import { DropZone } from '../attachments/drop-zone.js';
import { type TooLong, tooLong } from '../attachments/limit.js';
import { useDraftFiles } from '../attachments/use-draft-files.js';
import { useQuestionCount } from '../attachments/use-question-count.js';
import { ChatSettingsPanel } from '../chat-settings/chat-settings-panel.js';
import { CompareBar } from '../chat-settings/compare-bar.js';
import { ComposerButtons } from '../chat-settings/composer-buttons.js';
import { useCompared } from '../chat-settings/use-compared.js';
import { chatsStore, useChats } from '../chats/use-chats.js';
import { useLinks } from '../desktop/use-links.js';
import { t } from '../i18n/i18n.js';
import { blockedReason, currentModel, isOfThisMachine } from '../models/model-state.js';
import { copyText } from '../shell/clipboard.js';
import { isStrayTyping } from '../shell/keys.js';
import type { Notice } from '../shell/notices.js';
import type { Route } from '../shell/route.js';
import { useCommand } from '../shell/use-command.js';
import { navigate } from '../shell/use-route.js';
import { ChatTools } from '../tools/chat-tools.js';
import { Announcer } from './announcer.js';
import { chatMarkdown } from './chat-markdown.js';
import { ChatView } from './chat-view.js';
import { canGoOn, lastAnswer, lastQuestion, runningAnswers, textOf } from './thread.js';
import { Actions, type Editing, type ThreadActions } from './thread-actions.js';
import { useDraft } from './use-draft.js';

interface ChatPageProps {
  server: ServerState | null;
  /** Null while another page is shown: the chat goes on, and is found again where it was left. */
  route: (Route & { page: 'chat' }) | null;
  show: (notice: Notice) => void;
  dismiss: (id: string) => void;
  /** The server wants a key that it was not given. */
  onUnauthorized: () => void;
  onFolderFailed: () => void;
  /** Whether an answer is being written, for the window's title. */
  onRunning: (running: boolean) => void;
}

/** The conversation, and the commands that have to do with it. */
export function ChatPage(props: ChatPageProps) {
  const { server, route, show, dismiss, onUnauthorized, onRunning } = props;
  const opened = useChats((chats) => chats.opened);
  const shown = route !== null;
  const kept = useRef<Route & { page: 'chat' }>({ page: 'chat' });
  if (route) kept.current = route;
  const id = kept.current.id ?? null;
  const chat = opened.state === 'here' && opened.chat.id === id ? opened.chat : null;
  useEffect(() => chatsStore.open(id), [id]);

  const input = useRef<HTMLTextAreaElement>(null);
  const findInput = useRef<HTMLInputElement>(null);
  const [editing, setEditing] = useState<Editing | null>(null);
  const [finding, setFinding] = useState(false);
  const [settingsOpen, setSettingsOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: both belong to the chat that is shown
  useEffect(() => {
    setEditing(null);
    setFinding(false);
  }, [id]);

  /** Does what a button asks for; what goes wrong is told. */
  const act = async (action: () => Promise<unknown>): Promise<boolean> => {
    try {
      await action();
      dismiss('chat');
      return true;
    } catch (cause) {
      if (cause instanceof ApiError && cause.status === 401) onUnauthorized();
      show({ id: 'chat', tone: 'bad', text: messageOf(cause) });
      return false;
    }
  };
  const holds = useRef<() => boolean>(() => false);
  const { draft, text: draftText, made } = useDraft(id, chat, () => holds.current());
  const place = () => draft.place();
  const { files, attached, incoming, last, bring } = useDraftFiles(id, chat, { place, show });
  holds.current = () => files.snapshot().attached.length > 0;

  const model =
    server?.models.find((entry) => entry.id === chat?.settings.model) ?? currentModel(server);
  const { compared, compare, endComparing } = useCompared(server, model?.id ?? null);
  const blocked = chat?.settings.model && model ? null : blockedReason(server);
  const running = chat !== null && runningAnswers(chat).length > 0;
  const canAsk = !running && blocked === null;
  const asked = (compared ?? [model?.id]).flatMap(
    (each) => server?.models.find((entry) => entry.id === each) ?? [],
  );
  const counted = useQuestionCount({
    ...{ chat: id, parent: chat?.branch.at(-1) ?? null, text: draftText, attached },
    models: asked.map((each) => each.id),
    states: asked.map((each) => each.status).join(),
  });
  const overflow = tooLong(counted?.count ?? null, attached);
  const overflowing = asked.find((each) => each.id === counted?.model) ?? model;
  const isComing = incoming.some(({ failure }) => failure === null);
  const unsendable = isComing ? t('attachments.waiting') : overflow && contextUse(overflow);
  const canCompare = compared === null && model !== null;
  const startComparing = () => model && compare([model.id, model.id]);
  const focusInput = () => input.current?.focus();
  const nameOf = useMemo(() => {
    const names = new Map(server?.models.map((entry) => [entry.id, entry.name]));
    return (model: string) => names.get(model) ?? model;
  }, [server?.models]);

  const send = () => {
    if (!canAsk || unsendable !== null) return;
    if (draftText.trim() === '' && attached.length === 0) return;
    focusInput();
    const parent_id = chat?.branch.at(-1) ?? null;
    const takenFiles = files.take();
    const attachments = takenFiles.map((file) => file.id);
    void act(async () => {
      let text = '';
      try {
        const taken = await draft.take();
        text = taken.text;
        await chatsApi.ask(taken.chat, {
          ...{ parent_id, text: text.trim(), attachments },
          ...(compared ? { models: [...compared] } : {}),
        });
      } catch (cause) {
        draft.giveBack(text);
        files.giveBack(takenFiles);
        throw cause;
      }
    });
  };
  const paste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const text = event.clipboardData.getData('text/plain').replace(/\r\n?/g, '\n');
    // Programs that copy a table, say, give a picture of it too.
    const brought = text === '' ? filesIn(event.clipboardData) : null;
    if (brought !== null && (brought.files.length > 0 || brought.hasFolders)) {
      event.preventDefault();
      bring(brought);
    }
    if (text.length < LONG_PASTE) return;
    const attach = () => {
      dismiss('long-paste');
      draft.write(draft.snapshot().text.replace(text, () => ''));
      const name = `${t('attachments.pasted_name')}.txt`;
      bring({ files: [new File([text], name, { type: 'text/plain' })], hasFolders: false });
      focusInput();
    };
    const action = { label: t('attachments.attach_instead'), run: attach };
    show({ id: 'long-paste', tone: 'info', text: t('attachments.long_paste'), action });
  };
  const askNow = (question: string) => {
    if (!canAsk) return;
    focusInput();
    const before = draftText;
    const filesBefore = files.take();
    void act(async () => {
      try {
        draft.write(question);
        const taken = await draft.take();
        draft.giveBack(before);
        await chatsApi.ask(taken.chat, { parent_id: null, text: question });
      } finally {
        // Only what is asked now empties the draft.
        files.giveBack(filesBefore);
      }
    });
  };
  const changeChat = (settings: Partial<ChatSettings>) =>
    void act(async () => chatsApi.change(await draft.place(), { settings }));
  const makeDefault = () =>
    void act(async () => {
      await changeSettings({ chat_defaults: chat?.settings ?? {} });
      show({ id: 'chat-default', tone: 'info', text: t('chat_settings.default_done') });
    });
  const stop = () => {
    if (id !== null) void act(() => chatsApi.stopAll(id));
    focusInput();
  };
  const newChat = () => {
    navigate({ page: 'chat' });
    focusInput();
  };
  const askAgain = (question: string, model?: string) => {
    if (id === null || !canAsk) return;
    focusInput();
    void act(() => chatsApi.askAgain(id, question, model === undefined ? undefined : [model]));
  };
  const copyChat = () => {
    if (!chat) return;
    const answer = (model: string) => t('chat.markdown_answer', { model });
    const words = { question: t('chat.markdown_question'), answer };
    void copyText(chatMarkdown(chat, nameOf, words)).then((copied) => {
      const text = copied ? t('chat.chat_copied') : t('chat.not_copied');
      show({ id: 'chat', tone: copied ? 'info' : 'bad', text });
    });
  };
  const remove = async (message: string) => {
    if (id === null || !(await act(() => chatsApi.removeMessage(id, message)))) return;
    const undo = () => {
      dismiss('message-deleted');
      void act(() => chatsApi.restoreMessage(id, message));
    };
    const action = { label: t('common.undo'), run: undo };
    show({ id: 'message-deleted', tone: 'info', text: t('chat.message_deleted'), action });
    focusInput();
  };

  // Handlers read the newest state through this, so that messages keep theirs and are not drawn again.
  const handlers: ThreadActions = {
    onAskAgain: askAgain,
    onContinue: (answer) => id !== null && void act(() => chatsApi.goOn(id, answer)),
    onStop: (answer) => {
      if (id !== null) void act(() => chatsApi.stop(id, answer));
      focusInput();
    },
    onEditing: setEditing,
    onEdited: async (message, text) => {
      if (id === null) return;
      const { parent_id } = message;
      const edit =
        message.role === 'user'
          ? chatsApi.ask(id, {
              parent_id,
              text,
              attachments: message.attachments.map((file) => file.id),
            })
          : chatsApi.edit(id, message.id, text);
      if (await act(() => edit)) setEditing(null);
    },
    onDecide: async (message, call, decision) =>
      id !== null && act(() => decideToolCall({ chat: id, message, call }, decision)),
    onDelete: (message) => void remove(message),
    onBranch: (message) => id !== null && void act(() => chatsApi.change(id, { leaf_id: message })),
    onCopyChat: copyChat,
    onNewChat: (answer) => {
      const question = chat?.messages.get(chat.messages.get(answer)?.parent_id ?? '');
      draft.startNew(question?.role === 'user' ? question.text : '');
      newChat();
    },
    onModels: () => navigate({ page: 'models', tab: 'installed', item: null }),
  };
  const latest = useRef(handlers);
  latest.current = handlers;
  const actions = useMemo<ThreadActions>(
    () => ({
      onAskAgain: (question, model) => latest.current.onAskAgain(question, model),
      onContinue: (answer) => latest.current.onContinue(answer),
      onStop: (answer) => latest.current.onStop(answer),
      onEditing: (change) => latest.current.onEditing(change),
      onEdited: (message, text) => latest.current.onEdited(message, text),
      onDecide: (answer, call, decision) => latest.current.onDecide(answer, call, decision),
      onDelete: (message) => latest.current.onDelete(message),
      onBranch: (message) => latest.current.onBranch(message),
      onCopyChat: () => latest.current.onCopyChat(),
      onNewChat: (answer) => latest.current.onNewChat(answer),
      onModels: () => latest.current.onModels(),
    }),
    [],
  );

  useLinks((text) => {
    if (id !== null) draft.startNew(text);
    else draft.write(draftText.trim() === '' ? text : `${draftText}\n\n${text}`);
  });
  const question = chat && lastQuestion(chat);
  const answer = chat && lastAnswer(chat);
  const canChange = shown && canAsk && question !== null;
  useCommand('new-chat', newChat);
  useCommand('focus-composer', shown ? focusInput : null);
  useCommand('stop', shown && running ? stop : null);
  useCommand('regenerate', canChange ? () => askAgain(question.id) : null);
  useCommand(
    'edit-question',
    canChange ? () => setEditing({ id: question.id, text: textOf(question) }) : null,
  );
  useCommand(
    'continue',
    shown && canAsk && answer && canGoOn(answer) ? () => handlers.onContinue(answer.id) : null,
  );
  useCommand('copy-chat', shown && answer ? copyChat : null);
  useCommand('compare', shown && canCompare ? startComparing : null);
  useCommand('copy-answer', shown && answer ? () => void copyText(textOf(answer)) : null);
  const find = useCallback(() => {
    setFinding(true);
    findInput.current?.select();
  }, []);
  useCommand('chat-settings', shown ? () => setSettingsOpen(true) : null);
  useCommand('find', shown && chat && chat.branch.length > 0 ? find : null);

  useEffect(() => {
    if (!shown) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && isStrayTyping(event)) input.current?.focus();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [shown]);
  useEffect(() => onRunning(running), [running, onRunning]);
  const missing = opened.state === 'missing';
  // biome-ignore lint/correctness/useExhaustiveDependencies: each chat begins where one writes
  useEffect(() => {
    if (shown && matchMedia('(hover: hover)').matches) input.current?.focus();
  }, [shown, id, missing]);

  return (
    <div className="page" hidden={!shown}>
      <Actions value={actions}>
        <ChatView
          opened={opened}
          isNew={id !== null && made.has(id)}
          server={server}
          model={model}
          nameOf={nameOf}
          blocked={blocked}
          inputRef={input}
          draft={draftText}
          onDraft={(text) => draft.write(text)}
          unsendable={unsendable}
          hasFiles={attached.length > 0}
          files={
            <>
              <DraftFileList
                files={files}
                attached={attached}
                incoming={incoming}
                latest={last}
                count={counted?.count ?? null}
                blind={
                  asked.find(({ capabilities }) => !capabilities.includes('vision'))?.name ?? null
                }
              />
              {overflow && overflowing && (
                <TooLongCard
                  found={overflow}
                  model={overflowing.name}
                  onFirstPages={(file, pages) => void act(() => files.takeFirstPages(file, pages))}
                  onContext={
                    isOfThisMachine(overflowing)
                      ? () => navigate({ page: 'models', tab: 'installed', item: overflowing.id })
                      : null
                  }
                />
              )}
            </>
          }
          onPaste={paste}
          onSend={send}
          onAsk={askNow}
          onStop={stop}
          editing={editing}
          target={kept.current.message ?? null}
          finding={finding}
          findRef={findInput}
          onFindEnd={() => {
            setFinding(false);
            focusInput();
          }}
          above={
            compared && (
              <CompareBar
                models={server?.models ?? []}
                chosen={compared}
                onChange={compare}
                onEnd={endComparing}
              />
            )
          }
          tools={
            <>
              <AttachButton
                active={shown}
                onFiles={(chosen) => bring({ files: chosen, hasFolders: false })}
              />
              <ChatTools
                changes={server?.tool_changes ?? null}
                model={model}
                chosen={chat?.settings.tools ?? null}
                onChoose={(tools) => changeChat({ tools })}
                onManage={() => navigate({ page: 'settings', section: 'tools', item: null })}
              />
              <ComposerButtons
                answer={answer}
                canCompare={canCompare}
                onSettings={() => setSettingsOpen(true)}
                onCompare={startComparing}
              />
            </>
          }
          onNewChat={newChat}
          onFolderFailed={props.onFolderFailed}
        />
      </Actions>
      <ChatSettingsPanel
        open={shown && settingsOpen}
        onClose={() => setSettingsOpen(false)}
        settings={chat?.settings ?? NO_CHAT_SETTINGS}
        models={server?.models ?? []}
        current={currentModel(server)}
        onChange={changeChat}
        onMakeDefault={makeDefault}
        onReset={() => changeChat(NO_CHAT_SETTINGS)}
      />
      <Announcer
        chat={chat}
        begun={id !== null && made.has(id)}
        answer={answer}
        progress={(answer && chat?.live.get(answer.id)?.progress) ?? null}
        modelName={answer ? nameOf(answer.model) : ''}
      />
      <DropZone active={shown && opened.state !== 'missing'} onDrop={bring} />
    </div>
  );
}

function contextUse({ tokens, context }: TooLong): string {
  return t('attachments.context_use', { tokens, context });
}
