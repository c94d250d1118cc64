import type { Download } from '../../protocol/downloads.js';
import type { ServerState } from '../../protocol/models.js';
import { desktop } from '../api/bridge.js';
import { apiBase } from '../api/http.js';
import {
  downloadFigures,
  downloadFraction,
  downloadState,
  isUnderWay,
} from '../downloads/download-words.js';
import { t } from '../i18n/i18n.js';
import { currentModel, placeSentence } from '../models/model-state.js';
import { CopyIconButton } from '../shell/copy-button.js';
import { useNow } from '../shell/use-now.js';
import { downloadOf, type Fetched } from './model-choices.js';
import { StepFrame } from './step-frame.js';

interface DoneStepProps {
  server: ServerState | null;
  fetched: Fetched;
  onUse: (model: string) => void;
  onBack: () => void;
  onEnd: () => void;
}

/** What answers now, what is on its way, and where Pilotlight is found from now on. */
export function DoneStep({ server, fetched, onUse, onBack, onEnd }: DoneStepProps) {
  const model = currentModel(server);
  const download = downloadOf(server?.downloads ?? [], fetched);
  const arrived =
    download?.status === 'done'
      ? (server?.models.find(({ id }) => id === download.model_id) ?? null)
      : null;
  const start = () => {
    if (arrived && arrived.id !== model?.id) onUse(arrived.id);
    onEnd();
  };
  return (
    <StepFrame
      step="done"
      title={t('welcome.done_title')}
      text={
        arrived ? placeSentence(arrived) : model ? placeSentence(model) : t('welcome.done_none')
      }
      primary={{
        label: t('welcome.start'),
        onClick: start,
      }}
      onBack={onBack}
      onSkip={onEnd}
    >
      {download && !arrived && (
        <OnItsWay download={download} answering={model?.name ?? null} onOther={onBack} />
      )}
      <section className="first-run-card" aria-labelledby="welcome-api">
        <h2 id="welcome-api">{t('welcome.done_api')}</h2>
        <div className="copy-field">
          <code>{apiBase()}</code>
          <CopyIconButton text={apiBase()} label={t('welcome.copy_address')} />
        </div>
        <p className="field-hint">{t('welcome.done_api_text')}</p>
      </section>
      <section className="first-run-card" aria-labelledby="welcome-place">
        <h2 id="welcome-place">{t(desktop ? 'welcome.done_tray' : 'welcome.done_browser')}</h2>
        <p>
          {desktop
            ? t('welcome.done_tray_text')
            : t('welcome.done_browser_text', { address: location.origin })}
        </p>
      </section>
    </StepFrame>
  );
}

interface OnItsWayProps {
  download: Download;
  /** Name of the model that answers meanwhile; null: none. */
  answering: string | null;
  onOther: () => void;
}

function OnItsWay({ download, answering, onOther }: OnItsWayProps) {
  const { name, status, reason } = download;
  const fraction = downloadFraction(download);
  const now = useNow(status === 'waiting');
  const isFailed = status === 'failed';
  return (
    <section className="first-run-card" aria-labelledby="welcome-download">
      <h2 id="welcome-download">
        <bdi>{name}</bdi>
      </h2>
      <div
        className="bar"
        data-size="large"
        data-tone={isFailed ? 'bad' : undefined}
        role="progressbar"
        aria-labelledby="welcome-download"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={fraction === null ? undefined : Math.floor(fraction * 100)}
      >
        <span style={{ width: `${(fraction ?? 0) * 100}%` }} />
      </div>
      <p className="card-state" data-tone={isFailed ? 'bad' : 'busy'}>
        {[downloadState(download, now), ...downloadFigures(download)].map((figure) => (
          <span key={figure}>{figure}</span>
        ))}
      </p>
      {reason !== null && (
        <p className={isFailed ? 'card-reason' : 'card-note'} role="alert" dir="auto">
          {reason}
        </p>
      )}
      {isUnderWay(download) && <p>{t('welcome.done_background')}</p>}
      {!isFailed && answering !== null && <p>{t('welcome.done_until', { name: answering })}</p>}
      {(isFailed || (status === 'paused' && reason !== null)) && (
        <button type="button" className="button" data-size="small" onClick={onOther}>
          {t('welcome.done_other')}
        </button>
      )}
    </section>
  );
}
