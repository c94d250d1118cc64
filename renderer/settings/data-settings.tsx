import { useEffect, useState } from 'react';
import { about } from '../api/settings.js';
import { DataFolders } from '../desktop/data-folders.js';
import { t } from '../i18n/i18n.js';
import { OpenFolder } from '../models/add-model.js';
import { ResourceStore } from '../shell/resource-store.js';
import { useStore } from '../shell/use-store.js';
import { PathRow } from './server-settings.js';
import { SettingPlace, SettingsSection } from './setting.js';

interface DataSettingsProps {
  /** Where downloads go; null where the server was given one file only. */
  modelsDir: string | null;
  onFolderFailed: () => void;
}

/** Where everything is that Pilotlight keeps. */
export function DataSettings({ modelsDir, onFolderFailed }: DataSettingsProps) {
  const [store] = useState(() => new ResourceStore(about));
  const { value, failure } = useStore(store);
  useEffect(() => {
    void store.load();
  }, [store]);
  return (
    <SettingsSection title={t('settings.data')} text={t('settings.data_text')}>
      {failure !== null && (
        <p className="setting-failure" role="alert" dir="auto">
          {failure}
        </p>
      )}
      {value !== null && (
        <SettingPlace id="data_dir">
          <PathRow
            label={t('settings.data_dir')}
            hint={t('settings.data_dir_hint')}
            path={value.data_dir}
            copy={t('settings.copy_path')}
          />
          <DataFolders />
        </SettingPlace>
      )}
      {modelsDir !== null && (
        <div className="setting-block">
          <PathRow
            label={t('settings.data_models_dir')}
            path={modelsDir}
            copy={t('settings.copy_path')}
          />
          <OpenFolder onFailed={onFolderFailed} />
        </div>
      )}
    </SettingsSection>
  );
}
