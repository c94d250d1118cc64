import {
  Cpu,
  Database,
  Folder,
  Globe,
  Info,
  type LucideIcon,
  Network,
  Palette,
  Plug,
  Search,
  Settings2,
  Wrench,
} from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { t } from '../i18n/i18n.js';
import { PageTitle } from '../shell/page-title.js';
import { routeHash, type SettingsSectionName } from '../shell/route.js';
import { useEscapeToChat } from '../shell/use-escape-to-chat.js';
import { SECTIONS } from './sections.js';
import { SettingsSearch } from './settings-search.js';

const ICONS: Readonly<Record<SettingsSectionName, LucideIcon>> = {
  general: Settings2,
  appearance: Palette,
  models: Cpu,
  folders: Folder,
  hub: Search,
  tools: Wrench,
  upstreams: Globe,
  rpc: Network,
  server: Plug,
  data: Database,
  about: Info,
};

interface SettingsPageProps {
  section: SettingsSectionName;
  children: ReactNode;
}

/** The frame of the settings: their parts at the side, one of them beside, and the search above. */
export function SettingsPage({ section, children }: SettingsPageProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const nav = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each part is read from its beginning
  useEffect(() => {
    scroll.current?.scrollTo({ top: 0 });
    nav.current
      ?.querySelector('[aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [section]);
  useEscapeToChat();
  return (
    <main className="settings-page">
      <div className="page-head">
        <PageTitle title={t('settings.title')} back={t('settings.back')} />
        <SettingsSearch />
      </div>
      <div className="settings-frame">
        <nav ref={nav} className="settings-nav" aria-label={t('settings.sections')}>
          <ul>
            {SECTIONS.map(({ name, title: key }) => {
              const Icon = ICONS[name];
              return (
                <li key={name}>
                  <a
                    href={routeHash({ page: 'settings', section: name, item: null })}
                    aria-current={name === section ? 'page' : undefined}
                    data-testid={`settings-${name}`}
                  >
                    <Icon size={16} aria-hidden="true" />
                    {t(key)}
                  </a>
                </li>
              );
            })}
          </ul>
        </nav>
        <div ref={scroll} className="settings-scroll">
          <div className="settings-column">{children}</div>
        </div>
      </div>
    </main>
  );
}
