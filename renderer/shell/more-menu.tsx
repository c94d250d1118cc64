import { Menu } from '@base-ui/react/menu';
import { Check, Copy, Ellipsis, Monitor, Moon, Sun } from 'lucide-react';
import type { Preferences } from '../../protocol/preferences.js';
import { t } from '../i18n/i18n.js';
import { preferences, usePreferences } from '../preferences/preferences.js';
import { useAct } from './act.js';
import { useCommand } from './use-command.js';
import { useCopy } from './use-copy.js';

const themes = [
  { value: 'system', label: 'shell.theme_system', Icon: Monitor },
  { value: 'light', label: 'shell.theme_light', Icon: Sun },
  { value: 'dark', label: 'shell.theme_dark', Icon: Moon },
] as const;

const words = {
  idle: 'shell.copy_address',
  copied: 'shell.address_copied',
  failed: 'shell.not_copied',
} as const;

interface MoreMenuProps {
  /** Address of the API, or null before the server has told it. */
  endpoint: string | null;
  version: string | null;
}

/** Appearance, the address of the API, the version. */
export function MoreMenu({ endpoint, version }: MoreMenuProps) {
  const { state, copy } = useCopy(endpoint ?? '');
  const { theme } = usePreferences();
  const act = useAct();
  const choose = (next: Preferences['theme']) =>
    void act('preferences', () => preferences.change({ theme: next }));
  useCommand('theme', () => choose(isDark(theme) ? 'light' : 'dark'));
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className="icon-button" aria-label={t('shell.more')}>
        <Ellipsis size={18} aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" collisionPadding={8}>
          <Menu.Popup className="menu" data-size="small">
            <Menu.RadioGroup value={theme} onValueChange={choose}>
              <Menu.GroupLabel className="menu-label">{t('shell.appearance')}</Menu.GroupLabel>
              {themes.map(({ value, label, Icon }) => (
                <Menu.RadioItem key={value} className="menu-item" data-plain="" value={value}>
                  <Icon size={16} aria-hidden="true" />
                  <span>{t(label)}</span>
                  <Menu.RadioItemIndicator className="menu-check">
                    <Check size={16} aria-hidden="true" />
                  </Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            {endpoint && (
              <>
                <Menu.Separator className="menu-line" />
                <Menu.Item className="menu-item" data-plain="" closeOnClick={false} onClick={copy}>
                  {state === 'copied' ? (
                    <Check size={16} aria-hidden="true" />
                  ) : (
                    <Copy size={16} aria-hidden="true" />
                  )}
                  <span aria-live="polite">{t(words[state])}</span>
                </Menu.Item>
                <div className="menu-foot">
                  {endpoint}
                  {version && <div>Pilotlight {version}</div>}
                </div>
              </>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function isDark(theme: Preferences['theme']): boolean {
  return theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}
