import { ArrowDown, ArrowUp, Pencil, RotateCw, Trash2 } from 'lucide-react';
import { useId } from 'react';
import type { Upstream } from '../../protocol/upstreams.js';
import { IconButton } from '../shell/icon-button.js';

const words = {
  off: 'Switched off',
  unknown: 'Not asked yet',
  healthy: 'Answers',
  unhealthy: 'Does not answer',
  models: (count: number) => (count === 1 ? '1 model' : `${count} models`),
  key: 'with a key',
  enable: (name: string) => `Use ${name}`,
  up: 'Try it earlier',
  down: 'Try it later',
  check: 'Ask again',
  edit: 'Change',
  remove: 'Remove',
};

interface UpstreamCardProps {
  upstream: Upstream;
  isFirst: boolean;
  isLast: boolean;
  onEnable: (enabled: boolean) => void;
  onMove: (by: -1 | 1) => void;
  onCheck: () => void;
  onEdit: () => void;
  onRemove: () => void;
}

/** One other server: whether it answers, and what it offers. */
export function UpstreamCard(props: UpstreamCardProps) {
  const { upstream, isFirst, isLast } = props;
  const { name, url, enabled, health, offered, has_key, reason } = upstream;
  const title = useId();
  const tone = toneOf(upstream);
  const facts = [
    enabled ? words[health] : words.off,
    ...(offered.length > 0 ? [words.models(offered.length)] : []),
    ...(has_key ? [words.key] : []),
  ];
  return (
    <li className="card">
      <article className="upstream" aria-labelledby={title} data-testid={`upstream-${name}`}>
        <div className="card-main">
          <div className="card-title">
            <span className="dot" data-tone={tone} />
            <h4 id={title} dir="auto">
              {name}
            </h4>
          </div>
          <code className="upstream-url">{url}</code>
          <p className="card-state" data-tone={tone}>
            {facts.map((fact) => (
              <span key={fact}>{fact}</span>
            ))}
          </p>
          {enabled && reason !== null && (
            <p className="card-reason" dir="auto">
              {reason}
            </p>
          )}
        </div>
        <div className="card-actions">
          <span className="card-tools">
            <IconButton
              size="small"
              label={words.up}
              disabled={isFirst}
              icon={<ArrowUp size={15} aria-hidden="true" />}
              onClick={() => props.onMove(-1)}
            />
            <IconButton
              size="small"
              label={words.down}
              disabled={isLast}
              icon={<ArrowDown size={15} aria-hidden="true" />}
              onClick={() => props.onMove(1)}
            />
            <IconButton
              size="small"
              label={words.check}
              disabled={!enabled}
              icon={<RotateCw size={15} aria-hidden="true" />}
              onClick={props.onCheck}
            />
            <IconButton
              size="small"
              label={words.edit}
              icon={<Pencil size={15} aria-hidden="true" />}
              onClick={props.onEdit}
            />
            <IconButton
              size="small"
              label={words.remove}
              icon={<Trash2 size={15} aria-hidden="true" />}
              onClick={props.onRemove}
            />
          </span>
          <input
            className="switch"
            type="checkbox"
            role="switch"
            aria-checked={enabled}
            aria-label={words.enable(name)}
            checked={enabled}
            onChange={(event) => props.onEnable(event.target.checked)}
          />
        </div>
      </article>
    </li>
  );
}

function toneOf({ enabled, health }: Upstream): 'good' | 'bad' | 'idle' {
  if (!enabled || health === 'unknown') return 'idle';
  return health === 'healthy' ? 'good' : 'bad';
}
