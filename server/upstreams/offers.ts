/** The models of all upstreams as one list, each with those who have it in the order in which they are asked. Pure. */
import type { RemoteModel } from './model-list.js';

/** What one upstream has, as seen by this. `Source` is whatever stands for the upstream. */
export interface Supply<Source> {
  source: Source;
  /** For people; unique. */
  name: string;
  models: readonly RemoteModel[];
}

export interface Offer<Source> {
  /** By which requests mean it here. */
  id: string;
  /** Further names: each upstream's own, as "NAME/ID". */
  aliases: string[];
  /** At least one; first asked first. */
  candidates: { source: Source; model: RemoteModel }[];
}

/**
 * @param supplies In the order in which they are asked for a model that several have.
 * @param isTaken Whether a model of this machine goes by this name. It keeps it, and the upstreams' are "NAME/ID".
 */
export function mergeOffers<Source>(
  supplies: readonly Supply<Source>[],
  isTaken: (id: string) => boolean,
): Offer<Source>[] {
  const offers = new Map<string, Offer<Source>>();
  for (const { source, name, models } of supplies) {
    for (const model of models) {
      const own = `${name}/${model.id}`;
      const id = isTaken(model.id) ? own : model.id;
      const offer = offers.get(id) ?? { id, aliases: [], candidates: [] };
      offers.set(id, offer);
      offer.candidates.push({ source, model });
      if (own !== id) offer.aliases.push(own);
    }
  }
  return [...offers.values()];
}

/**
 * What a name means: an id, or an alias, which means the upstream that it names and no other.
 * @returns null: nothing that is here.
 */
export function findOffer<Source>(
  offers: readonly Offer<Source>[],
  name: string,
): Offer<Source> | null {
  const found = offers.find(({ id }) => id === name);
  if (found !== undefined) return found;
  for (const offer of offers) {
    const index = offer.aliases.indexOf(name);
    const candidate = offer.candidates[index];
    if (candidate !== undefined) return { ...offer, candidates: [candidate] };
  }
  return null;
}
