import { memo, useContext } from 'react';
import type { AnswerMessage, MessagePart } from '../../protocol/chats.js';
import type { LiveAnswer } from '../chats/chats-state.js';
import { t } from '../i18n/i18n.js';
import { useLanguage } from '../i18n/use-language.js';
import { Markdown } from '../markdown/markdown.js';
import { CallCard } from '../tools/call-card.js';
import { AnswerFoot } from './answer-foot.js';
import { ErrorCard } from './error-card.js';
import { MessageEditor } from './message-editor.js';
import { Reasoning } from './reasoning.js';
import { textOf } from './thread.js';
import { Actions } from './thread-actions.js';
import { Waiting } from './waiting.js';

export interface AnswerViewProps {
  message: AnswerMessage;
  branches: readonly string[];
  /** What is told of it while it is being written. */
  live: LiveAnswer | null;
  modelName: string;
  /** Says under the answer which model gave it: where several took part in the chat. */
  showModel: boolean;
  /** Its words while they are changed, else null. */
  edited: string | null;
  last: boolean;
  /** It is one of several models': asked again, the same one answers. */
  compared?: boolean;
  /** Nothing of the chat is being written. */
  canAsk: boolean;
}

/** An answer: its parts as they came, what became of it, and what can be done with it. */
export const AnswerView = memo(function AnswerView(props: AnswerViewProps) {
  useLanguage();
  const { message, live, modelName, edited } = props;
  const { id, parent_id, parts, status, failure } = message;
  const actions = useContext(Actions);
  const running = status === 'running';
  const text = textOf(message);
  const askAgain =
    parent_id === null
      ? null
      : () => actions.onAskAgain(parent_id, props.compared ? message.model : undefined);
  return (
    <div className="answer" data-testid="message-assistant" data-message={id} data-status={status}>
      <h2 className="hidden-visually">{t('chat.model_answered', { model: modelName })}</h2>
      {edited !== null ? (
        <MessageEditor
          label={t('chat.edit_answer')}
          done={t('common.save')}
          enterEnds={false}
          text={edited}
          onText={(changed) => actions.onEditing({ id, text: changed })}
          onCancel={() => actions.onEditing(null)}
          onDone={() => actions.onEdited(message, edited)}
        />
      ) : (
        parts.map((part, index) => (
          <Part
            // biome-ignore lint/suspicious/noArrayIndexKey: a part has no identity but its place
            key={index}
            message={id}
            foldKey={`${id}/${index}`}
            part={part}
            writing={running && index === parts.length - 1}
          />
        ))
      )}
      {running && waits(parts, live) && (
        <Waiting progress={live?.progress ?? null} modelName={modelName} />
      )}
      {status === 'complete' && text.trim() === '' && (
        <p className="remark">{t('chat.without_a_word')}</p>
      )}
      {failure && (
        <ErrorCard
          failure={failure}
          onRetry={props.canAsk ? askAgain : null}
          onNewChat={() => actions.onNewChat(id)}
          onModels={actions.onModels}
        />
      )}
      {edited === null && <AnswerFoot {...props} text={text} onAskAgain={askAgain} />}
    </div>
  );
});

interface PartProps {
  /** Id of the answer. */
  message: string;
  foldKey: string;
  part: MessagePart;
  writing: boolean;
}

function Part({ message, foldKey, part, writing }: PartProps) {
  const { onDecide } = useContext(Actions);
  switch (part.type) {
    case 'text':
      return part.text === '' ? null : <Markdown text={part.text} writing={writing} />;
    case 'reasoning':
      return <Reasoning foldKey={foldKey} text={part.text} ms={part.ms} running={writing} />;
    case 'tool_call':
      return <CallCard call={part} onDecide={(decision) => onDecide(message, part.id, decision)} />;
  }
}

/** Nothing grows at the moment: before the first word, and after a tool's result. */
function waits(parts: readonly MessagePart[], live: LiveAnswer | null): boolean {
  // What was told of the step before a call says nothing of it.
  if (parts.some((part) => part.type === 'tool_call' && part.result === null)) return false;
  const last = parts.at(-1);
  return last === undefined || last.type === 'tool_call' || Boolean(live?.progress);
}
