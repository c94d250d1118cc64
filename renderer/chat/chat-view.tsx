import type { ClipboardEvent, ReactNode, RefObject } from 'react';
import type { ModelEntry, ServerState } from '../../protocol/models.js';
import type { Opened } from '../chats/chats-state.js';
import { t } from '../i18n/i18n.js';
import { Composer } from './composer.js';
import { runningAnswers } from './thread.js';
import type { Editing } from './thread-actions.js';
import { ThreadView } from './thread-view.js';
import { Starters, Welcome } from './welcome.js';

interface ChatViewProps {
  opened: Opened;
  /** It has just been made here: empty, whatever of it is on its way. */
  isNew: boolean;
  server: ServerState | null;
  /** That is asked. */
  model: ModelEntry | null;
  nameOf: (model: string) => string;
  /** Why nothing can be sent, or null. */
  blocked: string | null;
  /** Why this question cannot be sent as it is, or null. */
  unsendable: string | null;
  inputRef: RefObject<HTMLTextAreaElement | null>;
  draft: string;
  onDraft: (draft: string) => void;
  onSend: () => void;
  /** Asks one of the questions that are offered. */
  onAsk: (question: string) => void;
  onStop: () => void;
  editing: Editing | null;
  /** Message that is to be seen at first; null: the end. */
  target: string | null;
  finding: boolean;
  findRef: RefObject<HTMLInputElement | null>;
  onFindEnd: () => void;
  /** Above the composer. */
  above: ReactNode;
  hasFiles: boolean;
  files: ReactNode;
  onPaste: (event: ClipboardEvent<HTMLTextAreaElement>) => void;
  /** The buttons for what goes with a question. */
  tools: ReactNode;
  onNewChat: () => void;
  onFolderFailed: () => void;
}

/** The conversation and the composer; an empty one greets. */
export function ChatView(props: ChatViewProps) {
  const { opened, isNew, server, model, blocked } = props;
  const chat = opened.state === 'here' ? opened.chat : null;
  if (opened.state === 'missing') return <MissingChat onNewChat={props.onNewChat} />;
  const loading = opened.state === 'loading' && !isNew;
  const greets = !loading && (chat === null || chat.branch.length === 0);
  const running = chat !== null && runningAnswers(chat).length > 0;
  return (
    <main className="chat" data-empty={greets ? '' : undefined}>
      {greets && (
        <div className="scroller">
          <Welcome server={server} model={model} />
        </div>
      )}
      {loading && (
        <div className="chat-loading">
          <span className="spark" aria-hidden="true" />
          <span className="hidden-visually">{t('chat.opening')}</span>
        </div>
      )}
      {chat && !greets && (
        <ThreadView
          key={chat.id}
          chat={chat}
          nameOf={props.nameOf}
          editing={props.editing}
          canAsk={!running && blocked === null}
          running={running}
          target={props.target}
          finding={props.finding}
          findRef={props.findRef}
          onFindEnd={props.onFindEnd}
        />
      )}
      <div className="foot">
        <div className="column">
          {props.above}
          <Composer
            inputRef={props.inputRef}
            draft={props.draft}
            onDraft={props.onDraft}
            modelName={model?.name ?? null}
            running={running}
            blocked={blocked ?? props.unsendable}
            hasFiles={props.hasFiles}
            files={props.files}
            onPaste={props.onPaste}
            tools={props.tools}
            onSend={props.onSend}
            onStop={props.onStop}
          />
        </div>
      </div>
      {greets && (
        <Starters
          server={server}
          model={model}
          disabled={blocked !== null}
          onPick={props.onAsk}
          onFolderFailed={props.onFolderFailed}
        />
      )}
    </main>
  );
}

function MissingChat({ onNewChat }: { onNewChat: () => void }) {
  return (
    <main className="chat-missing">
      <h1>{t('chat.missing')}</h1>
      <p>{t('chat.missing_why')}</p>
      <button type="button" className="button" data-kind="primary" onClick={onNewChat}>
        {t('chat.new_chat')}
      </button>
    </main>
  );
}
