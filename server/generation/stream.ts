import type { EngineEvent } from '../../protocol/engine.js';
import {
  type Generation,
  GenerationError,
  type GenerationProgress,
  toGenerationError,
} from './generation.js';

/**
 * Batches that wait for a slow reader before its sequence is paused, and the number at which it goes on. One batch is
 * one decode step, so this is a second or two of text; the pause itself takes a step or two to arrive.
 */
const HIGH_WATER = 64;
const LOW_WATER = 16;

function cancelledEvent(choice: number): EngineEvent {
  return {
    type: 'done',
    seq: choice,
    finishReason: 'cancelled',
    promptTokens: 0,
    cachedTokens: 0,
    outputTokens: 0,
    timings: {
      queueMs: 0,
      prefillMs: 0,
      ttftMs: 0,
      totalMs: 0,
      tokensPerSecond: 0,
      draftedTokens: 0,
      acceptedTokens: 0,
    },
  };
}

/** Looks on, at the pace of the engine and not of the reader. Nothing in it may throw. */
export interface GenerationObserver {
  /** Events of one step as they come, `accepted` and `progress` too; `seq` is the choice's index. */
  step(events: readonly EngineEvent[]): void;
  /** Once, after the last step. */
  end(): void;
}

/**
 * The server's side of one generation: the engine handle writes, a dialect reads. Bounded: a reader that falls behind
 * pauses its own sequence and no other.
 */
export class GenerationStream implements Generation {
  readonly accepted: Promise<{ promptTokens: number }>;
  readonly events: AsyncIterable<EngineEvent[]>;

  /** The reader is full (true) or has caught up (false). Set by the engine handle once there is an engine. */
  onPressure: (paused: boolean) => void = () => {};
  /** It has left the queue: its prompt is being computed, or tokens flow. Once at most. */
  onRunning: () => void = () => {};
  /** After the terminal event, exactly once. `answered`: the model came to an end of its own. */
  onEnd: (answered: boolean) => void = () => {};

  #accept!: (value: { promptTokens: number }) => void;
  #reject!: (error: GenerationError) => void;
  #isAccepted = false;
  #runs = false;
  #flows = false;
  #ended = false;
  /** Choices without a terminal event. */
  #open: number;
  #paused = false;
  #progress: () => GenerationProgress | null = () => null;
  readonly #batches: EngineEvent[][] = [];
  #wake: () => void = () => {};

  /** @param choices Answers that are generated at the same time; each has a terminal event of its own. */
  constructor(
    choices = 1,
    private readonly observer: GenerationObserver | null = null,
  ) {
    this.#open = choices;
    this.accepted = new Promise((resolve, reject) => {
      this.#accept = resolve;
      this.#reject = reject;
    });
    // a dialect that has been left by its client never looks
    this.accepted.catch(() => {});
    this.events = { [Symbol.asyncIterator]: () => this.#read() };
  }

  get ended(): boolean {
    return this.#ended;
  }

  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  progress(): GenerationProgress | null {
    return this.#progress();
  }

  setProgress(progress: () => GenerationProgress | null): void {
    this.#progress = progress;
  }

  /** Takes what one decode step gave, in order; `seq` is the choice's index. */
  push(events: EngineEvent[]): void {
    if (this.#ended) return;
    this.observer?.step(events);
    const kept: EngineEvent[] = [];
    for (const event of events) {
      if (this.#ended) break;
      switch (event.type) {
        case 'accepted':
          if (this.#isAccepted) break;
          this.#isAccepted = true;
          this.#progress = () => ({ stage: 'queued', ahead: 0 });
          this.#accept({ promptTokens: event.promptTokens });
          break;
        case 'progress':
          if (this.#flows) break;
          this.#progress = () =>
            event.prefilled > 0
              ? { stage: 'prefill', prefilled: event.prefilled, promptTokens: event.promptTokens }
              : { stage: 'queued', ahead: event.queued };
          if (event.prefilled > 0) this.#run();
          break;
        case 'prompt-logprobs':
          this.#run();
          kept.push(event);
          break;
        case 'token':
        case 'delta':
          this.#flows = true;
          this.#progress = () => null;
          this.#run();
          kept.push(event);
          break;
        case 'error':
          this.#reject(toGenerationError(event));
          kept.push(event);
          this.#end(false);
          break;
        case 'done':
          this.#reject(new GenerationError('cancelled', 'The request was cancelled.'));
          kept.push(event);
          if (--this.#open === 0) this.#end(event.finishReason !== 'cancelled');
          break;
      }
    }
    if (kept.length === 0) return;
    this.#batches.push(kept);
    if (!this.#paused && !this.#ended && this.#batches.length >= HIGH_WATER) {
      this.#paused = true;
      this.onPressure(true);
    }
    this.#wake();
  }

  /** Ends it before acceptance: the model cannot be loaded, or its engine ended first. */
  refuse(error: GenerationError): void {
    if (this.#ended) return;
    this.#reject(error);
    this.#end(false);
    this.#wake();
  }

  /** The engine process is gone, by itself or because its model is unloaded. `message` is a sentence for people. */
  cut(code: 'engine_crashed' | 'shutting_down', message: string): void {
    if (this.#isAccepted) {
      this.push([{ type: 'error', seq: 0, code, message }]);
    } else {
      this.refuse(new GenerationError(code, message));
    }
  }

  /** Ends a generation that never reached an engine; without effect once it has ended. */
  cancel(): void {
    if (this.#ended) return;
    for (let choice = 0; this.#open > 0; choice++) this.push([cancelledEvent(choice)]);
  }

  #run(): void {
    if (this.#runs) return;
    this.#runs = true;
    this.onRunning();
  }

  #end(answered: boolean): void {
    this.#ended = true;
    this.#progress = () => null;
    this.observer?.end();
    this.onEnd(answered);
  }

  async *#read(): AsyncGenerator<EngineEvent[]> {
    while (true) {
      const batch = this.#batches.shift();
      if (batch) {
        if (this.#paused && this.#batches.length <= LOW_WATER) {
          this.#paused = false;
          if (!this.#ended) this.onPressure(false);
        }
        yield batch;
        continue;
      }
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
