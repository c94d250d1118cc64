/** One request to a model with its answer, from its admission to its last byte, whatever its dialect. */
import type { EngineEvent, FinishReason, Timings } from '../../protocol/engine.js';
import type { GenerationInput } from '../generation/generation.js';
import type { GenerationObserver } from '../generation/stream.js';
import type { LibraryModel } from '../library/model.js';

/** Of all choices and prompts together. Counts come from sampling; those of an upstream's answer, from what it says. */
export interface ExchangeCounts {
  /** Each prompt once, however many choices it has. */
  promptTokens: number;
  /** How many of them were taken from the KV cache. */
  cachedTokens: number;
  outputTokens: number;
}

export interface ExchangeEnd extends ExchangeCounts {
  /** Of HTTP; 0: there was no answer at all. */
  status: number;
  /** Of the choice that ended last; null: nothing was generated, or not to an end. */
  finishReason: FinishReason | null;
  /** Of the error's body; null: it went well. */
  errorCode: string | null;
  /** The whole answer was handed to the client's connection. False where the client left, or was cut off. */
  complete: boolean;
  /** Of the first choice, as the engine measured; null: nothing was generated to an end. */
  timings: Timings | null;
  /** Milliseconds from admission to the end. */
  totalMs: number;
}

/** Who looks on. Nothing that it does may throw. Called in the order of registration. */
export interface ExchangeObserver {
  /** Nothing has been sent yet: headers can be set. */
  began?(exchange: Exchange): void;
  /**
   * The model and the parameters are known, and it is handed to an engine.
   * @param inputs One for each prompt; none: it is a call, which has one answer.
   */
  opened?(exchange: Exchange, inputs: readonly GenerationInput[]): void;
  /** What one decode step gave, as it comes from the engine; `seq` is the choice's index. */
  stepped?(exchange: Exchange, events: readonly EngineEvent[]): void;
  /** Bytes of the answer's body on their way to the client, in order. */
  sent?(exchange: Exchange, bytes: Uint8Array): void;
  /**
   * Once, after everything else. Of a complete answer it is called before its last bytes leave, so that whoever has the
   * whole answer finds whatever is kept of it.
   */
  ended?(exchange: Exchange, end: ExchangeEnd): void;
}

export interface ExchangeHead {
  /** Of its receipt too, such as "rcpt_9f86d081884c7d659a2feaa0". */
  readonly id: string;
  /** `x-request-id`. */
  readonly requestId: string;
  readonly method: string;
  /** As in the route table, such as "/v1/chat/completions". */
  readonly route: string;
  /** The name of its key, else what the client says it is (user agent), else "". Not longer than 200 characters. */
  readonly client: string;
  /** It came with a key of the person whose machine this is: the window's, or the inspector's. */
  readonly isOwner: boolean;
  /** Milliseconds since 1970. */
  readonly beganAt: number;
}

export class Exchange {
  /** Of this machine. Null until the request is understood, and where an upstream answers. */
  local: LibraryModel | null = null;
  /** Name of the upstream that is asked; of several, the last one. Null: this machine answers. */
  upstream: string | null = null;
  /** Names of fields that had no effect. */
  ignored: readonly string[] = [];
  /** Its `accepted` has the prompt as the model reads it. For who wants that to set, in `opened` at the latest. */
  showsPrompt = false;

  #started = performance.now();
  #model: string | null = null;
  #counts: ExchangeCounts = { promptTokens: 0, cachedTokens: 0, outputTokens: 0 };
  #isCounted = true;
  #finishReason: FinishReason | null = null;
  #timings: Timings | null = null;
  #errorCode: string | null = null;
  /** Generations that have not ended. */
  #open = 0;
  #closing: Pick<ExchangeEnd, 'status' | 'complete' | 'errorCode'> | null = null;
  #isEnded = false;
  #isCancelled = false;
  readonly #gone = new AbortController();
  readonly #over = new AbortController();

  constructor(
    readonly head: ExchangeHead,
    /** The body as parsed, once it is. */
    readonly body: () => unknown,
    private readonly observers: readonly ExchangeObserver[],
  ) {}

