import { Menu } from '@base-ui/react/menu';
import { BookmarkPlus, Ellipsis, Pencil, Save, Trash2 } from 'lucide-react';
import { type FormEvent, useContext, useEffect, useId, useState } from 'react';
import type { ChatSettings } from '../../protocol/chat-settings.js';
import type { Preset } from '../../protocol/chats.js';
import { presetsApi } from '../api/presets.js';
import { useEdited } from '../chat-settings/use-edited.js';
import { t } from '../i18n/i18n.js';
import { DismissNotice, ShowNotice, useAct } from '../shell/act.js';
import { IconButton } from '../shell/icon-button.js';
import { ResourceStore } from '../shell/resource-store.js';
import { Select } from '../shell/select.js';
import { useStore } from '../shell/use-store.js';
import { builtInPresets } from './built-in.js';

type PromptSettings = Pick<ChatSettings, 'system_prompt' | 'preset_id'>;

interface PromptFieldProps {
  settings: PromptSettings;
  onChange: (settings: PromptSettings) => void;
}

/** The system prompt, from the library of presets or the person's own. */
export function PromptField({ settings, onChange }: PromptFieldProps) {
  const id = useId();
  const [store] = useState(() => new ResourceStore(presetsApi.list));
  const { value: own } = useStore(store);
  useEffect(() => {
    void store.load();
  }, [store]);
  const presets = [...(own ?? []), ...builtInPresets()];
  const chosen = presets.find((preset) => preset.id === settings.preset_id) ?? null;
  const prompt = settings.system_prompt ?? '';
  const edited = useEdited(prompt, (text) => {
    if (text === prompt) return;
    onChange({ ...settings, system_prompt: text.trim() === '' ? null : text });
  });
  const pick = (presetId: string) => {
    const preset = presets.find((each) => each.id === presetId);
    onChange({ preset_id: preset?.id ?? null, system_prompt: preset?.system_prompt ?? null });
  };
  return (
    <div className="text-field">
      <div className="preset-row">
        <Select
          aria-label={t('presets.preset')}
          data-testid="preset"
          value={chosen?.id ?? ''}
          onChange={(event) => pick(event.target.value)}
        >
          <option value="">{prompt === '' ? t('presets.none') : t('presets.own')}</option>
          {own !== null && own.length > 0 && (
            <optgroup label={t('presets.yours')}>
              {own.map((preset) => (
                <option key={preset.id} value={preset.id}>
                  {preset.name}
                </option>
              ))}
            </optgroup>
          )}
          <optgroup label={t('presets.built_in')}>
            {builtInPresets().map((preset) => (
              <option key={preset.id} value={preset.id}>
                {preset.name}
              </option>
            ))}
          </optgroup>
        </Select>
        <PresetMenu
          chosen={chosen}
          prompt={edited.text}
          onSaved={(presetId, text) => {
            onChange({ preset_id: presetId, system_prompt: text });
            void store.load();
          }}
          onChanged={() => void store.load()}
        />
      </div>
      <textarea
        id={id}
        className="input"
        rows={5}
        dir="auto"
        aria-label={t('chat_settings.prompt')}
        aria-describedby={`${id}-note`}
        data-testid="system-prompt"
        value={edited.text}
        onChange={(event) => edited.onChange(event.target.value)}
        onBlur={edited.onBlur}
      />
      <p id={`${id}-note`} className="field-hint">
        {t('chat_settings.prompt_hint')}
      </p>
    </div>
  );
}

interface PresetMenuProps {
  chosen: Preset | null;
  /** As it is typed now. */
  prompt: string;
  onSaved: (presetId: string, prompt: string) => void;
  onChanged: () => void;
}

function PresetMenu({ chosen, prompt, onSaved, onChanged }: PresetMenuProps) {
  const act = useAct();
  const show = useContext(ShowNotice);
  const dismiss = useContext(DismissNotice);
  const [naming, setNaming] = useState<'new' | 'rename' | null>(null);
  const own = chosen !== null && !chosen.built_in ? chosen : null;
  const hasText = prompt.trim() !== '';
  const save = async (name: string) => {
    const saved = naming;
    setNaming(null);
    if (saved === 'rename' && own) {
      const { system_prompt } = own;
      if (await act('presets', () => presetsApi.change(own.id, { name, system_prompt })))
        onChanged();
    } else if (saved === 'new') {
      await act('presets', async () => {
        const preset = await presetsApi.create({ name, system_prompt: prompt });
        onSaved(preset.id, prompt);
      });
    }
  };
  const remove = async ({ id, name, system_prompt }: Preset) => {
    if (!(await act('presets', () => presetsApi.remove(id)))) return;
    onChanged();
    const run = () => {
      dismiss('preset-removed');
      void act('presets', async () => {
        await presetsApi.create({ name, system_prompt });
        onChanged();
      });
    };
    const action = { label: t('common.undo'), run };
    show({ id: 'preset-removed', tone: 'info', text: t('presets.removed', { name }), action });
  };
  if (naming !== null) {
    const name = naming === 'rename' ? (own?.name ?? '') : '';
    return (
      <NameForm name={name} onName={(given) => void save(given)} onCancel={() => setNaming(null)} />
    );
  }
  return (
    <Menu.Root>
      <Menu.Trigger
        render={
          <IconButton
            label={t('presets.preset')}
            icon={<Ellipsis size={18} aria-hidden="true" />}
            data-testid="preset-menu"
          />
        }
      />
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" collisionPadding={8} className="over-panel">
          <Menu.Popup className="menu" data-size="small">
            <Menu.Item
              className="menu-item"
              data-plain=""
              disabled={!hasText}
              onClick={() => setNaming('new')}
            >
              <BookmarkPlus size={16} aria-hidden="true" />
              {t('presets.save')}
            </Menu.Item>
            {own && (
              <>
                <Menu.Item
                  className="menu-item"
                  data-plain=""
                  disabled={!hasText || prompt === own.system_prompt}
                  onClick={() =>
                    void act('presets', async () => {
                      await presetsApi.change(own.id, { name: own.name, system_prompt: prompt });
                      onChanged();
                    })
                  }
                >
                  <Save size={16} aria-hidden="true" />
                  {t('presets.update')}
                </Menu.Item>
                <Menu.Item className="menu-item" data-plain="" onClick={() => setNaming('rename')}>
                  <Pencil size={16} aria-hidden="true" />
                  {t('presets.rename')}
                </Menu.Item>
                <Menu.Item
                  className="menu-item"
                  data-plain=""
                  data-tone="bad"
                  onClick={() => void remove(own)}
                >
                  <Trash2 size={16} aria-hidden="true" />
                  {t('presets.remove')}
                </Menu.Item>
              </>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function NameForm(props: { name: string; onName: (name: string) => void; onCancel: () => void }) {
  const [name, setName] = useState(props.name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') props.onName(name.trim());
  };
  return (
    <form className="preset-name" onSubmit={submit}>
      <input
        // biome-ignore lint/a11y/noAutofocus: it has just been asked for
        autoFocus
        className="input"
        maxLength={200}
        aria-label={t('presets.name')}
        placeholder={t('presets.name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          // The panel would take it for itself.
          event.stopPropagation();
          props.onCancel();
        }}
      />
      <button type="submit" className="button" data-size="small" disabled={name.trim() === ''}>
        {t('common.save')}
      </button>
    </form>
  );
}
