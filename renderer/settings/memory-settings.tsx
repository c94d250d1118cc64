import { formatBytes } from '../../protocol/bytes.js';
import { SelectField } from '../shell/select-field.js';
import { bytesOf, gigabytesText } from './bytes-field.js';
import { idleChoices, idleSeconds, idleValue } from './idle-times.js';
import { SettingsSection } from './setting.js';
import type { SettingsProps } from './settings-view.js';
import { TextSetting } from './text-setting.js';
import { useChange } from './use-change.js';

const words = {
  title: 'Memory',
  text: 'Loaded models share this memory. When a model needs room, those that were not used for longest leave it, never one that answers.',
  budget: 'Memory for models',
  automatic: 'Automatic',
  automaticHint: 'Empty: what the system has free.',
  budgetHint: (now: string) => `Empty: what the system has free. Now that is ${now}.`,
  gigabytes: 'GB',
  noSize: 'Enter a number of gigabytes, such as 8, or nothing.',
  wait: 'Longest wait of a request for memory',
  waitHint: 'After that it is answered that there is no room now.',
  seconds: 'seconds',
  noTime: 'Enter a whole number of seconds, from 1 to 86,400.',
  idle: 'Idle models leave memory after',
};

/** Seconds; as in protocol/settings.ts. */
const MEMORY_WAIT_MAX = 86_400;

interface MemorySettingsProps extends SettingsProps {
  /** Bytes that models may take now. */
  budget: number | null;
}

/** How much memory models may take, and for how long. */
export function MemorySettings({ settings, change, budget }: MemorySettingsProps) {
  const apply = useChange(change);
  const { memory_budget_bytes, memory_wait, idle_ttl } = settings;
  const automatic = memory_budget_bytes === null && budget !== null;
  return (
    <SettingsSection title={words.title} text={words.text}>
      <TextSetting
        label={words.budget}
        hint={automatic ? words.budgetHint(formatBytes(budget)) : words.automaticHint}
        type="number"
        unit={words.gigabytes}
        value={gigabytesText(memory_budget_bytes)}
        placeholder={words.automatic}
        onSave={async (text) => {
          const bytes = bytesOf(text);
          return bytes === undefined ? words.noSize : change({ memory_budget_bytes: bytes });
        }}
      />
      <TextSetting
        label={words.wait}
        hint={words.waitHint}
        type="number"
        unit={words.seconds}
        value={String(memory_wait)}
        onSave={async (text) => {
          const seconds = Number(text);
          const good = Number.isInteger(seconds) && seconds >= 1 && seconds <= MEMORY_WAIT_MAX;
          return good ? change({ memory_wait: seconds }) : words.noTime;
        }}
      />
      <SelectField
        label={words.idle}
        value={idleValue(idle_ttl)}
        options={idleChoices(idle_ttl)}
        onChange={(value) => apply({ idle_ttl: idleSeconds(value) })}
      />
    </SettingsSection>
  );
}
