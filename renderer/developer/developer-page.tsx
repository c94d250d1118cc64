import type { ReactNode } from 'react';
import { t } from '../i18n/i18n.js';
import { DEVELOPER_TABS, type DeveloperTab } from '../shell/route.js';
import { TabbedPage } from '../shell/tabbed-page.js';
import { navigate } from '../shell/use-route.js';

const NAMES = {
  server: 'developer.tab_server',
  requests: 'developer.tab_requests',
  log: 'developer.tab_log',
  snippets: 'developer.tab_snippets',
  'self-test': 'developer.tab_self_test',
} as const;

interface DeveloperPageProps {
  tab: DeveloperTab;
  /** Requests that run or wait. */
  underWay: number;
  children: ReactNode;
}

/** All that has to do with the server and the programs that use it. */
export function DeveloperPage({ tab, underWay, children }: DeveloperPageProps) {
  const text = t('developer.under_way', { count: underWay });
  return (
    <TabbedPage
      title={t('commands.developer')}
      back={t('developer.back')}
      label={t('developer.tabs')}
      tabs={DEVELOPER_TABS.map((name) => ({
        name,
        label: t(NAMES[name]),
        count: name === 'requests' && underWay > 0 ? { n: underWay, text } : null,
      }))}
      tab={tab}
      onTab={(next) => navigate({ page: 'developer', tab: next, item: null })}
      wide={tab === 'requests' || tab === 'log'}
      fill={tab === 'log'}
    >
      {children}
    </TabbedPage>
  );
}
