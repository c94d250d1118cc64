import { ArrowDown } from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';
import type { ModelEntry, ServerState } from '../../protocol/models.js';
import { Composer } from './composer.js';
import { type Conversation, runningAnswer } from './conversation.js';
import { type TurnActions, TurnList } from './turn-list.js';
import { useStickToEnd } from './use-stick-to-end.js';
import { Starters, Welcome } from './welcome.js';

interface ChatViewProps {
  conversation: Conversation;
  server: ServerState | null;
  model: ModelEntry | null;
  names: ReadonlyMap<string, string>;
  /** Why nothing can be sent, or null. */
  blocked: string | null;
  inputRef: RefObject<HTMLTextAreaElement | null>;
  draft: string;
  onDraft: (draft: string) => void;
  onSend: (text: string) => void;
  onStop: () => void;
  actions: TurnActions;
  onFolderFailed: () => void;
}

/** The conversation and the composer; an empty one greets. */
export function ChatView(props: ChatViewProps) {
  const { conversation, server, model, blocked } = props;
  const { turns } = conversation;
  const empty = turns.length === 0;
  const running = runningAnswer(conversation) !== null;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { away, toEnd } = useStickToEnd(scroller, content);

  // A new question, or an old one asked again, brings the reader to it.
  const lastAnswer = turns.at(-1)?.answer.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: run for each new answer
  useEffect(toEnd, [lastAnswer, toEnd]);

  return (
    <main className="chat" data-empty={empty ? '' : undefined}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="scroller" ref={scroller} tabIndex={0} aria-label="Conversation">
        {!empty && <h1 className="hidden-visually">Chat</h1>}
        <div ref={content} style={empty ? { height: '100%' } : undefined}>
          {empty ? (
            <Welcome server={server} model={model} />
          ) : (
            <div className="column">
              <TurnList
                turns={turns}
                names={props.names}
                actions={props.actions}
                canAsk={!running && blocked === null}
              />
            </div>
          )}
        </div>
      </section>
      <div className="foot">
        {away && (
          <button type="button" className="jump" onClick={toEnd}>
            <ArrowDown size={15} aria-hidden="true" />
            Jump to latest
          </button>
        )}
        <div className="column">
          <Composer
            inputRef={props.inputRef}
            draft={props.draft}
            onDraft={props.onDraft}
            modelName={model?.name ?? null}
            running={running}
            blocked={blocked}
            onSend={props.onSend}
            onStop={props.onStop}
          />
        </div>
      </div>
      {empty && (
        <Starters
          server={server}
          model={model}
          disabled={blocked !== null}
          onPick={props.onSend}
          onFolderFailed={props.onFolderFailed}
        />
      )}
    </main>
  );
}
