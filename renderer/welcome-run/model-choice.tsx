import { CloudOff, Gauge } from 'lucide-react';
import type { ReactNode } from 'react';
import { downloadFraction, longTime } from '../downloads/download-words.js';
import { lastSpeed } from '../downloads/last-speed.js';
import { t } from '../i18n/i18n.js';
import { formatBytes, formatPercent } from '../shell/format.js';
import type { Choice } from './model-choices.js';
import type { SuggestedModel } from './suggested-models.js';

/** 100 Mbit/s, in bytes: what is reckoned with before any download has been seen. */
const USUAL_SPEED = 12_500_000;

interface ModelChoiceProps {
  choice: Choice;
  checked: boolean;
  onChoose: () => void;
}

/** One model to choose, as a radio button with what matters about it. */
export function ModelChoice({ choice, checked, onChoose }: ModelChoiceProps) {
  const isRecommended = choice.kind === 'offer' && choice.isRecommended;
  return (
    <label className="first-run-model" data-testid={`choice-${choice.id}`}>
      <input type="radio" name="welcome-model" checked={checked} onChange={onChoose} />
      <span className="first-run-model-name">
        <span dir="auto">{titleOf(choice)}</span>
        {isRecommended && (
          <span className="badge" data-tone="accent">
            {t('discover.recommended')}
          </span>
        )}
      </span>
      <span className="first-run-model-facts">
        <Facts choice={choice} />
      </span>
    </label>
  );
}

/** A model that would fit, where the hub cannot be asked. */
export function UnreachableModel({ model }: { model: SuggestedModel }) {
  return (
    <li className="first-run-model" data-off="">
      <CloudOff size={18} aria-hidden="true" />
      <span className="first-run-model-name">{model.name}</span>
      <span className="first-run-model-facts">
        <span>{t('welcome.not_reachable')}</span>
        <span>{formatBytes(model.bytes)}</span>
      </span>
    </li>
  );
}

function titleOf(choice: Choice): string {
  switch (choice.kind) {
    case 'later':
      return t('welcome.later');
    case 'offer':
      return choice.offer.title;
    default:
      return choice.model.name;
  }
}

function Facts({ choice }: { choice: Choice }): ReactNode {
  switch (choice.kind) {
    case 'later':
      return <span>{t('welcome.later_text')}</span>;
    case 'guide':
      return <span>{t('welcome.guide_text')}</span>;
    case 'here':
      return (
        <>
          <span>{t('welcome.here')}</span>
          <span>{formatBytes(choice.model.size_bytes)}</span>
        </>
      );
    case 'offer':
      return <OfferFacts choice={choice} />;
  }
}

function OfferFacts({ choice }: { choice: Extract<Choice, { kind: 'offer' }> }) {
  const { offer, installedAs, download, hasRoom } = choice;
  const { pace, bytes } = offer;
  const speed = lastSpeed();
  const time = longTime(bytes / (speed ?? USUAL_SPEED));
  return (
    <>
      {pace !== null && (
        <span className="first-run-pace" data-pace={pace}>
          <Gauge size={14} aria-hidden="true" />
          {t(`welcome.pace_${pace}`)}
        </span>
      )}
      {installedAs !== null && <span>{t('welcome.here')}</span>}
      {installedAs === null && download !== null && (
        <span>
          {t('welcome.under_way', { percent: formatPercent(downloadFraction(download) ?? 0) })}
        </span>
      )}
      {installedAs === null && download === null && (
        <>
          <span>{t('welcome.size', { size: formatBytes(bytes) })}</span>
          {hasRoom ? (
            <span>{t(speed === null ? 'welcome.time_usual' : 'welcome.time', { time })}</span>
          ) : (
            <span className="first-run-pace" data-pace="slow">
              {t('welcome.no_room')}
            </span>
          )}
        </>
      )}
    </>
  );
}
