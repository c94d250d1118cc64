import { Check, Copy, X } from 'lucide-react';
import { IconButton } from './icon-button.js';
import { type CopyState, useCopy } from './use-copy.js';

interface CopyButtonProps {
  text: string;
  /** What it does, such as "Copy code". */
  label: string;
}

const words = { idle: 'Copy', copied: 'Copied', failed: 'Not copied' } as const;

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
      aria-label={state === 'idle' ? label : words[state]}
      onClick={copy}
    >
      <CopyIcon state={state} />
      <span aria-live="polite">{words[state]}</span>
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
      label={state === 'idle' ? label : words[state]}
      icon={<CopyIcon state={state} />}
      tabIndex={tabIndex}
      onClick={copy}
    />
  );
}
