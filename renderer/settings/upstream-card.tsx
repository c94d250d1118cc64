import { ArrowDown, ArrowUp, Pencil, RotateCw, Trash2 } from 'lucide-react';
import { useId } from 'react';
import type { Upstream } from '../../protocol/upstreams.js';
import { t } from '../i18n/i18n.js';
import { IconButton } from '../shell/icon-button.js';

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
    enabled ? t(`settings.upstream_${health}`) : t('settings.upstream_off'),
    ...(offered.length > 0 ? [t('settings.upstream_count', { n: offered.length })] : []),
    ...(has_key ? [t('settings.upstream_with_key')] : []),
  ];
  return (
    <li className="card">
      <article className="upstream" aria-labelledby={title} data-testid={`upstream-${name}`}>
        <div className="card-main">
          <div className="card-title">
            <span className="dot" data-tone={tone} />
            <h3 id={title} dir="auto">
              {name}
            </h3>
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
              label={t('settings.upstream_up')}
              disabled={isFirst}
              icon={<ArrowUp size={15} aria-hidden="true" />}
              onClick={() => props.onMove(-1)}
            />
            <IconButton
              size="small"
              label={t('settings.upstream_down')}
              disabled={isLast}
              icon={<ArrowDown size={15} aria-hidden="true" />}
              onClick={() => props.onMove(1)}
            />
            <IconButton
              size="small"
              label={t('settings.upstream_check')}
              disabled={!enabled}
              icon={<RotateCw size={15} aria-hidden="true" />}
              onClick={props.onCheck}
            />
            <IconButton
              size="small"
              label={t('settings.upstream_edit')}
              icon={<Pencil size={15} aria-hidden="true" />}
              onClick={props.onEdit}
            />
            <IconButton
              size="small"
              label={t('settings.upstream_remove')}
              icon={<Trash2 size={15} aria-hidden="true" />}
              onClick={props.onRemove}
            />
          </span>
          <input
            className="switch"
            type="checkbox"
            role="switch"
            aria-checked={enabled}
            aria-label={t('settings.upstream_use', { name })}
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
