import type { ChatProgress } from '../../protocol/chats.js';
import { t } from '../i18n/i18n.js';

/** What the server does before an answer begins, in words and as a bar where a share is known. */
export function Waiting(props: { progress: ChatProgress | null; modelName: string }) {
  const { text, fraction } = progressWords(props.progress, props.modelName);
  return (
    <div className="waiting" data-testid="waiting">
      <div className="waiting-line">
        <span className="spark" aria-hidden="true" />
        <span>{text}</span>
      </div>
      {fraction !== null && (
        <div className="bar" aria-hidden="true">
          <span style={{ width: `${fraction * 100}%` }} />
        </div>
      )}
    </div>
  );
}

interface ProgressWords {
  text: string;
  /** 0..1; null where none is known. */
  fraction: number | null;
}

function progressWords(progress: ChatProgress | null, model: string): ProgressWords {
  if (progress === null) return { text: '', fraction: null };
  switch (progress.stage) {
    case 'loading': {
      const { fraction } = progress;
      // Never "100 %" before the end.
      const share = Math.floor(Math.min(Math.max(fraction, 0), 1) * 100) / 100;
      return { text: t('chat.loading', { model, share }), fraction };
    }
    case 'memory':
      return { text: t('chat.waiting_memory'), fraction: null };
    case 'queued':
      return { text: t('chat.queued', { ahead: progress.ahead }), fraction: null };
    case 'prefill': {
      const { prefilled, prompt_tokens: total } = progress;
      const fraction = total > 0 ? Math.min(prefilled / total, 1) : null;
      const share = Math.floor((fraction ?? 0) * 100) / 100;
      return { text: t('chat.reading', { share, total }), fraction };
    }
  }
}
