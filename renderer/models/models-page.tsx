import { Tabs } from '@base-ui/react/tabs';
import { ArrowLeft } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { IconButton } from '../shell/icon-button.js';
import { MODELS_TABS, type ModelsTab } from '../shell/route.js';
import { navigate } from '../shell/use-route.js';

const words = {
  title: 'Models',
  back: 'Back to the chat',
  tabs: 'Parts of the models page',
  installed: 'Installed',
  discover: 'Discover',
  downloads: 'Downloads',
  settings: 'Settings',
  underWay: (count: number) => (count === 1 ? '1 under way' : `${count} under way`),
};

interface ModelsPageProps {
  tab: ModelsTab;
  /** Downloads that are not at their end. */
  underWay: number;
  children: Record<ModelsTab, ReactNode>;
}

/** All that has to do with models, in the place of the chat. */
export function ModelsPage({ tab, underWay, children }: ModelsPageProps) {
  const title = useRef<HTMLHeadingElement>(null);
  // Whoever comes here by keyboard or screen reader begins at the top of the page.
  useEffect(() => title.current?.focus({ preventScroll: true }), []);
  return (
    <main className="models-page">
      <Tabs.Root
        className="models-tabs"
        value={tab}
        onValueChange={(next: ModelsTab) => navigate({ page: 'models', tab: next, item: null })}
      >
        <div className="page-head">
          <div className="page-title">
            <IconButton
              label={words.back}
              keys="Esc"
              icon={<ArrowLeft size={18} aria-hidden="true" />}
              data-testid="back-to-chat"
              onClick={() => navigate({ page: 'chat' })}
            />
            <h1 ref={title} tabIndex={-1}>
              {words.title}
            </h1>
          </div>
          <Tabs.List className="tabs" aria-label={words.tabs} activateOnFocus={false}>
            {MODELS_TABS.map((name) => (
              <Tabs.Tab key={name} className="tab" value={name} data-testid={`tab-${name}`}>
                {words[name]}
                {name === 'downloads' && underWay > 0 && (
                  <span className="count">
                    <span aria-hidden="true">{underWay}</span>
                    <span className="hidden-visually">{words.underWay(underWay)}</span>
                  </span>
                )}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </div>
        <Tabs.Panel className="tab-panel" key={tab} value={tab} tabIndex={-1}>
          <div className="page-column">{children[tab]}</div>
        </Tabs.Panel>
      </Tabs.Root>
    </main>
  );
}
