import { Fragment } from 'react';
import type { Fit } from '../../protocol/fit.js';
import { t } from '../i18n/i18n.js';
import { formatBytes, formatContext } from '../shell/format.js';
import { Verdict } from './verdict.js';

/** What a model takes of the memory there is, and whether that is enough. */
export function FitBar({ fit, checking }: { fit: Fit; checking: boolean }) {
  const parts = [
    { kind: 'weights', label: t('discover.weights'), bytes: fit.weights_bytes },
    {
      kind: 'kv',
      label: t('discover.kv', { tokens: formatContext(fit.context_length) }),
      bytes: fit.kv_bytes,
    },
    { kind: 'compute', label: t('discover.compute'), bytes: fit.compute_bytes },
  ].filter(({ bytes }) => bytes > 0);
  const whole = Math.max(fit.free_bytes, fit.total_bytes, 1);
  return (
    <div className="fit" aria-busy={checking}>
      <p className="fit-line">
        <Verdict fit={fit} checking={false} />
        <span>
          {t('discover.needs', {
            total: formatBytes(fit.total_bytes),
            free: formatBytes(fit.free_bytes),
          })}
        </span>
      </p>
      <div className="fit-bar" aria-hidden="true">
        {parts.map(({ kind, bytes }) => (
          <span key={kind} data-kind={kind} style={{ width: `${(bytes / whole) * 100}%` }} />
        ))}
        {fit.total_bytes > fit.free_bytes && (
          <i style={{ insetInlineStart: `${(fit.free_bytes / whole) * 100}%` }} />
        )}
      </div>
      <dl className="fit-parts">
        {parts.map(({ kind, label, bytes }) => (
          <Fragment key={kind}>
            <dt data-kind={kind}>{label}</dt>
            <dd>{formatBytes(bytes)}</dd>
          </Fragment>
        ))}
      </dl>
      <p className="fit-reason" dir="auto">
        {fit.reason}
      </p>
    </div>
  );
}
