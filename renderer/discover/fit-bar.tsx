import { Fragment } from 'react';
import { formatBytes } from '../../protocol/bytes.js';
import type { Fit } from '../../protocol/fit.js';
import { formatContext } from '../shell/format.js';
import { Verdict } from './verdict.js';

const words = {
  needs: (total: string, free: string) => `Needs ${total} of ${free} free memory`,
  weights: 'Weights',
  kv: (context: string) => `Context of ${context} tokens`,
  compute: 'Working memory',
};

/** What a model takes of the memory there is, and whether that is enough. */
export function FitBar({ fit, checking }: { fit: Fit; checking: boolean }) {
  const parts = [
    { kind: 'weights', label: words.weights, bytes: fit.weights_bytes },
    { kind: 'kv', label: words.kv(formatContext(fit.context_length)), bytes: fit.kv_bytes },
    { kind: 'compute', label: words.compute, bytes: fit.compute_bytes },
  ].filter(({ bytes }) => bytes > 0);
  const whole = Math.max(fit.free_bytes, fit.total_bytes, 1);
  return (
    <div className="fit" aria-busy={checking}>
      <p className="fit-line">
        <Verdict fit={fit} checking={false} />
        <span>{words.needs(formatBytes(fit.total_bytes), formatBytes(fit.free_bytes))}</span>
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
