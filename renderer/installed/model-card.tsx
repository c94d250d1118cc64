import {
  MessageSquare,
  Pin,
  PinOff,
  Play,
  SlidersHorizontal,
  Square,
  Trash2,
  TriangleAlert,
} from 'lucide-react';
import { memo, useId } from 'react';
import type { ModelEntry } from '../../protocol/models.js';
import { t } from '../i18n/i18n.js';
import { useLanguage } from '../i18n/use-language.js';
import { LoadingBar } from '../models/loading-bar.js';
import { canAnswer, modelState } from '../models/model-state.js';
import { CopyIconButton } from '../shell/copy-button.js';
import { IconButton } from '../shell/icon-button.js';
import {
  capabilityWords,
  isOwnFile,
  loadAction,
  modelFacts,
  modelUse,
  sourceWords,
} from './model-words.js';

export interface ModelActions {
  /** Makes it the current one and shows the chat. */
  onUse: (model: ModelEntry) => void;
  onLoad: (model: ModelEntry) => void;
  onUnload: (model: ModelEntry) => void;
  onPin: (model: ModelEntry, pinned: boolean) => void;
  onSettings: (model: ModelEntry) => void;
  onDelete: (model: ModelEntry) => void;
}

interface ModelCardProps {
  model: ModelEntry;
  isCurrent: boolean;
  /** Whether Tab stops here; see useRoving. */
  isStop: boolean;
  onStop: (id: string) => void;
  actions: ModelActions;
}

/** A model of the library. Drawn again only when something of it changes: there may be hundreds. */
export const ModelCard = memo(function ModelCard(props: ModelCardProps) {
  const { model, isCurrent, isStop, onStop } = props;
  useLanguage();
  const state = modelState(model);
  const title = useId();
  const tabIndex = isStop ? 0 : -1;
  return (
    <li className="card" data-testid={`model-${model.id}`} data-status={model.status}>
      <article
        className="model-card"
        aria-labelledby={title}
        tabIndex={tabIndex}
        data-roving={model.id}
        onFocus={() => onStop(model.id)}
      >
        <div className="card-main">
          <div className="card-title">
            <span className="dot" data-tone={state.tone} />
            <h3 id={title} dir="auto" title={model.name}>
              {model.name}
            </h3>
            {isCurrent && (
              <span className="badge" data-tone="accent">
                {t('installed.current')}
              </span>
            )}
            {model.built_in && <span className="badge">{t('models.built_in')}</span>}
            {model.pinned && (
              <span className="badge">
                <Pin size={11} aria-hidden="true" />
                {t('installed.pinned')}
              </span>
            )}
          </div>
          <div className="card-id">
            <span className="hidden-visually">{t('installed.id')}</span>
            <code title={model.id}>{model.id}</code>
            <CopyIconButton text={model.id} label={t('installed.copy_id')} tabIndex={tabIndex} />
          </div>
          {model.aliases.length > 0 && (
            <p className="card-aliases">
              {t('installed.aliases')} <code>{model.aliases.join(', ')}</code>
            </p>
          )}
          <p className="facts">
            {[...modelFacts(model), ...(model.built_in ? [] : [sourceWords(model)])].map((fact) => (
              <span key={fact} dir="auto">
                {fact}
              </span>
            ))}
          </p>
          <ul className="tags" aria-label={t('installed.can')}>
            {capabilityWords(model).map((capability) => (
              <li key={capability}>{capability}</li>
            ))}
          </ul>
          <p className="card-state" data-tone={state.tone}>
            {state.tone === 'bad' && <TriangleAlert size={14} aria-hidden="true" />}
            {[state.text, ...modelUse(model)].map((fact) => (
              <span key={fact}>{fact}</span>
            ))}
          </p>
          {model.status === 'loading' && <LoadingBar fraction={model.progress} />}
          {model.reason && (
            <p className={state.tone === 'bad' ? 'card-reason' : 'card-note'} dir="auto">
              {model.reason}
            </p>
          )}
        </div>
        <CardActions {...props} tabIndex={tabIndex} />
      </article>
    </li>
  );
});

function CardActions(props: ModelCardProps & { tabIndex: number }) {
  const { model, isCurrent, actions, tabIndex } = props;
  const memory = loadAction(model);
  const valid = model.status !== 'invalid';
  return (
    <div className="card-actions">
      {canAnswer(model) && (
        <button
          type="button"
          className="button"
          data-size="small"
          tabIndex={tabIndex}
          onClick={() => actions.onUse(model)}
        >
          <MessageSquare size={15} aria-hidden="true" />
          {t(isCurrent ? 'installed.chat' : 'installed.use')}
        </button>
      )}
      {memory === 'load' && (
        <button
          type="button"
          className="button"
          data-size="small"
          tabIndex={tabIndex}
          onClick={() => actions.onLoad(model)}
        >
          <Play size={14} aria-hidden="true" />
          {t('installed.load')}
        </button>
      )}
      {memory === 'unload' && (
        <button
          type="button"
          className="button"
          data-size="small"
          tabIndex={tabIndex}
          onClick={() => actions.onUnload(model)}
        >
          <Square size={13} aria-hidden="true" />
          {t('installed.unload')}
        </button>
      )}
      <span className="card-tools">
        {valid && model.source !== 'upstream' && (
          <>
            <IconButton
              label={t(model.pinned ? 'installed.unpin' : 'installed.pin')}
              icon={
                model.pinned ? (
                  <PinOff size={16} aria-hidden="true" />
                ) : (
                  <Pin size={16} aria-hidden="true" />
                )
              }
              tabIndex={tabIndex}
              onClick={() => actions.onPin(model, !model.pinned)}
            />
            <IconButton
              label={t('installed.settings')}
              icon={<SlidersHorizontal size={16} aria-hidden="true" />}
              tabIndex={tabIndex}
              onClick={() => actions.onSettings(model)}
            />
          </>
        )}
        {isOwnFile(model) && (
          <IconButton
            label={t('installed.remove')}
            icon={<Trash2 size={16} aria-hidden="true" />}
            tabIndex={tabIndex}
            onClick={() => actions.onDelete(model)}
          />
        )}
      </span>
    </div>
  );
}
