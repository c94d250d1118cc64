import type { ForeignSources } from '../../protocol/settings.js';
import { t } from '../i18n/i18n.js';
import { OpenFolder } from '../models/add-model.js';
import { ListSetting } from './list-setting.js';
import { SettingPlace, SettingsSection, SwitchSetting } from './setting.js';
import type { SettingsProps } from './settings-view.js';
import { TextSetting } from './text-setting.js';
import { useChange } from './use-change.js';

const SOURCES: readonly (keyof ForeignSources)[] = [
  'lm_studio',
  'hugging_face',
  'llama_cpp',
  'ollama',
];

interface FolderSettingsProps extends SettingsProps {
  /** Where downloads go now. */
  folder: string | null;
  onFolderFailed: () => void;
}

/** Where models are looked for. */
export function FolderSettings(props: FolderSettingsProps) {
  const { settings, change, folder, onFolderFailed } = props;
  const { folders, sources } = settings;
  const apply = useChange(change);
  return (
    <SettingsSection title={t('settings.folders')} text={t('settings.folders_text')}>
      <SettingPlace id="models_dir">
        <TextSetting
          label={t('settings.models_dir')}
          hint={t('settings.models_dir_hint')}
          value={settings.models_dir ?? ''}
          placeholder={folder ?? t('settings.folder_example')}
          onSave={(value) => change({ models_dir: value === '' ? null : value })}
        >
          {folder !== null && <OpenFolder onFailed={onFolderFailed} />}
        </TextSetting>
      </SettingPlace>
      <SettingPlace id="folders">
        <ListSetting
          label={t('settings.add_folder')}
          hint={t('settings.add_folder_hint')}
          placeholder={t('settings.folder_example')}
          add={t('settings.add')}
          values={folders}
          removeLabel={(name) => t('settings.remove_folder', { folder: name })}
          onSave={(values) => change({ folders: values })}
        />
      </SettingPlace>
      <SettingPlace id="sources">
        <fieldset className="switches">
          <legend>{t('settings.sources')}</legend>
          {SOURCES.map((source) => (
            <SwitchSetting
              key={source}
              label={t(`settings.source_${source}`)}
              checked={sources[source]}
              onChange={(on) => apply({ sources: { ...sources, [source]: on } })}
            />
          ))}
        </fieldset>
      </SettingPlace>
    </SettingsSection>
  );
}
