import type { HubModelDetails, HubVariant } from '../../protocol/hub.js';
import { messageOf } from '../api/error.js';
import { Store } from '../shell/store.js';
import { nextToCheck, usualContext } from './variants.js';

/** A slider that rests as long as this is taken for set. */
export const SLIDING_MS = 250;

export interface RepoState {
  repo: string;
  details: HubModelDetails | null;
  /** Tokens of each request for which the verdicts are asked; null: the server chooses. */
  context: number | null;
  /** Name of the variant that the person chose. */
  chosen: string | null;
  status: 'loading' | 'ready' | 'failed';
  failure: string | null;
  /** The variant whose verdict is being asked for. */
  checking: string | null;
}

type GetDetails = (
  repo: string,
  context: number | null,
  fit: string | null,
  signal: AbortSignal,
) => Promise<HubModelDetails>;

/** One repo of the hub: its variants, and whether they fit. A store serves one repo, until `stop`. */
export class RepoStore extends Store<RepoState> {
  readonly #get: GetDetails;
  #running = new AbortController();
  #sliding: ReturnType<typeof setTimeout> | undefined;
  /** Variants whose verdict could not be had at this context. */
  #failed = new Set<string>();

  constructor(repo: string, get: GetDetails) {
    super({
      ...{ repo, details: null, context: null, chosen: null },
      ...{ status: 'loading', failure: null, checking: null },
    });
    this.#get = get;
  }

  load(): void {
    clearTimeout(this.#sliding);
    this.#running.abort();
    this.#running = new AbortController();
    this.#failed = new Set();
    this.update({ status: 'loading', failure: null, checking: null });
    void this.#run(this.#running.signal);
  }

  stop(): void {
    clearTimeout(this.#sliding);
    this.#running.abort();
  }

  choose(name: string): void {
    this.update({ chosen: name });
  }

  /** Asks anew once the slider rests. */
  slide(context: number): void {
    this.update({ context });
    clearTimeout(this.#sliding);
    this.#sliding = setTimeout(() => this.load(), SLIDING_MS);
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      let details = await this.#ask(null, signal);
      // Of a repo that does not tell what its model was trained for, the server knows best.
      const trained = details.trained_context_length;
      if (this.snapshot().context === null && trained !== null) {
        this.update({ context: usualContext(trained) });
      }
      this.update({ status: 'ready', details });
      for (;;) {
        const next = nextToCheck(details.variants, this.snapshot().chosen, this.#failed);
        this.update({ checking: next });
        if (next === null) return;
        details = await this.#check(details, next, signal);
        this.update({ details });
      }
    } catch (cause) {
      if (!signal.aborted) {
        this.update({ status: 'failed', failure: messageOf(cause), checking: null });
      }
    }
  }

  /** One verdict more; without it where it cannot be had, which hinders nobody from downloading. */
  async #check(
    before: HubModelDetails,
    name: string,
    signal: AbortSignal,
  ): Promise<HubModelDetails> {
    try {
      const after = await this.#ask(name, signal);
      if (after.variants.find((variant) => variant.name === name)?.fit == null)
        this.#failed.add(name);
      return { ...after, variants: withKnownFits(before.variants, after.variants) };
    } catch (cause) {
      if (signal.aborted) throw cause;
      this.#failed.add(name);
      return before;
    }
  }

  async #ask(fit: string | null, signal: AbortSignal): Promise<HubModelDetails> {
    const { repo, context } = this.snapshot();
    const details = await this.#get(repo, context, fit, signal);
    signal.throwIfAborted();
    return details;
  }
}

/** Verdicts that were told before, where the newer answer leaves them open. */
function withKnownFits(before: readonly HubVariant[], after: readonly HubVariant[]): HubVariant[] {
  const fits = new Map(before.map(({ name, fit }) => [name, fit]));
  return after.map((variant) => ({
    ...variant,
    fit: variant.fit ?? fits.get(variant.name) ?? null,
  }));
}
