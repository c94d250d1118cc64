import { Tooltip } from '@base-ui/react/tooltip';
import { ArrowUp, Square, X } from 'lucide-react';
import {
  type KeyboardEvent,
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { DesktopBridge } from '../../protocol/bridge.js';
import { chatsApi } from '../api/chats.js';
import { messageOf } from '../api/error.js';
import type { ServerLink } from '../api/server-link.js';
import { sends } from '../chat/sends.js';
import { useAutoGrow } from '../chat/use-auto-grow.js';
import { chatsStore as store } from '../chats/use-chats.js';
import { t } from '../i18n/i18n.js';
import { useLanguage } from '../i18n/use-language.js';
import { canAnswer, currentModel } from '../models/model-state.js';
import { usePreferences } from '../preferences/preferences.js';
import { Flame } from '../shell/flame.js';
import { Hint, IconButton } from '../shell/icon-button.js';
import { useStore } from '../shell/use-store.js';
import { answerText, askIn, lastAnswer, messagesOf } from './quick-chat.js';
import { QuickFoot } from './quick-foot.js';
import { QuickThread } from './quick-thread.js';
import { useWindowHeight } from './use-window-height.js';

/** The small window: one field, and below it what was asked and answered. It is a chat like any other. */
export function QuickAsk({ desktop, link }: { desktop: DesktopBridge; link: ServerLink }) {
  useLanguage();
  const { connection, server } = useSyncExternalStore(link.subscribe, link.snapshot);
  const { send_with } = usePreferences();
  const chats = useStore(store);
  const [text, setText] = useState('');
  const [asking, setAsking] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  const frame = useRef<HTMLElement>(null);
  useAutoGrow(input, text);
  useWindowHeight(frame, desktop);

  const messages = messagesOf(chats);
  const answer = lastAnswer(messages);
  const running = answer?.status === 'running';
  const chat = chats.opened.state === 'here' ? chats.opened.chat : null;
  const model = currentModel(server);
  const isReady = model !== null && canAnswer(model);

  const startNew = useCallback(() => {
    store.open(null);
    setText('');
    setProblem(null);
    input.current?.focus();
  }, []);
  const ask = async () => {
    const question = text.trim();
    if (question === '' || asking || running || !isReady) return;
    setAsking(true);
    setProblem(null);
    try {
      await askIn(store, question);
      setText('');
    } catch (cause) {
      setProblem(messageOf(cause));
    }
    setAsking(false);
  };
  const stop = () => {
    if (chat && answer) chatsApi.stop(chat.id, answer.id).catch(fail);
    input.current?.focus();
  };
  const again = () => {
    if (chat && answer?.parent_id) chatsApi.askAgain(chat.id, answer.parent_id).catch(fail);
    input.current?.focus();
  };
  const fail = (cause: unknown) => setProblem(messageOf(cause));
  const openChat = () => {
    if (chat) void desktop.openChat(chat.id).then(startNew);
  };

  useEffect(() => {
    const stopListening = desktop.onQuickAskShown(({ text: given }) => {
      if (given !== null) {
        startNew();
        setText(given);
      }
      input.current?.focus();
      if (given === null) input.current?.select();
    });
    desktop.listening().catch(() => {});
    return stopListening;
  }, [desktop, startNew]);

  const onKeyDown = (event: KeyboardEvent) => {
    const command = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') void desktop.hideQuickAsk();
    else if (command && event.key.toLowerCase() === 'n') startNew();
    else if (command && event.key.toLowerCase() === 'o') openChat();
    else return;
    event.preventDefault();
  };

  return (
    <Tooltip.Provider delay={400} closeDelay={0}>
      <main className="quick" ref={frame} onKeyDown={onKeyDown} data-testid="quick-ask">
        <div className="quick-field" data-part="">
          <span className="quick-grip">
            <Flame size={18} />
          </span>
          <textarea
            ref={input}
            data-testid="quick-input"
            dir="auto"
            rows={1}
            aria-label={t('quick.field')}
            placeholder={
              isReady ? t('quick.ask_model', { model: model.name }) : t('quick.ask_anything')
            }
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (!sends(event, send_with)) return;
              event.preventDefault();
              void ask();
            }}
          />
          {running ? (
            <Hint label={t('quick.stop')}>
              <button
                type="button"
                className="send"
                data-kind="stop"
                data-testid="quick-stop"
                aria-label={t('quick.stop')}
                onClick={stop}
              >
                <Square size={13} fill="currentColor" aria-hidden="true" />
              </button>
            </Hint>
          ) : (
            <button
              type="button"
              className="send"
              data-testid="quick-send"
              aria-label={t('quick.ask')}
              disabled={text.trim() === '' || asking || !isReady}
              onClick={() => void ask()}
            >
              <ArrowUp size={19} strokeWidth={2.25} aria-hidden="true" />
            </button>
          )}
          <IconButton
            label={t('quick.hide')}
            keys="Esc"
            size="small"
            icon={<X size={16} aria-hidden="true" />}
            onClick={() => void desktop.hideQuickAsk()}
          />
        </div>
        {problem !== null && (
          <p className="quick-problem" role="alert" dir="auto" data-part="">
            {problem}
          </p>
        )}
        {connection.state === 'offline' && (
          <p className="quick-problem" role="status" data-part="">
            {t('quick.offline')}
          </p>
        )}
        {server !== null && !isReady && (
          <p className="quick-note" data-part="">
            {t('quick.no_model')}{' '}
            <button type="button" className="link-button" onClick={() => void desktop.openModels()}>
              {t('quick.choose_model')}
            </button>
          </p>
        )}
        {messages.length > 0 && (
          <QuickThread
            messages={messages}
            live={(answer && chat?.live.get(answer.id)) ?? null}
            modelName={(id) => server?.models.find((entry) => entry.id === id)?.name ?? id}
            onAgain={again}
          />
        )}
        {chat !== null && (
          <QuickFoot
            answer={answer && !running ? answerText(answer) : ''}
            onOpen={openChat}
            onNew={startNew}
          />
        )}
      </main>
    </Tooltip.Provider>
  );
}
