import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  text: string;
  /** Something went wrong, which is told at once. */
  failed?: boolean;
  /** What can be done. */
  children?: ReactNode;
}

/** In the place of a list that has nothing to show: why, and the way on. */
export function EmptyState({ icon: Icon, title, text, failed, children }: EmptyStateProps) {
  return (
    <div className="empty-state" role={failed ? 'alert' : undefined} data-tone={failed && 'bad'}>
      <Icon size={28} strokeWidth={1.5} aria-hidden="true" />
      <h3 dir="auto">{title}</h3>
      <p dir="auto">{text}</p>
      {children && <div className="empty-actions">{children}</div>}
    </div>
  );
}
