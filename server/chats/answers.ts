/**
 * Runs answers. They belong to the server: whoever asked may close every window meanwhile. What a model is asked is in
 * answer-steps.ts, how it is kept in answer-writer.ts.
 */
import type { Logger } from 'pino';
import type {
  AnswerFailure,
  AnswerMessage,
  AnswerStatus,
  ChatMessage,
} from '../../protocol/chats.js';
import type { EngineEvent } from '../../protocol/engine.js';
import type { Exchange, ExchangeEnd, ExchangeObserver } from '../exchange/exchange.js';
import type { LibraryModel } from '../library/model.js';
import { AnswerSteps, type AnswerStepsOptions } from './answer-steps.js';
import { AnswerWriter, type AnswerWriterOptions } from './answer-writer.js';
import { AskError } from './asking.js';
import type { ChatFeed, OpenChatEvent } from './feed.js';
import { measureOf, sumOf } from './measure.js';
import type { Tools } from './prompt.js';
import { newRun, type Run, type StartedAnswer } from './run.js';

/** How often the rate is told, in milliseconds: faster than that nobody reads numbers. */
const RATE_MS = 250;

export interface AnswersOptions extends AnswerStepsOptions, AnswerWriterOptions {
  feed: ChatFeed;
  /** Tokens that a request of the model may have; null: it is not loaded. */
  contextOf: (model: LibraryModel) => number | null;
  /** One has ended. */
  onEnd: (chatId: string, answer: AnswerMessage) => void;
  log: Logger;
}

export class Answers implements ExchangeObserver {
  /** By id of the message: those that run, and those that could not be written yet. */
  readonly #runs = new Map<string, Run>();
  readonly #steps: AnswerSteps;
  readonly #writer: AnswerWriter;

  constructor(private readonly options: AnswersOptions) {
    this.#steps = new AnswerSteps(options, {
      tell: (run, event) => this.#tell(run, event),
      keep: (run) => this.#keep(run),
      counted: (run, tokens) => this.#tellRate(run, tokens),
    });
    this.#writer = new AnswerWriter(options, (run) => {
      const { id } = run.answer;
      if (run.isOver && this.#runs.get(id) === run) this.#runs.delete(id);
    });
  }

  isAnswering(chatId: string): boolean {
    return [...this.#runs.values()].some((run) => run.chatId === chatId && !run.isOver);
  }

  /** The message as it is now, where that is more than what is written. */
  latest(message: ChatMessage): ChatMessage {
    return this.#runs.get(message.id)?.answer ?? message;
  }

  isRunning(messageId: string): boolean {
    const run = this.#runs.get(messageId);
    return run !== undefined && !run.isOver;
  }

  /** Begins; its messages are in the database already. */
  start(started: StartedAnswer): void {
    const run = newRun(started);
    this.#runs.set(run.answer.id, run);
    run.done = this.#run(run);
  }

  /** Resolves when they have ended, with what had come. @returns their ids. */
  async stop(isMeant: (answer: AnswerMessage, chatId: string) => boolean): Promise<string[]> {
    return this.#abort((run) => isMeant(run.answer, run.chatId), 'stopped');
  }

  began({ head }: Exchange): void {
    const run = this.#steps.runOf(head.requestId);
    if (run !== undefined) run.isAsking = true;
  }

  stepped({ head, counts }: Exchange, events: readonly EngineEvent[]): void {
    const run = this.#steps.runOf(head.requestId);
    if (run === undefined || run.isOver) return;
    for (const event of events) {
      if (event.type === 'progress') {
        const { prefilled, promptTokens: prompt_tokens, queued: ahead } = event;
        const progress =
          prefilled > 0
            ? ({ stage: 'prefill', prefilled, prompt_tokens } as const)
            : ({ stage: 'queued', ahead } as const);
        this.#tell(run, { type: 'progress', message_id: run.answer.id, progress });
      }
    }
    this.#tellRate(run, counts.outputTokens);
  }

  ended(exchange: Exchange, end: ExchangeEnd): void {
    const run = this.#steps.runOf(exchange.head.requestId);
    if (run === undefined) return;
    this.#steps.ended(exchange.head.requestId);
    const measure = measureOf(exchange, end, run, this.options.contextOf);
    if (measure === null) return;
    run.answer.measure = sumOf(run.before, measure);
    // The numbers of one that was stopped come behind its end.
    if (run.isOver) this.#keep(run);
  }

  /** Ends what runs. */
  async close(): Promise<void> {
    await this.#abort(() => true, 'interrupted');
    this.#writer.close();
  }

  async #abort(isMeant: (run: Run) => boolean, as: 'stopped' | 'interrupted'): Promise<string[]> {
    const runs = [...this.#runs.values()].filter((run) => !run.isOver && isMeant(run));
    for (const run of runs) {
      run.abortedAs = as;
      run.abort.abort();
    }
    await Promise.all(runs.map((run) => run.done));
    return runs.map((run) => run.answer.id);
  }

  /** Never throws. */
  async #run(run: Run): Promise<void> {
    try {
      this.#end(run, await this.#steps.take(run), null);
    } catch (error) {
      const failure = withTools(this.#failureOf(error), run.tools);
      if (failure.code === 'request_cancelled') this.#end(run, 'stopped', null);
      else this.#end(run, 'failed', failure);
    }
  }

  #end(run: Run, status: AnswerStatus, failure: AnswerFailure | null): void {
    run.parts.endReasoning(performance.now());
    run.parts.endCalls();
    Object.assign(run.answer, { status, failure });
    run.isOver = true;
    this.#writer.keep(run);
    this.save();
    this.#tellMessage(run);
    this.options.onEnd(run.chatId, run.answer);
  }

  #failureOf(error: unknown): AnswerFailure {
    if (error instanceof AskError) return error.failure;
    this.options.log.error({ err: error }, 'a chat could not be answered');
    return {
      code: 'internal_error',
      message: 'Something went wrong inside Pilotlight. Its log has the details.',
      retry_after: null,
    };
  }

  #tellRate(run: Run, tokens: number): void {
    const now = performance.now();
    if (tokens < 2 || run.firstAt === null || now - run.rateToldAt < RATE_MS) return;
    run.rateToldAt = now;
    const seconds = (now - run.firstAt) / 1000;
    if (seconds <= 0) return;
    this.#tell(run, {
      type: 'rate',
      message_id: run.answer.id,
      output_tokens: tokens,
      tokens_per_s: (tokens - 1) / seconds,
    });
  }

  #tellMessage(run: Run): void {
    this.#tell(run, { type: 'message', message: run.answer });
  }

  #tell(run: Run, event: OpenChatEvent): void {
    this.options.feed.tell(event, run.chatId);
  }

  /** Has it written soon. */
  #keep(run: Run): void {
    if (run.isOver) {
      this.#runs.set(run.answer.id, run);
      this.#tellMessage(run);
    }
    this.#writer.keep(run);
  }

  /** Writes what is not written yet. Never throws. */
  save(): void {
    this.#writer.save();
  }
}

/** A prompt that is too long may be so by the tools alone, which nobody sees. */
function withTools(failure: AnswerFailure, { offers }: Tools): AnswerFailure {
  if (failure.code !== 'context_length_exceeded' || offers.length === 0) return failure;
  const told = `The prompt also describes ${offers.length === 1 ? 'a tool' : `${offers.length} tools`}: switch off those that this chat does not need.`;
  return { ...failure, message: `${failure.message} ${told}` };
}
