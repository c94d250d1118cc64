import type { InspectedRequest } from '../../../protocol/inspector.js';
import { t } from '../../i18n/i18n.js';
import { formatDuration } from '../../shell/format.js';
import { tokensSoFar } from './tokens-so-far.js';

/** Of the drawing, in its own units. */
const WIDTH = 600;
const HEIGHT = 120;

interface TimelineProps {
  points: InspectedRequest['timeline'];
  /** Null while it is live. */
  totalMs: number | null;
}

/** Tokens over time, as a curve. */
export function Timeline({ points, totalMs }: TimelineProps) {
  const curve = tokensSoFar(points);
  const last = curve.at(-1);
  if (last === undefined) return <p className="page-note">{t('developer.timeline_none')}</p>;
  const end = Math.max(totalMs ?? 0, last.ms, 1);
  const places = curve.map(
    ({ ms, tokens }) =>
      `${round((ms / end) * WIDTH)},${round(HEIGHT - (tokens / last.tokens) * HEIGHT)}`,
  );
  return (
    <figure className="timeline">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('developer.timeline', { tokens: last.tokens, time: formatDuration(end) })}
      >
        <polyline points={[`0,${HEIGHT}`, ...places].join(' ')} />
      </svg>
      <figcaption>
        <span>{t('developer.first_token', { time: formatDuration(curve[0]?.ms ?? last.ms) })}</span>
        <span>{formatDuration(end)}</span>
      </figcaption>
    </figure>
  );
}

const round = (value: number) => Math.round(value * 10) / 10;
