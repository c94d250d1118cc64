/** An engine process without a model, for what may crash or hang: asked one thing at a time, so that it is clear what it died of. */
import type { EngineToServer, ServerToEngine } from '../../protocol/engine-channel.js';
import type { EngineExit, SpawnEngine } from './spawn.js';

export type ExpendableAnswer =
  | EngineToServer
  | { type: 'late' }
  | { type: 'exit'; exit: EngineExit };

export class ExpendableProcess {
  readonly #process;
  #answer: (answer: ExpendableAnswer) => void = () => {};
  #exit: EngineExit | null = null;

  /** @param patience Milliseconds to wait for each answer. */
  constructor(
    spawn: SpawnEngine,
    private readonly patience: number,
  ) {
    this.#process = spawn();
    this.#process.onMessage((message) => this.#answer(message));
    this.#process.onExit((exit) => {
      this.#exit = exit;
      this.#answer({ type: 'exit', exit });
    });
  }

  async ask(message: ServerToEngine): Promise<ExpendableAnswer> {
    if (this.#exit) return { type: 'exit', exit: this.#exit };
    let timer: NodeJS.Timeout | undefined;
    const answer = await new Promise<ExpendableAnswer>((resolve) => {
      this.#answer = resolve;
      timer = setTimeout(() => resolve({ type: 'late' }), this.patience);
      this.#process.send(message);
    });
    clearTimeout(timer);
    return answer;
  }

  end(): void {
    if (!this.#exit) this.#process.kill();
  }
}
