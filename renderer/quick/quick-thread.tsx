import { useRef } from 'react';
import type { AnswerMessage, ChatMessage, ChatProgress } from '../../protocol/chats.js';
import { failureWords } from '../chat/failure.js';
import { useStickToEnd } from '../chat/use-stick-to-end.js';
import type { LiveAnswer } from '../chats/chats-state.js';
import { t } from '../i18n/i18n.js';
import { Markdown } from '../markdown/markdown.js';

interface QuickThreadProps {
  messages: readonly ChatMessage[];
  /** Of the answer at the end, while it is written. */
  live: LiveAnswer | null;
  modelName(id: string): string;
  onAgain(): void;
}

/** What was asked and answered, the newest in sight. */
export function QuickThread(props: QuickThreadProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  useStickToEnd(scroller, content);
  const last = props.messages.at(-1);
  const busy = last?.role === 'assistant' && last.status === 'running';
  return (
    <div
      className="quick-thread"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller is reached with the keyboard, too
      tabIndex={0}
      role="log"
      aria-label={t('quick.answers')}
      aria-busy={busy}
    >
      <div className="quick-turns" ref={content} data-part="">
        {props.messages.map((message) =>
          message.role === 'user' ? (
            <p key={message.id} className="quick-question" dir="auto">
              <span>{message.text}</span>
            </p>
          ) : (
            <QuickAnswer
              key={message.id}
              answer={message}
              waiting={message === last ? waitingWords(message, props.live, props.modelName) : null}
              onAgain={message === last ? props.onAgain : null}
            />
          ),
        )}
      </div>
    </div>
  );
}

interface QuickAnswerProps {
  answer: AnswerMessage;
  /** What goes on before there are words to read. */
  waiting: string | null;
  onAgain: (() => void) | null;
}

function QuickAnswer({ answer, waiting, onAgain }: QuickAnswerProps) {
  const running = answer.status === 'running';
  const end = endWords(answer);
  const failure = answer.status === 'failed' ? failureWords(answer.failure?.code ?? '') : null;
  return (
    <div className="quick-answer" data-testid="quick-answer" data-status={answer.status}>
      {answer.parts.map((part, index) =>
        part.type === 'text' ? (
          <Markdown
            // biome-ignore lint/suspicious/noArrayIndexKey: parts only grow, and new ones come at the end
            key={index}
            text={part.text}
            writing={running && index === answer.parts.length - 1}
          />
        ) : null,
      )}
      {waiting !== null && <p className="quick-waiting">{waiting}</p>}
      {end !== null && <p className="quick-end">{end}</p>}
      {failure !== null && (
        <>
          <p className="quick-end" data-bad="">
            {failure.title}
          </p>
          <p className="quick-end">{failure.advice}</p>
        </>
      )}
      {onAgain !== null && !running && (failure ? failure.remedy === null : canGoAgain(answer)) && (
        <button type="button" className="link-button quick-again" onClick={onAgain}>
          {t('common.retry')}
        </button>
      )}
    </div>
  );
}

function canGoAgain({ status }: AnswerMessage): boolean {
  return status === 'stopped' || status === 'interrupted';
}

function endWords({ status }: AnswerMessage): string | null {
  switch (status) {
    case 'running':
    case 'complete':
    case 'failed':
      return null;
    case 'length':
      return t('quick.length');
    case 'stopped':
      return t('quick.stopped');
    case 'interrupted':
      return t('quick.interrupted');
  }
}

function waitingWords(
  { model, parts, status }: AnswerMessage,
  live: LiveAnswer | null,
  modelName: (id: string) => string,
): string | null {
  if (status !== 'running') return null;
  const part = parts.at(-1);
  if (part?.type === 'text' && part.text !== '') return null;
  if (part?.type === 'reasoning') return t('quick.thinking');
  if (part?.type === 'tool_call') {
    return part.state === 'waiting' ? t('quick.consent') : t('quick.tool', { tool: part.tool });
  }
  return live?.progress ? progressWords(live.progress, modelName(model)) : t('quick.starting');
}

function progressWords(progress: ChatProgress, model: string): string {
  switch (progress.stage) {
    case 'memory':
      return t('quick.memory');
    case 'loading':
      return t('quick.loading', { model, percent: Math.floor(progress.fraction * 100) });
    case 'queued':
      return t('quick.queued', { n: progress.ahead });
    case 'prefill': {
      const share = progress.prefilled / Math.max(1, progress.prompt_tokens);
      return t('quick.reading', { percent: Math.floor(Math.min(1, share) * 100) });
    }
  }
}
