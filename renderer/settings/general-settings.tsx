import { useEffect, useState } from 'react';
import type { QuickAskState } from '../../protocol/bridge.js';
import {
  bestLanguage,
  LANGUAGES,
  PREFERENCE_DEFAULTS,
  type Preferences,
} from '../../protocol/preferences.js';
import { desktop } from '../api/bridge.js';
import { UpdateStatus } from '../desktop/update-status.js';
import { t } from '../i18n/i18n.js';
import { LANGUAGE_NAMES } from '../i18n/language-names.js';
import { preferences, usePreferences } from '../preferences/preferences.js';
import { useAct } from '../shell/act.js';
import { navigate } from '../shell/use-route.js';
import { SelectSetting } from './select-setting.js';
import { SettingPlace, SettingRow, SettingsSection, SwitchSetting } from './setting.js';
import { ShortcutSetting } from './shortcut-setting.js';
import { useReset } from './use-reset.js';

const isMac = navigator.platform.startsWith('Mac');

type General = Pick<
  Preferences,
  'language' | 'send_with' | 'check_for_updates' | 'quick_ask_shortcut'
>;

const general = ({
  language,
  send_with,
  check_for_updates,
  quick_ask_shortcut,
}: Preferences): General => ({ language, send_with, check_for_updates, quick_ask_shortcut });

/** How Pilotlight speaks, and how it behaves on the desktop. */
export function GeneralSettings() {
  const now = usePreferences();
  const act = useAct();
  const title = t('settings.general');
  const set = (patch: Partial<Preferences>) =>
    void act('settings', () => preferences.change(patch));
  const reset = useReset(title, general(now), general(PREFERENCE_DEFAULTS), (values) =>
    preferences.change(values),
  );
  const system = LANGUAGE_NAMES[bestLanguage(navigator.languages)];
  return (
    <SettingsSection title={title} onReset={reset}>
      <SettingPlace id="language">
        <SelectSetting
          label={t('settings.language')}
          hint={t('settings.language_hint')}
          value={now.language}
          options={[
            {
              value: 'system',
              label: t('settings.language_system', { language: system }),
            },
            ...LANGUAGES.map((tag) => ({ value: tag, label: LANGUAGE_NAMES[tag], lang: tag })),
          ]}
          onChange={(language) => set({ language })}
        />
      </SettingPlace>
      <SettingPlace id="send_with">
        <SelectSetting
          label={t('settings.send_with')}
          hint={t('settings.send_with_hint')}
          value={now.send_with}
          options={[
            { value: 'enter', label: t('settings.send_enter') },
            {
              value: 'mod_enter',
              label: t(isMac ? 'settings.send_command_enter' : 'settings.send_ctrl_enter'),
            },
          ]}
          onChange={(send_with) => set({ send_with })}
        />
      </SettingPlace>
      {desktop && (
        <>
          <OpenAtLogin />
          <QuickAsk
            value={now.quick_ask_shortcut}
            onChange={(quick_ask_shortcut) => set({ quick_ask_shortcut })}
          />
          <SettingPlace id="check_for_updates">
            <SwitchSetting
              label={t('settings.check_for_updates')}
              hint={t('settings.check_for_updates_hint')}
              checked={now.check_for_updates}
              onChange={(check_for_updates) => set({ check_for_updates })}
            />
            <UpdateStatus />
          </SettingPlace>
        </>
      )}
      <SettingPlace id="welcome">
        <SettingRow label={t('settings.welcome')} hint={t('settings.welcome_hint')}>
          {({ id, labelledBy, describedBy }) => (
            <button
              id={id}
              aria-labelledby={labelledBy}
              type="button"
              className="button"
              data-size="small"
              aria-describedby={describedBy}
              onClick={() => navigate({ page: 'welcome', step: 'folder' })}
            >
              {t('settings.welcome_show')}
            </button>
          )}
        </SettingRow>
      </SettingPlace>
    </SettingsSection>
  );
}

/** The system's own switch: it is read there, and not where the system has none. */
function OpenAtLogin() {
  const [isOn, setOn] = useState<boolean | null>(null);
  const act = useAct();
  useEffect(() => {
    const read = () => {
      desktop?.loginItem().then(setOn, () => {});
    };
    read();
    // The tray's menu has the same switch.
    window.addEventListener('focus', read);
    return () => window.removeEventListener('focus', read);
  }, []);
  if (isOn === null || !desktop) return null;
  const bridge = desktop;
  return (
    <SettingPlace id="open_at_login">
      <SwitchSetting
        label={t('settings.open_at_login')}
        hint={t('settings.open_at_login_hint')}
        checked={isOn}
        onChange={(open) =>
          void act('settings', async () => setOn(await bridge.setLoginItem(open)))
        }
      />
    </SettingPlace>
  );
}

/** The shortcut, and whether the system has given it. */
function QuickAsk(props: { value: string | null; onChange: (value: string | null) => void }) {
  const [state, setState] = useState<QuickAskState | null>(null);
  useEffect(() => {
    desktop?.quickAsk().then(setState, () => {});
    return desktop?.onQuickAskChanged(setState);
  }, []);
  const problem = state?.problem ?? null;
  return (
    <SettingPlace id="quick_ask">
      <ShortcutSetting
        label={t('settings.quick_ask')}
        hint={t('settings.quick_ask_hint')}
        value={props.value}
        onChange={props.onChange}
      />
      {problem !== null && (
        <p className="setting-failure" role="alert">
          {t(`settings.quick_ask_${problem}`)}
        </p>
      )}
    </SettingPlace>
  );
}
