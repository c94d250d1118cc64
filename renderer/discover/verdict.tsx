import { CircleAlert, CircleCheck, CircleDashed, CircleX } from 'lucide-react';
import type { Fit } from '../../protocol/fit.js';
import { t } from '../i18n/i18n.js';

const icons = {
  ...{ fits: CircleCheck, partly: CircleAlert, too_big: CircleX },
  ...{ checking: CircleDashed, unknown: CircleDashed },
};

/** Whether a model fits this machine: in words, by a sign of its own, and by colour. */
export function Verdict({ fit, checking }: { fit: Fit | null; checking: boolean }) {
  const verdict = checking ? 'checking' : (fit?.verdict ?? 'unknown');
  const Icon = icons[verdict];
  return (
    <span className="verdict" data-verdict={verdict}>
      <Icon size={15} aria-hidden="true" />
      {t(`discover.verdict_${verdict}`)}
    </span>
  );
}
