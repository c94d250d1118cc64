/** What the first run offers to choose between, and which of it is chosen where the person has not. Pure. */
import type { Download } from '../../protocol/downloads.js';
import type { ModelEntry } from '../../protocol/models.js';
import { canAnswer } from '../models/model-state.js';
import type { Offer, SuggestionState } from './suggestion-store.js';

/** Models of other apps that are offered; the models page has all. */
const MAX_HERE = 3;

export type Choice = { id: string } & (
  | { kind: 'here'; model: ModelEntry }
  | {
      kind: 'offer';
      offer: Offer;
      isRecommended: boolean;
      /** Id in the library where it is here already, beyond the models of `here`. */
      installedAs: string | null;
      /** Where it is on its way; null: it is not, or no longer. */
      download: Download | null;
      /** The drive of the models folder has as much free. */
      hasRoom: boolean;
    }
  | { kind: 'guide'; model: ModelEntry }
  /** There is no built-in model. */
  | { kind: 'later' }
);

/** What was chosen to be fetched. `last`: the window has been opened anew since, so that it is the last one. */
export type Fetched = Pick<Offer, 'repo' | 'name'> | 'last' | null;

/** How that stands; null: nothing was chosen to be fetched. */
export function downloadOf(downloads: readonly Download[], fetched: Fetched): Download | null {
  if (fetched === null) return null;
  if (fetched === 'last') return downloads.at(-1) ?? null;
  const { repo, name } = fetched;
  return downloads.findLast((each) => each.repo === repo && each.name === name) ?? null;
}

interface ChoiceFacts {
  models: readonly ModelEntry[];
  downloads: readonly Download[];
  suggestions: Pick<SuggestionState, 'offers'>;
  /** Of the drive of the models folder; null: not known. */
  freeBytes: number | null;
}

/** Those of this machine, those to be fetched, and the one that is there in any case. */
export function choicesOf({ models, downloads, suggestions, freeBytes }: ChoiceFacts): Choice[] {
  const usable = models.filter(canAnswer);
  const here = usable.filter(({ built_in }) => !built_in).slice(0, MAX_HERE);
  const guide = usable.find(({ built_in }) => built_in);
  const installedAs = (offer: Offer) => {
    const id = offer.installedAs ?? downloadOf(downloads, offer)?.model_id ?? null;
    return usable.some((model) => model.id === id) ? id : null;
  };
  const offers = suggestions.offers.filter(
    (offer) => !here.some(({ id }) => id === installedAs(offer)),
  );
  const hasRoom = ({ bytes }: Offer) => freeBytes === null || bytes <= freeBytes;
  const recommended = here.length > 0 ? null : recommendedOffer(offers.filter(hasRoom));
  return [
    ...here.map((model): Choice => ({ id: `here:${model.id}`, kind: 'here', model })),
    ...offers.map((offer): Choice => {
      const download = downloadOf(downloads, offer);
      return {
        ...{ id: `offer:${offer.repo}`, kind: 'offer', offer },
        isRecommended: offer === recommended,
        installedAs: installedAs(offer),
        download: download !== null && isOnItsWay(download) ? download : null,
        hasRoom: hasRoom(offer),
      };
    }),
    guide ? { id: 'guide', kind: 'guide', model: guide } : { id: 'later', kind: 'later' },
  ];
}

/** Also where the person has stopped it for a while. */
function isOnItsWay({ status }: Download): boolean {
  return status !== 'done' && status !== 'failed';
}

/** The strongest one that answers as fast as people read, else the quickest. */
function recommendedOffer(offers: readonly Offer[]): Offer | null {
  return offers.find(({ pace }) => pace !== 'slow') ?? offers.at(-1) ?? null;
}

/**
 * @param wanted Id of the one that the person chose; null: none.
 * @returns null while it is not known yet what there is to choose.
 */
export function chosenOf(
  choices: readonly Choice[],
  wanted: string | null,
  status: SuggestionState['status'],
): Choice | null {
  const own = choices.find(({ id }) => id === wanted);
  if (own) return own;
  const here = choices.find(({ kind }) => kind === 'here');
  if (here) return here;
  const recommended = choices.find((choice) => choice.kind === 'offer' && choice.isRecommended);
  const isLooking = status === 'new' || status === 'looking';
  // The strongest come first: only where it is slow can a better one follow.
  const isSettled = recommended?.kind === 'offer' && recommended.offer.pace !== 'slow';
  if (isLooking && !isSettled) return null;
  return recommended ?? choices.at(-1) ?? null;
}
