import type { ForeignSources } from '../../protocol/settings.js';
import { OpenFolder } from '../models/add-model.js';
import { ListSetting } from './list-setting.js';
import { SettingsSection, SwitchSetting } from './setting.js';
import type { SettingsProps } from './settings-view.js';
import { TextSetting } from './text-setting.js';
import { useChange } from './use-change.js';

const words = {
  title: 'Folders',
  text: 'Downloads go into the models folder. In all other folders models are only looked for: nothing there is ever changed.',
  folder: 'Models folder',
  folderHint: 'An absolute path. Empty: the folder of Pilotlight itself.',
  folders: 'Add a folder',
  foldersHint: 'Models in it and below it are listed too.',
  placeholder: '/path/to/models',
  add: 'Add',
  remove: (folder: string) => `Do not look in ${folder}`,
  sources: 'Models of other programs',
  lm_studio: 'LM Studio',
  hugging_face: 'Hugging Face cache',
  llama_cpp: 'llama.cpp cache',
  ollama: 'Ollama',
};

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
    <SettingsSection title={words.title} text={words.text}>
      <TextSetting
        label={words.folder}
        hint={words.folderHint}
        value={settings.models_dir ?? ''}
        placeholder={folder ?? words.placeholder}
        onSave={(value) => change({ models_dir: value === '' ? null : value })}
      >
        {folder !== null && <OpenFolder onFailed={onFolderFailed} />}
      </TextSetting>
      <ListSetting
        label={words.folders}
        hint={words.foldersHint}
        placeholder={words.placeholder}
        add={words.add}
        values={folders}
        removeLabel={words.remove}
        onSave={(values) => change({ folders: values })}
      />
      <fieldset className="switches">
        <legend>{words.sources}</legend>
        {SOURCES.map((source) => (
          <SwitchSetting
            key={source}
            label={words[source]}
            checked={sources[source]}
            onChange={(on) => apply({ sources: { ...sources, [source]: on } })}
          />
        ))}
      </fieldset>
    </SettingsSection>
  );
}
