import { RefreshCw } from 'lucide-react';
import { Markdown } from '../markdown/markdown.js';
import { CopyIconButton } from '../shell/copy-button.js';
import { formatDuration, formatSpeed, formatTokens } from '../shell/format.js';
import { IconButton } from '../shell/icon-button.js';
import type { Answer } from './conversation.js';
import { ErrorCard } from './error-card.js';
import { Reasoning } from './reasoning.js';
import { Waiting } from './waiting.js';

interface AnswerViewProps {
  answer: Answer;
  modelName: string;
  /** Says under the answer which model gave it: where several took part in the chat. */
  showModel: boolean;
  last: boolean;
  onAgain: () => void;
  onNewChat: () => void;
  onEnterKey: () => void;
}

/** An answer: reasoning, text, what became of it, and what can be done with it. */
export function AnswerView(props: AnswerViewProps) {
  const { answer, modelName, last } = props;
  const { text, reasoning, status } = answer;
  const running = status === 'running';
  return (
    <div className="answer" data-testid="message-assistant" data-status={status}>
      <h2 className="hidden-visually">{modelName} answered</h2>
      {reasoning !== '' && <Reasoning text={reasoning} ms={answer.reasoningMs} running={running} />}
      {text !== '' && <Markdown text={text} writing={running} />}
      {running && text === '' && reasoning === '' && (
        <Waiting progress={answer.progress} modelName={modelName} />
      )}
      {status === 'complete' && text.trim() === '' && (
        <p className="remark">The model ended its answer without a word.</p>
      )}
      {answer.failure && (
        <ErrorCard
          failure={answer.failure}
          onRetry={last ? props.onAgain : null}
          onNewChat={props.onNewChat}
          onEnterKey={props.onEnterKey}
        />
      )}
      {!running && (status !== 'failed' || text !== '') && <AnswerFoot {...props} />}
    </div>
  );
}

function AnswerFoot({ answer, modelName, showModel, last, onAgain }: AnswerViewProps) {
  const { status, text, measure } = answer;
  return (
    <div className="actions" data-quiet={last ? undefined : ''}>
      {text !== '' && <CopyIconButton text={text} label="Copy as Markdown" />}
      {last && status !== 'failed' && (
        <IconButton
          size="small"
          label="Answer again"
          icon={<RefreshCw size={15} aria-hidden="true" />}
          onClick={onAgain}
        />
      )}
      <div className="measure">
        {status === 'stopped' && <span className="mark">Stopped</span>}
        {status === 'length' && (
          <span className="mark">Cut off: the conversation fills the model's context</span>
        )}
        {showModel && <span>{modelName}</span>}
        {measure.tokensPerSecond !== null && measure.tokensPerSecond > 0 && (
          <span data-testid="tokens-per-second">{formatSpeed(measure.tokensPerSecond)}</span>
        )}
        {measure.tokens !== null && <span>{formatTokens(measure.tokens)}</span>}
        {measure.firstTokenMs !== null && measure.firstTokenMs > 0 && (
          <span>{formatDuration(measure.firstTokenMs)} to the first token</span>
        )}
      </div>
    </div>
  );
}
