import { Pencil, RefreshCw, StepForward } from 'lucide-react';
import { useContext } from 'react';
import type { AnswerMessage } from '../../protocol/chats.js';
import type { LiveAnswer } from '../chats/chats-state.js';
import { t } from '../i18n/i18n.js';
import { CopyIconButton } from '../shell/copy-button.js';
import { IconButton } from '../shell/icon-button.js';
import type { AnswerViewProps } from './answer-view.js';
import { BranchSwitch } from './branch-switch.js';
import { MessageMenu } from './message-menu.js';
import { canGoOn } from './thread.js';
import { Actions } from './thread-actions.js';
import { useReturningFocus } from './use-returning-focus.js';

interface AnswerFootProps extends AnswerViewProps {
  text: string;
  /** Null: there is no question. */
  onAskAgain: (() => void) | null;
}

/** Below an answer: its pace while it is written; then what can be done with it, and its numbers. */
export function AnswerFoot(props: AnswerFootProps) {
  const { message, branches, live, modelName, showModel, last, canAsk, text, onAskAgain } = props;
  const { id, status } = message;
  const actions = useContext(Actions);
  const editButton = useReturningFocus(false);
  if (status === 'running') return <Pace live={live} />;
  return (
    <div className="actions" data-quiet={last || branches.length > 1 ? undefined : ''}>
      <BranchSwitch id={id} branches={branches} onBranch={actions.onBranch} />
      {text !== '' && <CopyIconButton text={text} label={t('chat.copy_answer')} />}
      {onAskAgain !== null && (
        <IconButton
          size="small"
          label={t('chat.answer_again')}
          icon={<RefreshCw size={15} aria-hidden="true" />}
          data-testid="answer-again"
          disabled={!canAsk}
          onClick={onAskAgain}
        />
      )}
      {text !== '' && (
        <IconButton
          ref={editButton}
          size="small"
          label={t('chat.edit_answer')}
          icon={<Pencil size={15} aria-hidden="true" />}
          disabled={!canAsk}
          onClick={() => actions.onEditing({ id, text })}
        />
      )}
      <MessageMenu id={id} canDelete={canAsk} />
      {canGoOn(message) && last && (
        <button
          type="button"
          className="button"
          data-size="small"
          data-testid="continue"
          disabled={!canAsk}
          onClick={() => actions.onContinue(id)}
        >
          <StepForward className="mirrored" size={14} aria-hidden="true" />
          {t('chat.continue')}
        </button>
      )}
      <Numbers message={message} model={showModel ? modelName : null} />
    </div>
  );
}

function Pace({ live }: { live: LiveAnswer | null }) {
  if (!live || live.tokensPerSecond === null || live.progress) return null;
  return (
    <div className="measure" data-testid="pace">
      <span>{t('chat.speed', { rate: rounded(live.tokensPerSecond) })}</span>
      <span>{t('chat.tokens', { tokens: live.outputTokens })}</span>
    </div>
  );
}

function Numbers({ message, model }: { message: AnswerMessage; model: string | null }) {
  const { status, measure, edited_at } = message;
  return (
    <div className="measure">
      {status === 'stopped' && <span className="mark">{t('chat.stopped')}</span>}
      {status === 'length' && <span className="mark">{t('chat.cut_off')}</span>}
      {status === 'interrupted' && <span className="mark">{t('chat.interrupted')}</span>}
      {edited_at !== null && <span className="mark">{t('chat.edited')}</span>}
      {model !== null && <span>{model}</span>}
      {measure && measure.tokens_per_s > 0 && (
        <span data-testid="tokens-per-second">
          {t('chat.speed', { rate: rounded(measure.tokens_per_s) })}
        </span>
      )}
      {measure && <span>{t('chat.tokens', { tokens: measure.output_tokens })}</span>}
      {measure && measure.ttft_ms > 0 && <span>{firstToken(measure.ttft_ms)}</span>}
    </div>
  );
}

function firstToken(ms: number): string {
  if (ms < 999.5) return t('chat.first_token_soon', { milliseconds: Math.max(Math.round(ms), 1) });
  return t('chat.first_token', { seconds: rounded(ms / 1000, 2) });
}

function rounded(value: number, digits = 1): number {
  return value >= 100 ? Math.round(value) : Number(value.toFixed(digits));
}
