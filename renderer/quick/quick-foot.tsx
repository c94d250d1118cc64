import { Check, Copy, ExternalLink, Plus } from 'lucide-react';
import { t } from '../i18n/i18n.js';
import { useCopy } from '../shell/use-copy.js';

interface QuickFootProps {
  /** What can be copied; '': nothing yet. */
  answer: string;
  onOpen(): void;
  onNew(): void;
}

/** What can be done with the answer. */
export function QuickFoot({ answer, onOpen, onNew }: QuickFootProps) {
  const { state, copy } = useCopy(answer);
  const words = { idle: t('quick.copy'), copied: t('quick.copied'), failed: t('quick.not_copied') };
  return (
    <div className="quick-foot" data-part="">
      <button
        type="button"
        className="quick-action"
        aria-keyshortcuts="Control+O Meta+O"
        onClick={onOpen}
      >
        <ExternalLink size={15} aria-hidden="true" />
        {t('quick.open')}
      </button>
      <button type="button" className="quick-action" disabled={answer === ''} onClick={copy}>
        {state === 'copied' ? (
          <Check size={15} aria-hidden="true" />
        ) : (
          <Copy size={15} aria-hidden="true" />
        )}
        <span aria-live="polite">{words[state]}</span>
      </button>
      <button
        type="button"
        className="quick-action"
        aria-keyshortcuts="Control+N Meta+N"
        onClick={onNew}
      >
        <Plus size={15} aria-hidden="true" />
        {t('quick.new')}
      </button>
    </div>
  );
}
