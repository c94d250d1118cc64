import { formatBytes } from '../../protocol/bytes.js';
import type { ServerState } from '../../protocol/models.js';

const words = {
  title: 'Memory of loaded models',
  inUse: (used: string, budget: string) => `${used} of ${budget} in use`,
};

/** How much of the budget the loaded models take. */
export function MemoryBar({ memory }: { memory: ServerState['memory'] }) {
  const { used_bytes: used, budget_bytes: budget } = memory;
  const text = words.inUse(formatBytes(used), formatBytes(budget));
  const fraction = budget > 0 ? Math.min(used / budget, 1) : 0;
  return (
    <div className="memory">
      <span>{words.title}</span>
      <span>{text}</span>
      <div className="bar" data-size="large" data-tone={used > budget ? 'bad' : undefined}>
        <span style={{ width: `${fraction * 100}%` }} />
      </div>
    </div>
  );
}
