import type { ServerState } from '../../protocol/models.js';
import { t } from '../i18n/i18n.js';
import { formatBytes } from '../shell/format.js';

/** How much of the budget the loaded models take. */
export function MemoryBar({ memory }: { memory: ServerState['memory'] }) {
  const { used_bytes: used, budget_bytes: budget } = memory;
  const text = t('installed.memory_in_use', {
    used: formatBytes(used),
    budget: formatBytes(budget),
  });
  const fraction = budget > 0 ? Math.min(used / budget, 1) : 0;
  return (
    <div className="memory">
      <span>{t('installed.memory')}</span>
      <span>{text}</span>
      <div className="bar" data-size="large" data-tone={used > budget ? 'bad' : undefined}>
        <span style={{ width: `${fraction * 100}%` }} />
      </div>
    </div>
  );
}
