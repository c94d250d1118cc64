import { SETTING_DEFAULTS } from '../../protocol/settings.js';
import { ApiError } from '../api/error.js';
import { t } from '../i18n/i18n.js';
import { formatBytes } from '../shell/format.js';
import { bytesOf, gigabytesText } from './bytes-field.js';
import { idleChoices, idleSeconds, idleValue } from './idle-times.js';
import { SelectSetting } from './select-setting.js';
import { SettingPlace, SettingsSection } from './setting.js';
import type { SettingsProps } from './settings-view.js';
import { TextSetting } from './text-setting.js';
import { useChange } from './use-change.js';
import { useReset } from './use-reset.js';

/** Seconds; as in protocol/settings.ts. */
const MEMORY_WAIT_MAX = 86_400;

const { memory_budget_bytes, memory_wait, idle_ttl } = SETTING_DEFAULTS;
const FIRST = { memory_budget_bytes, memory_wait, idle_ttl };

interface MemorySettingsProps extends SettingsProps {
  /** Bytes that models may take now. */
  budget: number | null;
}

/** How much memory models may take, and for how long. */
export function MemorySettings({ settings, change, budget }: MemorySettingsProps) {
  const apply = useChange(change);
  const { memory_budget_bytes, memory_wait, idle_ttl } = settings;
  const title = t('settings.models');
  const reset = useReset(
    title,
    { memory_budget_bytes, memory_wait, idle_ttl },
    FIRST,
    async (values) => {
      const refused = await change(values);
      if (refused !== null) throw new ApiError('refused', refused);
    },
  );
  const automatic = memory_budget_bytes === null && budget !== null;
  return (
    <SettingsSection title={title} text={t('settings.memory_text')} onReset={reset}>
      <SettingPlace id="memory_budget">
        <TextSetting
          label={t('settings.memory_budget')}
          hint={
            automatic
              ? t('settings.memory_now_hint', { size: formatBytes(budget) })
              : t('settings.memory_automatic_hint')
          }
          type="number"
          unit={t('settings.gigabytes')}
          value={gigabytesText(memory_budget_bytes)}
          placeholder={t('settings.memory_automatic')}
          onSave={async (text) => {
            const bytes = bytesOf(text);
            return bytes === undefined
              ? t('settings.memory_no_size')
              : change({ memory_budget_bytes: bytes });
          }}
        />
      </SettingPlace>
      <SettingPlace id="memory_wait">
        <TextSetting
          label={t('settings.memory_wait')}
          hint={t('settings.memory_wait_hint')}
          type="number"
          unit={t('settings.seconds')}
          value={String(memory_wait)}
          onSave={async (text) => {
            const seconds = Number(text);
            const good = Number.isInteger(seconds) && seconds >= 1 && seconds <= MEMORY_WAIT_MAX;
            return good ? change({ memory_wait: seconds }) : t('settings.no_time');
          }}
        />
      </SettingPlace>
      <SettingPlace id="idle">
        <SelectSetting
          label={t('settings.idle')}
          value={idleValue(idle_ttl)}
          options={idleChoices(idle_ttl)}
          onChange={(value) => apply({ idle_ttl: idleSeconds(value) })}
        />
      </SettingPlace>
    </SettingsSection>
  );
}
