/** Has files read in processes of their own, few at a time: one that hangs or dies takes nothing with it. */
import type { ExtractedContent } from '../../protocol/extract.js';
import { ExpendableProcess } from '../engine/expendable.js';
import type { SpawnEngine } from '../engine/spawn.js';
import { ExtractError } from './extract-error.js';

/** Longest time for one file in milliseconds. A thousand pages take some seconds. */
const PATIENCE = 60_000;

/** Files that are read at the same time: each may take a core and much memory. */
const PLACES = 2;

export class Extractor {
  #free = PLACES;
  readonly #waiting: (() => void)[] = [];
  readonly #running = new Set<ExpendableProcess>();

  constructor(
    private readonly spawn: SpawnEngine,
    /** Milliseconds. */
    private readonly patience = PATIENCE,
  ) {}

  /** @throws ExtractError */
  async extract(file: string): Promise<ExtractedContent> {
    await this.#enter();
    const process = new ExpendableProcess(this.spawn, this.patience);
    this.#running.add(process);
    try {
      const answer = await process.ask({ type: 'extract', file });
      switch (answer.type) {
        case 'extracted':
          return answer.content;
        case 'extract-failed':
          throw new ExtractError(answer.code, answer.message);
        case 'late':
          throw new ExtractError(
            'file_too_complex',
            `Reading this file was given up after ${Math.round(this.patience / 1000)} seconds.`,
          );
        default:
          throw new ExtractError(
            'file_too_complex',
            'Reading this file took more memory than it may have, or failed in a way that no file should cause.',
          );
      }
    } finally {
      process.end();
      this.#running.delete(process);
      this.#leave();
    }
  }

  /** Ends what is being read. */
  close(): void {
    for (const process of this.#running) process.end();
  }

  async #enter(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