  /** Aborts when the client leaves before its answer is complete. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Aborts when nobody wants more of it: the client has left, it is cancelled, or the answer is over. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** By the person here, whose client is still there. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Id of the model that answers. Null until the request is understood. */
  get model(): string | null {
    return this.#model;
  }

  /** False where an upstream answers that has not said how many tokens there were. */
  get isCounted(): boolean {
    return this.#isCounted;
  }

  /** So far. */
  get counts(): Readonly<ExchangeCounts> {
    return this.#counts;
  }

  /** Milliseconds since its admission. */
  get ageMs(): number {
    return performance.now() - this.#started;
  }

  /** Ends it for the person here; its client is told so. Without effect once it is over. */
  cancel(): void {
    if (this.#over.signal.aborted) return;
    this.#isCancelled = true;
    this.#over.abort();
  }

  /** Begins it: to be called once, before anything else. */
  begin(): void {
    for (const observer of this.observers) observer.began?.(this);
  }

  open(
    model: LibraryModel,
    ignored: readonly string[],
    inputs: readonly GenerationInput[] = [],
  ): void {
    this.local = model;
    this.#model = model.id;
    this.ignored = ignored;
    for (const observer of this.observers) observer.opened?.(this, inputs);
  }

  /** It is passed on, in place of open(). @param model Id by which the request means it here. */
  pass(model: string, upstream: string): void {
    const isFirst = this.upstream === null;
    this.upstream = upstream;
    if (!isFirst) return;
    this.#model = model;
    this.#isCounted = false;
    for (const observer of this.observers) observer.opened?.(this, []);
  }

  /** What an upstream says of its answer, in place of what an engine is seen to do. */
  report(counts: Readonly<ExchangeCounts>): void {
    this.#counts = { ...counts };
    this.#isCounted = true;
  }

  /** For a generation that belongs to it. `first`: index of its first choice. */
  follow(first: number): GenerationObserver {
    this.#open++;
    return {
      step: (events) => {
        const own = first === 0 ? events : events.map((e) => ({ ...e, seq: e.seq + first }));
        for (const event of own) this.#count(event, event.seq === first);
        for (const observer of this.observers) observer.stepped?.(this, own);
      },
      end: () => {
        this.#open--;
        this.#endWhenOver();
      },
    };
  }

  /** What a call read: of answers that are not generated. */
  countPrompt(tokens: number): void {
    this.#counts.promptTokens += tokens;
  }

  send(bytes: Uint8Array): void {
    for (const observer of this.observers) observer.sent?.(this, bytes);
  }

  /** The answer is whole, or its connection is gone; what comes later has no effect. */
  close(closing: Pick<ExchangeEnd, 'status' | 'complete' | 'errorCode'>): void {
    if (this.#closing !== null) return;
    this.#closing = closing;
    if (!closing.complete) this.#gone.abort();
    this.#over.abort();
    this.#endWhenOver();
  }

  #count(event: EngineEvent, isFirst: boolean): void {
    switch (event.type) {
      case 'accepted':
        if (isFirst) this.#counts.promptTokens += event.promptTokens;
        break;
      case 'token':
        this.#counts.outputTokens++;
        break;
      case 'done':
        this.#finishReason = event.finishReason;
        this.#timings ??= event.timings;
        if (isFirst) this.#counts.cachedTokens += event.cachedTokens;
        break;
      case 'error':
        this.#errorCode = event.code;
        break;
    }
  }

  /** A generation whose client is gone ends a step later, and its counts are known only then. */
  #endWhenOver(): void {
    if (this.#isEnded || this.#closing === null || this.#open > 0) return;
    this.#isEnded = true;
    const end: ExchangeEnd = {
      ...this.#counts,
      ...this.#closing,
      errorCode: this.#closing.errorCode ?? this.#errorCode,
      finishReason: this.#finishReason,
      timings: this.#timings,
      totalMs: this.ageMs,
    };
    for (const observer of this.observers) observer.ended?.(this, end);
  }
}
