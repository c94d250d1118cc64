import type { LucideIcon } from 'lucide-react';

interface PageLinkProps {
  icon: LucideIcon;
  label: string;
  href: string;
  current: boolean;
  testId: string;
}

/** Leads from the sidebar to a page. */
export function PageLink({ icon: Icon, label, href, current, testId }: PageLinkProps) {
  return (
    <a
      className="sidebar-link"
      href={href}
      aria-current={current ? 'page' : undefined}
      data-testid={testId}
    >
      <Icon size={17} aria-hidden="true" />
      <span>{label}</span>
    </a>
  );
}
