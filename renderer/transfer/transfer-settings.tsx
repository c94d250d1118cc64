import { useState } from 'react';
import { transferApi } from '../api/transfer.js';
import { t } from '../i18n/i18n.js';
import { SettingPlace, SettingRow, SettingsSection } from '../settings/setting.js';
import { useAct } from '../shell/act.js';
import { FileButton } from './file-button.js';
import { CHAT_FILES, ImportDialog } from './import-dialog.js';
import { RestoreDialog } from './restore-dialog.js';

/** All chats out and in, and the backup of everything. */
export function TransferSettings() {
  const act = useAct();
  const [busy, setBusy] = useState(false);
  const [imported, setImported] = useState<File | null>(null);
  const [restored, setRestored] = useState<File | null>(null);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    await act('transfer', work);
    setBusy(false);
  };
  const format = (name: 'json' | 'markdown', label: string) => (
    <button
      type="button"
      className="button"
      data-size="small"
      disabled={busy}
      data-testid={`export-${name}`}
      onClick={() => void run(() => transferApi.exportChats(name, null))}
    >
      {label}
    </button>
  );
  return (
    <SettingsSection title={t('transfer.title')}>
      <SettingPlace id="export">
        <SettingRow label={t('transfer.export')} hint={t('transfer.export_hint')}>
          {() => (
            <div className="setting-buttons">
              {format('json', t('transfer.as_json'))}
              {format('markdown', t('transfer.as_markdown'))}
            </div>
          )}
        </SettingRow>
      </SettingPlace>
      <SettingPlace id="import">
        <SettingRow label={t('transfer.import')} hint={t('transfer.import_hint')}>
          {({ id, labelledBy, describedBy }) => (
            <FileButton
              id={id}
              labelledBy={labelledBy}
              describedBy={describedBy}
              accept={CHAT_FILES}
              onFile={setImported}
              testId="import-file"
            >
              {t('transfer.choose')}
            </FileButton>
          )}
        </SettingRow>
      </SettingPlace>
      <SettingPlace id="backup">
        <SettingRow label={t('transfer.backup')} hint={t('transfer.backup_hint')}>
          {({ id, describedBy }) => (
            <div className="setting-buttons">
              <button
                id={id}
                type="button"
                className="button"
                data-size="small"
                disabled={busy}
                aria-describedby={describedBy}
                data-testid="save-backup"
                onClick={() => void run(() => transferApi.backUp())}
              >
                {t('transfer.save_backup')}
              </button>
              <FileButton accept=".zip,application/zip" onFile={setRestored} testId="restore-file">
                {t('transfer.restore')}
              </FileButton>
            </div>
          )}
        </SettingRow>
      </SettingPlace>
      <ImportDialog file={imported} onFile={setImported} />
      <RestoreDialog file={restored} onClose={() => setRestored(null)} />
    </SettingsSection>
  );
}
