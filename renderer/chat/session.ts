import type { ChatEvent } from '../api/chat-chunk.js';
import type { ChatRequest } from '../api/chat-completions.js';
import {
  type Conversation,
  type ConversationAction,
  emptyConversation,
  reduce,
  runningAnswer,
  type Turn,
} from './conversation.js';
import { failureOf } from './failure.js';
import { requestMessages } from './history.js';

export interface SessionParts {
  stream(chat: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent[]>;
  /** Calls back before the next paint, or soon where nothing is painted. */
  nextFrame(callback: () => void, textLength: number): void;
  /** A monotonic clock, milliseconds. */
  now(): number;
  newId(): string;
}

/** One conversation with the server: asks, gathers the answer once per frame, stops. */
export class ChatSession {
  #conversation: Conversation;
  #listeners = new Set<() => void>();
  #running: { answerId: string; abort: AbortController } | null = null;
  #pending = { content: '', reasoning: '', scheduled: false };
  readonly #parts: SessionParts;

  constructor(parts: SessionParts, turns: readonly Turn[] = []) {
    this.#parts = parts;
    this.#conversation = { ...emptyConversation, turns };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): Conversation => this.#conversation;

  /** Asks `model`; ignored while an answer is running. Settles when the answer has ended. */
  ask(question: string, model: string): Promise<void> {
    const answerId = this.#parts.newId();
    const turnId = this.#parts.newId();
    return this.#begin({ type: 'ask', turnId, answerId, question, model });
  }

  /** Replaces the last answer, and its question where another one is given. */
  askAgain(model: string, question?: string): Promise<void> {
    const answerId = this.#parts.newId();
    const changed = question === undefined ? {} : { question };
    return this.#begin({ type: 'ask-again', answerId, model, ...changed });
  }

  /** Ends the running answer; what has come so far stays. */
  stop(): void {
    const running = this.#running;
    if (!running) return;
    this.#flush();
    this.#running = null;
    running.abort.abort();
    const { answerId } = running;
    this.#dispatch({ type: 'end', answerId, status: 'stopped', at: this.#parts.now() });
  }

  /** Shows other turns, none for a new chat. The running answer is stopped. */
  replace(turns: readonly Turn[]): void {
    this.stop();
    this.#dispatch({ type: 'replace', turns });
  }

  async #begin(action: ConversationAction & { type: 'ask' | 'ask-again' }): Promise<void> {
    const { answerId, model } = action;
    this.#dispatch(action);
    if (runningAnswer(this.#conversation)?.id !== answerId) return;
    const abort = new AbortController();
    this.#running = { answerId, abort };
    const messages = requestMessages(this.#conversation.turns);
    let status: 'complete' | 'length' = 'complete';
    try {
      for await (const events of this.#parts.stream({ model, messages }, abort.signal)) {
        if (this.#running?.answerId !== answerId) return;
        for (const event of events) {
          if (event.type === 'finish' && event.reason === 'length') status = 'length';
          this.#receive(answerId, event);
        }
      }
      if (this.#running?.answerId !== answerId) return;
      this.#flush();
      this.#dispatch({ type: 'end', answerId, status, at: this.#parts.now() });
    } catch (cause) {
      if (this.#running?.answerId !== answerId) return;
      this.#flush();
      this.#dispatch({ type: 'fail', answerId, failure: failureOf(cause), at: this.#parts.now() });
    }
    this.#running = null;
  }

  #receive(answerId: string, event: ChatEvent): void {
    if (event.type === 'delta') {
      this.#pending.content += event.content;
      this.#pending.reasoning += event.reasoning;
      if (this.#pending.scheduled) return;
      this.#pending.scheduled = true;
      const length = runningAnswer(this.#conversation)?.text.length ?? 0;
      this.#parts.nextFrame(() => this.#flush(), length);
    } else if (event.type !== 'finish') {
      this.#dispatch({ ...event, answerId });
    }
  }

  /** Everything that came since the last frame, as one change. */
  #flush(): void {
    const { content, reasoning } = this.#pending;
    this.#pending = { content: '', reasoning: '', scheduled: false };
    const answerId = this.#running?.answerId;
    if (answerId === undefined || (content === '' && reasoning === '')) return;
    this.#dispatch({ type: 'delta', answerId, content, reasoning, at: this.#parts.now() });
  }

  #dispatch(action: ConversationAction): void {
    const next = reduce(this.#conversation, action);
    if (next === this.#conversation) return;
    this.#conversation = next;
    for (const listener of this.#listeners) listener();
  }
}
