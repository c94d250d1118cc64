import { CircleAlert, Folder, FolderOpen } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ModelEntry, ServerState } from '../../protocol/models.js';
import type { FolderCheck } from '../../protocol/settings.js';
import { desktop } from '../api/bridge.js';
import { messageOf } from '../api/error.js';
import { changeSettings, checkModelsFolder } from '../api/settings.js';
import { t } from '../i18n/i18n.js';
import { TextSetting } from '../settings/text-setting.js';
import { formatBytes } from '../shell/format.js';
import { ResourceStore } from '../shell/resource-store.js';
import { useStore } from '../shell/use-store.js';
import { StepFrame } from './step-frame.js';

const APPS = ['lm_studio', 'hugging_face', 'llama_cpp', 'ollama'] as const;

interface FolderStepProps {
  server: ServerState | null;
  onNext: () => void;
  onSkip: () => void;
}

/** Where models live, and which are on this machine already. */
export function FolderStep({ server, onNext, onSkip }: FolderStepProps) {
  const isServed = server !== null;
  const folder = server?.models_dir ?? null;
  return (
    <StepFrame
      step="folder"
      title={t('welcome.folder_title')}
      text={t('welcome.folder_text')}
      primary={{
        label: t(isServed ? 'welcome.next' : 'welcome.starting'),
        waits: !isServed,
        onClick: onNext,
      }}
      onSkip={onSkip}
    >
      {folder !== null && <ModelsFolder folder={folder} />}
      {isServed && folder === null && <p className="first-run-note">{t('welcome.folder_none')}</p>}
      <OtherApps models={server?.models ?? []} />
    </StepFrame>
  );
}

function ModelsFolder({ folder }: { folder: string }) {
  const [store] = useState(() => new ResourceStore(() => checkModelsFolder(null)));
  const { value: check, failure } = useStore(store);
  const [refused, setRefused] = useState<string | null>(null);
  // It may be moved in the settings, or by another window; and what is wrong with it may have been mended meanwhile.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another folder is looked at anew
  useEffect(() => {
    const look = () => void store.load();
    look();
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [store, folder]);

  const take = async (path: string | null): Promise<string | null> => {
    try {
      const found = path === null ? null : await checkModelsFolder(path);
      if (found?.problem && found.problem !== 'full') return problemWords(found);
      const isDefault = path === found?.default_path;
      await changeSettings({ models_dir: isDefault ? null : path });
      await store.load();
      return null;
    } catch (cause) {
      return messageOf(cause);
    }
  };
  const browse = async () => {
    const path = await desktop?.chooseFolder(folder);
    if (path) setRefused(await take(path));
  };

  return (
    <section className="first-run-card" aria-labelledby="welcome-folder">
      <h2 id="welcome-folder">{t('welcome.folder_label')}</h2>
      <div className="first-run-folder">
        <Folder size={20} aria-hidden="true" />
        <code dir="auto" data-testid="welcome-folder-path">
          {folder}
        </code>
        {check?.free_bytes != null && (
          <span>{t('welcome.folder_free', { free: formatBytes(check.free_bytes) })}</span>
        )}
      </div>
      {check?.problem != null && check.path === folder && (
        <Problem text={problemWords(check)} isWarning={check.problem === 'full'} />
      )}
      {failure !== null && <Problem text={failure} isWarning={false} />}
      <p className="field-hint">
        {t(check?.is_fixed ? 'welcome.folder_fixed' : 'welcome.folder_hint')}
      </p>
      {check && !check.is_fixed && (
        <>
          {desktop ? (
            <div className="first-run-buttons">
              <button type="button" className="button" onClick={() => void browse()}>
                <FolderOpen size={16} aria-hidden="true" />
                {t('welcome.folder_choose')}
              </button>
            </div>
          ) : (
            <TextSetting
              label={t('welcome.folder_other')}
              hint={t('welcome.folder_other_hint')}
              value=""
              placeholder={check.default_path}
              action={t('welcome.folder_use')}
              onSave={async (path) => (path === '' ? null : take(path))}
            />
          )}
          {refused !== null && <Problem text={refused} isWarning={false} />}
          {folder !== check.default_path && (
            <button
              type="button"
              className="link-button"
              onClick={async () => setRefused(await take(null))}
            >
              {t('welcome.folder_default')}
            </button>
          )}
        </>
      )}
    </section>
  );
}

function Problem({ text, isWarning }: { text: string; isWarning: boolean }) {
  return (
    <p className="first-run-problem" data-tone={isWarning ? 'warn' : 'bad'} role="alert" dir="auto">
      <CircleAlert size={16} aria-hidden="true" />
      <span>{text}</span>
    </p>
  );
}

function problemWords({ problem, default_path }: FolderCheck): string {
  return problem === null ? '' : t(`welcome.problem_${problem}`, { example: default_path });
}

function OtherApps({ models }: { models: readonly ModelEntry[] }) {
  const found = APPS.map((app) => ({
    app,
    n: models.filter(({ source }) => source === app).length,
  })).filter(({ n }) => n > 0);
  if (found.length === 0) return null;
  return (
    <section className="first-run-card" aria-labelledby="welcome-found">
      <h2 id="welcome-found">{t('welcome.found_title')}</h2>
      <ul className="first-run-apps">
        {found.map(({ app, n }) => (
          <li key={app}>
            <span>{t(`settings.source_${app}`)}</span>
            <span>{t('welcome.found_count', { n })}</span>
          </li>
        ))}
      </ul>
      <p className="field-hint">{t('welcome.found_text')}</p>
    </section>
  );
}
