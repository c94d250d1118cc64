import { useState } from 'react';
import type { ServerState } from '../../protocol/models.js';
import type { WelcomeStep } from '../../protocol/preferences.js';
import { hubDetails, searchHub } from '../api/hub.js';
import { navigate } from '../shell/use-route.js';
import { DoneStep } from './done-step.js';
import { FolderStep } from './folder-step.js';
import type { Fetched } from './model-choices.js';
import { ModelStep } from './model-step.js';
import { SuggestionStore } from './suggestion-store.js';

interface WelcomePageProps {
  step: WelcomeStep;
  server: ServerState | null;
  /** Makes a model the one that answers. */
  onUse: (model: string) => void;
  /** It is over, by its end or by being skipped. */
  onEnd: () => void;
}

/** The first run: where models live, a first one of them, and how all of it is reached. */
export function WelcomePage({ step, server, onUse, onEnd }: WelcomePageProps) {
  const [suggestions] = useState(
    () => new SuggestionStore({ details: hubDetails, search: searchHub }),
  );
  const [choice, setChoice] = useState<string | null>(null);
  const [fetched, setFetched] = useState<Fetched>('last');
  const go = (next: WelcomeStep) => navigate({ page: 'welcome', step: next });
  const end = () => {
    onEnd();
    navigate({ page: 'chat' });
  };
  switch (step) {
    case 'folder':
      return <FolderStep server={server} onNext={() => go('model')} onSkip={end} />;
    case 'model':
      return (
        <ModelStep
          server={server}
          suggestions={suggestions}
          choice={choice}
          onChoose={setChoice}
          onUse={onUse}
          onBack={() => go('folder')}
          onNext={(next) => {
            setFetched(next);
            go('done');
          }}
          onSkip={end}
        />
      );
    case 'done':
      return (
        <DoneStep
          server={server}
          fetched={fetched}
          onUse={onUse}
          onBack={() => go('model')}
          onEnd={end}
        />
      );
  }
}
