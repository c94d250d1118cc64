import type { ReactNode } from 'react';
import { t } from '../i18n/i18n.js';
import { MODELS_TABS, type ModelsTab } from '../shell/route.js';
import { TabbedPage } from '../shell/tabbed-page.js';
import { navigate } from '../shell/use-route.js';

interface ModelsPageProps {
  tab: ModelsTab;
  /** Downloads that are not at their end. */
  underWay: number;
  children: Record<ModelsTab, ReactNode>;
}

/** All that has to do with models, in the place of the chat. */
export function ModelsPage({ tab, underWay, children }: ModelsPageProps) {
  const text = t('models.under_way', { n: underWay });
  return (
    <TabbedPage
      title={t('models.title')}
      back={t('models.back')}
      label={t('models.tabs')}
      tabs={MODELS_TABS.map((name) => ({
        name,
        label: t(`models.tab_${name}`),
        count: name === 'downloads' && underWay > 0 ? { n: underWay, text } : null,
      }))}
      tab={tab}
      onTab={(next) => navigate({ page: 'models', tab: next, item: null })}
    >
      {children[tab]}
    </TabbedPage>
  );
}
