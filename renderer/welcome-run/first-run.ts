/** Whether the first run is to be shown. Pure. */
import type { ModelEntry } from '../../protocol/models.js';
import type { Preferences } from '../../protocol/preferences.js';

interface FirstRunFacts {
  preferences: Pick<Preferences, 'welcomed' | 'welcome_step'>;
  chats: number;
  models: readonly Pick<ModelEntry, 'source'>[];
}

/** Where models are that the person has brought; those of other apps and the built-in one are there without them. */
const OWN: readonly ModelEntry['source'][] = ['models_dir', 'folder', 'file', 'upstream'];

/** `settled`: somebody has used this Pilotlight before there was a first run, and is never to see it. */
export function firstRun({
  preferences,
  chats,
  models,
}: FirstRunFacts): 'due' | 'settled' | 'over' {
  if (preferences.welcomed) return 'over';
  if (preferences.welcome_step !== null) return 'due';
  const isUsed = chats > 0 || models.some(({ source }) => OWN.includes(source));
  return isUsed ? 'settled' : 'due';
}
