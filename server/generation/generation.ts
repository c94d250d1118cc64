import type { EngineErrorCode, EngineEvent, GenerationRequest } from '../../protocol/engine.js';
import type { LoadErrorCode } from '../../protocol/engine-load.js';

/** A request as the dialects hand it in: sequence ids are the engine handle's business. */
export type GenerationInput = Omit<GenerationRequest, 'seq' | 'forks'> & {
  /** Answers to one prompt, generated at the same time, with seeds that follow each other. At least 1. */
  choices: number;
};

export type GenerationErrorCode =
  | EngineErrorCode
  | LoadErrorCode
  | 'model_invalid'
  /** Other models' running answers hold the memory that this one needs. */
  | 'memory_busy'
  /** By the person here, while its client waits for it. */
  | 'request_cancelled';

/** Why a generation could not start or ended early. `message` is a sentence for people. */
export class GenerationError extends Error {
  override readonly name = 'GenerationError';

  constructor(
    readonly code: GenerationErrorCode,
    message: string,
    /** Seconds after which a retry makes sense; null: a retry cannot help or is unknown. */
    readonly retryAfter: number | null = null,
    /** Index of the input, document or tool at fault; null: none in particular. */
    readonly input: number | null = null,
    /** The request's parameter at fault, where that is known better than by the code; null: it is not. */
    readonly param: string | null = null,
  ) {
    super(message);
  }
}

/** A failure as the engine tells it. */
export function toGenerationError(event: Extract<EngineEvent, { type: 'error' }>): GenerationError {
  return new GenerationError(event.code, event.message, null, event.input ?? null);
}

/** What happens before the first token, for keep-alive comments and the window's status line. */
export type GenerationProgress =
  /** Waits until other models make room. */
  | { stage: 'memory' }
  | { stage: 'loading' /** 0..1 */; fraction: number }
  | { stage: 'queued' /** Requests ahead of this one. */; ahead: number }
  | { stage: 'prefill'; prefilled: number; promptTokens: number };

/**
 * One running request. Abort its signal to cancel: `events` then ends with a `done` of reason `cancelled` within one
 * decode step, whether it is queued, in prefill or decoding, or while its model still loads.
 */
export interface Generation {
  /** Settles once: the prompt fits and is queued, or a GenerationError. */
  readonly accepted: Promise<{ promptTokens: number }>;
  /** The latest stage; null once tokens flow. */
  progress(): GenerationProgress | null;
  /**
   * Batches of `prompt-logprobs`, `token`, `delta`, `done` and `error`, each as one decode step gave them; `seq` is the choice's index from
   * 0. Ends after the `done` of every choice, or after an `error`, which ends all of them. To be iterated once, after `accepted`. A reader that does not ask for the next batch pauses its own sequence.
   */
  readonly events: AsyncIterable<EngineEvent[]>;
}
