import { Check, Copy, X } from 'lucide-react';
import { t } from '../i18n/i18n.js';
import { IconButton } from './icon-button.js';
import { type CopyState, useCopy } from './use-copy.js';

interface CopyButtonProps {
  text: string;
  /** What it does, such as "Copy code". */
  label: string;
}

function stateWords(state: CopyState): string {
  if (state === 'idle') return t('common.copy');
  return t(state === 'copied' ? 'notices.copied' : 'notices.not_copied');
}

function CopyIcon({ state }: { state: CopyState }) {
  const Icon = { idle: Copy, copied: Check, failed: X }[state];
  return <Icon size={15} aria-hidden="true" />;
}

/** A copy button that says so in words. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const { state, copy } = useCopy(text);
  return (
    <button
      type="button"
      className="copy-button"
      aria-label={state === 'idle' ? label : stateWords(state)}
      onClick={copy}
    >
      <CopyIcon state={state} />
      <span aria-live="polite">{stateWords(state)}</span>
    </button>
  );
}

/** A copy button of the size of an icon. */
export function CopyIconButton({
  text,
  label,
  tabIndex,
}: CopyButtonProps & { tabIndex?: number | undefined }) {
  const { state, copy } = useCopy(text);
  return (
    <IconButton
      size="small"
      label={state === 'idle' ? label : stateWords(state)}
      icon={<CopyIcon state={state} />}
      tabIndex={tabIndex}
      onClick={copy}
    />
  );
}
