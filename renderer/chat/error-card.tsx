import { TriangleAlert } from 'lucide-react';
import type { Failure } from './conversation.js';

interface ErrorCardProps {
  failure: Failure;
  /** Null where this answer cannot be asked for again, because others came after it. */
  onRetry: (() => void) | null;
  onNewChat: () => void;
  onEnterKey: () => void;
}

/** What went wrong with an answer, and the way on. */
export function ErrorCard({ failure, onRetry, onNewChat, onEnterKey }: ErrorCardProps) {
  const { title, message, remedy } = failure;
  return (
    <div className="error-card" role="alert" data-testid="error-card">
      <TriangleAlert className="error-icon" size={18} aria-hidden="true" />
      <h3>{title}</h3>
      <p dir="auto">{message}</p>
      {onRetry && (
        <div className="error-actions">
          {remedy === 'new-chat' && (
            <button type="button" className="button" data-size="small" onClick={onNewChat}>
              New chat
            </button>
          )}
          {remedy === 'key' && (
            <button type="button" className="button" data-size="small" onClick={onEnterKey}>
              Enter the key
            </button>
          )}
          <button
            type="button"
            className="button"
            data-size="small"
            data-testid="retry"
            onClick={onRetry}
          >
            Retry
          </button>
        </div>
      )}
    </div>
  );
}
