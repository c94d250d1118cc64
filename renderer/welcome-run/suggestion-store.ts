import type { HubModelDetails, HubVariant } from '../../protocol/hub.js';
import { ApiError, messageOf } from '../api/error.js';
import type { hubDetails, searchHub } from '../api/hub.js';
import { splitRepo } from '../discover/repo-list.js';
import { usualContext } from '../discover/variants.js';
import { Store } from '../shell/store.js';
import {
  isAnother,
  mayFit,
  OFFERS,
  type Pace,
  paceOf,
  SUGGESTED_MODELS,
  type SuggestedModel,
  variantToOffer,
} from './suggested-models.js';

/** Repos of a hub without the suggested models that are looked at. */
const MAX_FOUND = 8;

/** A model that fits this machine, ready to be fetched. */
export interface Offer {
  repo: string;
  revision: string;
  /** For people. */
  title: string;
  /** Of the variant. */
  name: string;
  bytes: number;
  /** Null: it could not be found out. */
  pace: Pace | null;
  /** Id in the library where it is here already. */
  installedAs: string | null;
}

export interface SuggestionState {
  status: 'new' | 'looking' | 'ready' | 'failed';
  /** The strongest first, where they are of the suggested ones; they come one by one. */
  offers: readonly Offer[];
  /** Why the hub could not be asked: a sentence for people. */
  failure: string | null;
}

interface Hub {
  details: typeof hubDetails;
  search: typeof searchHub;
}

/** Finds models for the first run: the suggested ones that fit, else what the hub has. */
export class SuggestionStore extends Store<SuggestionState> {
  readonly #hub: Hub;
  #running: AbortController | null = null;

  constructor(hub: Hub) {
    super({ status: 'new', offers: [], failure: null });
    this.#hub = hub;
  }

  /** @param budgetBytes What models may take together. */
  look(budgetBytes: number): void {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.update({ status: 'looking', offers: [], failure: null });
    void this.#run(budgetBytes, running.signal);
  }

  /** Leaves off; what was found stays. */
  stop(): void {
    this.#running?.abort();
    if (this.snapshot().status === 'looking') this.update({ status: 'new' });
  }

  async #run(budgetBytes: number, signal: AbortSignal): Promise<void> {
    const fitting = SUGGESTED_MODELS.filter(({ bytes }) => mayFit(bytes, budgetBytes));
    try {
      await this.#lookAtAll(fitting, budgetBytes, signal);
      if (this.snapshot().offers.length === 0) {
        const query = { search: '', sort: 'downloads', cursor: null } as const;
        const { models } = await this.#hub.search(query, signal);
        const open = models.filter(({ gated }) => !gated).slice(0, MAX_FOUND);
        await this.#lookAtAll(open.map(asSuggested), budgetBytes, signal);
      }
      signal.throwIfAborted();
      this.update({ status: 'ready' });
    } catch (cause) {
      if (signal.aborted) return;
      // Those that were found can be had as well.
      const status = this.snapshot().offers.length > 0 ? 'ready' : 'failed';
      this.update({ status, failure: messageOf(cause) });
    }
  }

  async #lookAtAll(
    models: readonly SuggestedModel[],
    budgetBytes: number,
    signal: AbortSignal,
  ): Promise<void> {
    let last: number | null = null;
    for (const model of models) {
      if (this.snapshot().offers.length === OFFERS) return;
      if (!isAnother(model.bytes, last)) continue;
      const offer = await this.#lookAt(model, budgetBytes, signal);
      signal.throwIfAborted();
      if (offer === null) continue;
      last = model.bytes;
      this.update({ offers: [...this.snapshot().offers, offer] });
    }
  }

  /** Null: it is not there, may not be had, or does not fit. */
  async #lookAt(
    { repo, name: title, active }: SuggestedModel,
    budgetBytes: number,
    signal: AbortSignal,
  ): Promise<Offer | null> {
    const details = await this.#detailsOf(repo, signal);
    const variant = details && variantToOffer(details.variants, budgetBytes);
    if (!details || !variant || details.gated) return null;
    const fit = await this.#fitOf(details, variant, signal);
    if (fit !== null && fit.verdict !== 'fits') return null;
    return {
      ...{ repo, revision: details.revision, title, name: variant.name },
      bytes: variant.size_bytes,
      pace: fit === null ? null : paceOf(fit, active),
      installedAs: variant.installed_as,
    };
  }

  async #detailsOf(repo: string, signal: AbortSignal): Promise<HubModelDetails | null> {
    try {
      return await this.#hub.details(repo, null, null, signal);
    } catch (cause) {
      // A mirror need not have it, and people with an account of their own choose on the models page.
      const isLacking = cause instanceof ApiError && (cause.status === 404 || cause.status === 403);
      if (!isLacking) throw cause;
      return null;
    }
  }

  /** Null where it cannot be found out, which hinders nobody from having it. */
  async #fitOf(
    { repo, trained_context_length }: HubModelDetails,
    variant: HubVariant,
    signal: AbortSignal,
  ) {
    const context = trained_context_length === null ? null : usualContext(trained_context_length);
    try {
      const { variants } = await this.#hub.details(repo, context, variant.name, signal);
      return variants.find(({ name }) => name === variant.name)?.fit ?? null;
    } catch (cause) {
      if (signal.aborted) throw cause;
      return null;
    }
  }
}

/** One that nothing is known of but its repo. */
function asSuggested({ repo }: { repo: string }): SuggestedModel {
  return { repo, name: splitRepo(repo)[1], bytes: 0, active: 1 };
}
