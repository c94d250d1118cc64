import type { Progress } from '../api/chat-chunk.js';
import { formatCount, formatPercent } from '../shell/format.js';

/** What the server does before an answer begins, in words and as a bar where a share is known. */
export function Waiting({ progress, modelName }: { progress: Progress | null; modelName: string }) {
  const { text, fraction } = progressWords(progress, modelName);
  return (
    <div className="waiting">
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

function progressWords(
  progress: Progress | null,
  name: string,
): { text: string; fraction: number | null } {
  if (progress === null) return { text: '', fraction: null };
  switch (progress.stage) {
    case 'loading': {
      const { fraction } = progress;
      return { text: `Loading ${name}… ${formatPercent(fraction)}`, fraction };
    }
    case 'memory':
      return { text: 'Waiting until another model has answered…', fraction: null };
    case 'queued': {
      const { ahead } = progress;
      const text =
        ahead === 0
          ? 'Next in line…'
          : `Waiting: ${formatCount(ahead)} ${ahead === 1 ? 'request' : 'requests'} ahead`;
      return { text, fraction: null };
    }
    case 'prefill': {
      const { done, total } = progress;
      const text = `Reading: ${formatCount(done)} of ${formatCount(total)} tokens`;
      return { text, fraction: total > 0 ? Math.min(done / total, 1) : null };
    }
  }
}
