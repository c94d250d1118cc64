import { Menu } from '@base-ui/react/menu';
import { Check, Copy, Ellipsis, Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { applyTheme, loadTheme, type Theme } from './theme.js';
import { useCopy } from './use-copy.js';

const themes = [
  { value: 'system', label: 'Like the system', Icon: Monitor },
  { value: 'light', label: 'Light', Icon: Sun },
  { value: 'dark', label: 'Dark', Icon: Moon },
] as const;

const words = {
  idle: 'Copy API address',
  copied: 'Address copied',
  failed: 'Could not copy',
} as const;

interface MoreMenuProps {
  /** Address of the API, or null before the server has told it. */
  endpoint: string | null;
  version: string | null;
}

/** Appearance, the address of the API, the version. */
export function MoreMenu({ endpoint, version }: MoreMenuProps) {
  const { state, copy } = useCopy(endpoint ?? '');
  const [theme, setTheme] = useState(loadTheme);
  const choose = (next: Theme) => {
    applyTheme(next);
    setTheme(next);
  };
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className="icon-button" aria-label="More">
        <Ellipsis size={18} aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" collisionPadding={8}>
          <Menu.Popup className="menu" data-size="small">
            <Menu.RadioGroup value={theme} onValueChange={choose}>
              <Menu.GroupLabel className="menu-label">Appearance</Menu.GroupLabel>
              {themes.map(({ value, label, Icon }) => (
                <Menu.RadioItem key={value} className="menu-item" data-plain="" value={value}>
                  <Icon size={16} aria-hidden="true" />
                  <span>{label}</span>
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
                  <span aria-live="polite">{words[state]}</span>
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
