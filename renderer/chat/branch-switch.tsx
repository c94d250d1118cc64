import { ChevronLeft, ChevronRight } from 'lucide-react';
import { t } from '../i18n/i18n.js';
import { IconButton } from '../shell/icon-button.js';

interface BranchSwitchProps {
  id: string;
  /** All in this place, oldest first. */
  branches: readonly string[];
  onBranch: (id: string) => void;
}

/** The way through the branches at a fork: "2 / 3" between two arrows. */
export function BranchSwitch({ id, branches, onBranch }: BranchSwitchProps) {
  if (branches.length < 2) return null;
  const index = branches.indexOf(id);
  const to = (other: string | undefined) => other !== undefined && onBranch(other);
  const before = index > 0 ? branches[index - 1] : undefined;
  const after = branches[index + 1];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className="branches" role="group" aria-label={t('chat.branches')} data-testid="branches">
      <IconButton
        size="small"
        label={t('chat.branch_previous')}
        icon={<ChevronLeft className="mirrored" size={15} aria-hidden="true" />}
        aria-disabled={before === undefined}
        onClick={() => to(before)}
      />
      <span aria-live="polite">
        {t('chat.branch_of', { place: index + 1, total: branches.length })}
      </span>
      <IconButton
        size="small"
        label={t('chat.branch_next')}
        icon={<ChevronRight className="mirrored" size={15} aria-hidden="true" />}
        aria-disabled={after === undefined}
        onClick={() => to(after)}
      />
    </div>
  );
}
