import { Check, Square } from 'lucide-react';
import { useContext, useId } from 'react';
import type { AnswerMessage } from '../../protocol/chats.js';
import type { OpenChat } from '../chats/chats-state.js';
import { t } from '../i18n/i18n.js';
import { AnswerView } from './answer-view.js';
import { Actions, type Editing } from './thread-actions.js';

interface CompareViewProps {
  answers: readonly AnswerMessage[];
  /** Id of the one that the chat goes on from. */
  chosen: string;
  live: OpenChat['live'];
  nameOf: (model: string) => string;
  editing: Editing | null;
  canAsk: boolean;
}

/** Answers of several models to the same question, beside each other; the chat goes on from one of them. */
export function CompareView(props: CompareViewProps) {
  const { answers, chosen, live, nameOf, editing, canAsk } = props;
  const { onBranch, onStop } = useContext(Actions);
  const id = useId();
  return (
    <div className="compare" data-testid="compare" data-count={answers.length}>
      {answers.map((message, index) => {
        const isChosen = message.id === chosen;
        const name = nameOf(message.model);
        return (
          <section
            key={message.id}
            className="compared"
            data-chosen={isChosen ? '' : undefined}
            aria-labelledby={`${id}-${index}`}
          >
            <div className="compared-head">
              <span className="compared-model" id={`${id}-${index}`}>
                {name}
              </span>
              {message.status === 'running' && (
                <button
                  type="button"
                  className="button"
                  data-size="small"
                  data-testid="stop-one"
                  aria-describedby={`${id}-${index}`}
                  onClick={() => onStop(message.id)}
                >
                  <Square size={11} fill="currentColor" aria-hidden="true" />
                  {t('chat.stop')}
                </button>
              )}
              <button
                type="button"
                className="button"
                data-size="small"
                aria-pressed={isChosen}
                aria-describedby={`${id}-${index}`}
                onClick={() => onBranch(message.id)}
              >
                {isChosen && <Check size={14} aria-hidden="true" />}
                {isChosen ? t('chat.goes_on_here') : t('chat.go_on_with')}
              </button>
            </div>
            <AnswerView
              message={message}
              branches={[message.id]}
              live={live.get(message.id) ?? null}
              modelName={name}
              showModel={false}
              edited={editing?.id === message.id ? editing.text : null}
              last={true}
              compared={true}
              canAsk={canAsk}
            />
          </section>
        );
      })}
    </div>
  );
}
