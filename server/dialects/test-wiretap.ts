/** Listens to what the server and its engines say to each other, for tests. */
import type { EngineEvent, PromptLogprobsEvent } from '../../protocol/engine.js';
import type { ServerToEngine } from '../../protocol/engine-channel.js';
import { unpackEvents } from '../../protocol/packed-events.js';
import type { EngineProcess } from '../engine/spawn.js';

export class Wiretap {
  readonly #sent: ServerToEngine[] = [];
  readonly #events: EngineEvent[] = [];
  readonly #looks = new Set<() => void>();

  readonly wrap = (engine: EngineProcess): EngineProcess => ({
    ...engine,
    send: (message) => {
      this.#sent.push(message);
      engine.send(message);
      this.#look();
    },
    onMessage: (listener) =>
      engine.onMessage((message) => {
        // Before the listener, which writes choices over the sequences.
        if (message.type === 'events') {
          this.#events.push(...unpackEvents(message.events).map((event) => ({ ...event })));
        }
        listener(message);
        if (message.type === 'events') this.#look();
      }),
  });

  /** Sequences that the server has sent this about, in order. */
  sequences(type: 'pause' | 'resume' | 'cancel'): number[] {
    return this.#sent.flatMap((message) => (message.type === type ? [message.seq] : []));
  }

  /** Tokens that the engine has told, of one sequence or of all. */
  tokens(seq: number | null = null): number {
    return this.#events.filter(
      (event) => event.type === 'token' && (seq === null || event.seq === seq),
    ).length;
  }

  /** The texts of these tokens, of all sequences, in order. */
  texts(): string[] {
    return this.#events.flatMap((event) => (event.type === 'token' ? [event.text] : []));
  }

  /** What the engine has told of prompts. */
  promptLogprobs(): PromptLogprobsEvent[] {
    return this.#events.filter((event) => event.type === 'prompt-logprobs');
  }

  /** The ends of sequences, in order. */
  ends(): Extract<EngineEvent, { type: 'done' }>[] {
    return this.#events.filter((event) => event.type === 'done');
  }

  /** Forgets what was said so far. */
  clear(): void {
    this.#sent.length = 0;
    this.#events.length = 0;
  }

  /** Resolves when the predicate holds; looked at whenever something is said. */
  until(predicate: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!predicate()) return;
        this.#looks.delete(look);
        resolve();
      };
      this.#looks.add(look);
      look();
    });
  }

  #look(): void {
    for (const look of [...this.#looks]) look();
  }
}
