import { TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { AnswerFailure } from '../../protocol/chats.js';
import { t } from '../i18n/i18n.js';
import { failureWords } from './failure.js';

interface ErrorCardProps {
  failure: AnswerFailure;
  /** Null where it cannot be tried again now. */
  onRetry: (() => void) | null;
  onNewChat: () => void;
  onModels: () => void;
}

/** What went wrong with an answer, and the way on. */
export function ErrorCard({ failure, onRetry, onNewChat, onModels }: ErrorCardProps) {
  const { title, advice, remedy } = failureWords(failure.code);
  const wait = useCountdown(failure);
  return (
    <div className="error-card" role="alert" data-testid="error-card">
      <TriangleAlert className="error-icon" size={18} aria-hidden="true" />
      <h3>{title}</h3>
      <p>{advice}</p>
      {failure.message !== '' && (
        <p className="error-detail" dir="auto">
          {failure.message}
        </p>
      )}
      <div className="error-actions">
        {remedy === 'new-chat' && (
          <button type="button" className="button" data-size="small" onClick={onNewChat}>
            {t('chat.ask_in_new_chat')}
          </button>
        )}
        {remedy === 'models' && (
          <button type="button" className="button" data-size="small" onClick={onModels}>
            {t('chat.see_models')}
          </button>
        )}
        {onRetry && (
          <button
            type="button"
            className="button"
            data-size="small"
            data-testid="retry"
            disabled={wait > 0}
            onClick={onRetry}
          >
            {wait > 0 ? t('chat.retry_in', { seconds: wait }) : t('common.retry')}
          </button>
        )}
      </div>
    </div>
  );
}

/** When each failure was first seen: one that is scrolled away and back does not wait anew. */
const seen = new WeakMap<AnswerFailure, number>();

/** Seconds until a retry makes sense. */
function useCountdown(failure: AnswerFailure): number {
  const left = () => {
    const since = seen.get(failure) ?? performance.now();
    seen.set(failure, since);
    return Math.max(Math.ceil((failure.retry_after ?? 0) - (performance.now() - since) / 1000), 0);
  };
  const [seconds, setSeconds] = useState(left);
  const waits = seconds > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `left` reads the clock anew each time
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(() => setSeconds(left()), 250);
    return () => clearInterval(timer);
  }, [waits, failure]);
  return seconds;
}
