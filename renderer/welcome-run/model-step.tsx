import { CloudOff } from 'lucide-react';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import type { ServerState } from '../../protocol/models.js';
import { startDownload } from '../api/downloads.js';
import { checkModelsFolder } from '../api/settings.js';
import { t } from '../i18n/i18n.js';
import { useAct } from '../shell/act.js';
import { formatBytes } from '../shell/format.js';
import { ResourceStore } from '../shell/resource-store.js';
import { useStore } from '../shell/use-store.js';
import { ModelChoice, UnreachableModel } from './model-choice.js';
import { type Choice, choicesOf, chosenOf, type Fetched } from './model-choices.js';
import { StepFrame } from './step-frame.js';
import { likelyOffers } from './suggested-models.js';
import type { SuggestionStore } from './suggestion-store.js';

interface ModelStepProps {
  server: ServerState | null;
  suggestions: SuggestionStore;
  /** Id of what the person has chosen; null: nothing yet. */
  choice: string | null;
  onChoose: (id: string) => void;
  onUse: (model: string) => void;
  onBack: () => void;
  onNext: (fetched: Fetched) => void;
  onSkip: () => void;
}

/** A first model: one that is here, one that fits this machine, or the built-in one. */
export function ModelStep(props: ModelStepProps) {
  const { server, suggestions, choice, onChoose, onUse, onBack, onNext, onSkip } = props;
  const state = useStore(suggestions);
  const act = useAct();
  const form = useId();
  const budget = server?.memory.budget_bytes ?? 0;
  const latest = useRef(budget);
  latest.current = budget;
  const isServed = server !== null;
  useEffect(() => {
    if (!isServed) return;
    if (suggestions.snapshot().status === 'new') suggestions.look(latest.current);
    return () => suggestions.stop();
  }, [suggestions, isServed]);

  const [folder] = useState(() => new ResourceStore(() => checkModelsFolder(null)));
  const { value: check } = useStore(folder);
  useEffect(() => {
    if (isServed) void folder.load();
  }, [folder, isServed]);

  const choices = choicesOf({
    models: server?.models ?? [],
    downloads: server?.downloads ?? [],
    suggestions: state,
    freeBytes: check?.free_bytes ?? null,
  });
  const chosen = chosenOf(choices, choice, state.status);
  const guide = choices.find(({ kind }) => kind === 'guide');
  const isLooking = state.status === 'new' || state.status === 'looking';

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (chosen === null) return;
    const isFetched = chosen.kind === 'offer' && chosen.installedAs === null;
    if (await act('download', () => take(chosen, onUse))) onNext(isFetched ? chosen.offer : null);
  };
  return (
    <StepFrame
      step="model"
      title={t('welcome.model_title')}
      text={t('welcome.model_text')}
      primary={{
        label: chosen === null ? t('welcome.next') : primaryWords(chosen),
        waits: chosen === null,
        form,
      }}
      onBack={onBack}
      onSkip={onSkip}
    >
      <form id={form} onSubmit={(event) => void submit(event)}>
        <fieldset className="first-run-models" aria-busy={isLooking}>
          <legend className="hidden-visually">{t('welcome.models')}</legend>
          {choices.map((each) => (
            <ModelChoice
              key={each.id}
              choice={each}
              checked={each === chosen}
              onChoose={() => onChoose(each.id)}
            />
          ))}
        </fieldset>
      </form>
      <p className="first-run-status" role="status">
        {isLooking && t('welcome.looking')}
        {state.status === 'ready' && state.offers.length === 0 && t('welcome.none_fit')}
      </p>
      {state.status === 'failed' && (
        <section className="first-run-offline" aria-labelledby="welcome-offline">
          <div className="alert-card" data-tone="info" role="alert">
            <CloudOff size={18} aria-hidden="true" />
            <div>
              <p id="welcome-offline">
                <strong>{t('welcome.offline')}</strong>
              </p>
              <p dir="auto">{state.failure}</p>
              {guide?.kind === 'guide' && (
                <p>{t('welcome.offline_guide', { name: guide.model.name })}</p>
              )}
            </div>
            <button
              type="button"
              className="button"
              data-size="small"
              onClick={() => suggestions.look(budget)}
            >
              {t('common.retry')}
            </button>
          </div>
          <ul className="first-run-models">
            {likelyOffers(budget).map((model) => (
              <UnreachableModel key={model.repo} model={model} />
            ))}
          </ul>
        </section>
      )}
    </StepFrame>
  );
}

/** Does what the choice says; a download goes on by itself. */
async function take(choice: Choice, onUse: (model: string) => void): Promise<void> {
  if (choice.kind === 'later') return;
  if (choice.kind !== 'offer') {
    onUse(choice.model.id);
    return;
  }
  const { offer, installedAs, download } = choice;
  if (installedAs !== null) onUse(installedAs);
  else if (download === null) await startDownload(offer.repo, offer.revision, offer.name);
}

function primaryWords(choice: Choice): string {
  switch (choice.kind) {
    case 'here':
      return t('welcome.use');
    case 'guide':
      return t('welcome.stay', { name: choice.model.name });
    case 'later':
      return t('welcome.next');
    case 'offer': {
      const { offer, installedAs, download } = choice;
      if (installedAs !== null) return t('welcome.use');
      if (download !== null) return t('welcome.next');
      return t('welcome.download', { size: formatBytes(offer.bytes) });
    }
  }
}
