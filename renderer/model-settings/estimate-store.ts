import type { Fit } from '../../protocol/fit.js';
import type { ModelLoadSettings } from '../../protocol/model-control.js';
import { messageOf } from '../api/error.js';
import { Store } from '../shell/store.js';

/** A value that stays as long as this is taken for meant. */
export const TYPING_MS = 300;

export interface EstimateState {
  /** Of the settings that were last asked about with success. */
  fit: Fit | null;
  /** Another estimate is on its way. */
  checking: boolean;
  failure: string | null;
}

type Estimate = (settings: ModelLoadSettings, signal: AbortSignal) => Promise<Fit>;

/** What a model takes, as its settings are changed. */
export class EstimateStore extends Store<EstimateState> {
  readonly #estimate: Estimate;
  #running: AbortController | null = null;
  #typing: ReturnType<typeof setTimeout> | undefined;
  #asked: string | null = null;

  constructor(estimate: Estimate) {
    super({ fit: null, checking: false, failure: null });
    this.#estimate = estimate;
  }

  /** Asks once the settings stay as they are; at once for the first time. */
  ask(settings: ModelLoadSettings): void {
    const key = JSON.stringify(settings);
    if (key === this.#asked) return;
    const first = this.#asked === null;
    this.#asked = key;
    this.#running?.abort();
    clearTimeout(this.#typing);
    this.update({ checking: true });
    this.#typing = setTimeout(() => void this.#run(settings), first ? 0 : TYPING_MS);
  }

  stop(): void {
    clearTimeout(this.#typing);
    this.#running?.abort();
    this.#asked = null;
  }

  async #run(settings: ModelLoadSettings): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    try {
      const fit = await this.#estimate(settings, running.signal);
      if (!running.signal.aborted) this.update({ fit, checking: false, failure: null });
    } catch (cause) {
      if (!running.signal.aborted) this.update({ checking: false, failure: messageOf(cause) });
    }
  }
}
