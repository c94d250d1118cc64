import { Tabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { PageTitle } from './page-title.js';

export interface PageTab<T extends string> {
  name: T;
  label: string;
  /** How many of something are under way there, and that in words; null: none. */
  count: { n: number; text: string } | null;
}

interface TabbedPageProps<T extends string> {
  title: string;
  back: string;
  /** What the row of tabs is called. */
  label: string;
  tabs: readonly PageTab<T>[];
  tab: T;
  onTab: (tab: T) => void;
  /** As wide as the window, for tables and logs. */
  wide?: boolean;
  /** As high as the window: it scrolls within. */
  fill?: boolean;
  children: ReactNode;
}

/** A page in the place of the chat, in several parts. */
export function TabbedPage<T extends string>(props: TabbedPageProps<T>) {
  const { tab, wide, fill } = props;
  return (
    <main className="models-page">
      <Tabs.Root className="models-tabs" value={tab} onValueChange={(next: T) => props.onTab(next)}>
        <div className="page-head" data-wide={wide || undefined}>
          <PageTitle title={props.title} back={props.back} />
          <Tabs.List className="tabs" aria-label={props.label} activateOnFocus={false}>
            {props.tabs.map(({ name, label, count }) => (
              <Tabs.Tab key={name} className="tab" value={name} data-testid={`tab-${name}`}>
                {label}
                {count !== null && (
                  <span className="count">
                    <span aria-hidden="true">{count.n}</span>
                    <span className="hidden-visually">{count.text}</span>
                  </span>
                )}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </div>
        <Tabs.Panel
          className="tab-panel"
          key={tab}
          value={tab}
          tabIndex={-1}
          data-fill={fill || undefined}
        >
          <div className="page-column" data-wide={wide || undefined}>
            {props.children}
          </div>
        </Tabs.Panel>
      </Tabs.Root>
    </main>
  );
}
