/** Writes running answers about each second and at their end. What cannot be written waits in memory and is tried again. */
import type { Database } from '../store/database.js';
import type { MessageStore } from './message-store.js';
import type { Run } from './run.js';

/** How often running answers are written, in milliseconds: what a power cut may cost. */
const SAVE_MS = 1_000;

/** How soon a write that failed is tried again, in milliseconds; each try may wait for another process. */
const RETRY_MS = 5_000;

export interface AnswerWriterOptions {
  database: Database;
  messages: MessageStore;
  /** The lock of this server, for answers that run. */
  owner: () => string;
}

export class AnswerWriter {
  /** By id of the message: where one goes on, what was left of its earlier run is in it. */
  readonly #dirty = new Map<string, Run>();
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly options: AnswerWriterOptions,
    /** All that had come of it is written. */
    private readonly onWritten: (run: Run) => void,
  ) {}

  /** Has it written soon. */
  keep(run: Run): void {
    this.#dirty.set(run.answer.id, run);
    this.#timer ??= setTimeout(this.save, SAVE_MS);
  }

  /** Writes what is not written yet. Never throws. */
  readonly save = (): void => {
    this.#stopTimer();
    if (this.#dirty.size === 0) return;
    const { database, messages, owner } = this.options;
    const isWritten = database.tryWrite('Chats', (connection) => {
      for (const { chatId, answer, isOver } of this.#dirty.values()) {
        messages.saveAnswer(connection, chatId, answer, isOver ? null : owner());
      }
    });
    if (!isWritten) {
      this.#timer = setTimeout(this.save, RETRY_MS);
      return;
    }
    const written = [...this.#dirty.values()];
    this.#dirty.clear();
    for (const run of written) this.onWritten(run);
  };

  /** Writes for the last time. */
  close(): void {
    this.save();
    this.#stopTimer();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
