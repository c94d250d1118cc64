/** Word of changes to everyone who shows downloads: at once where something has happened, now and then of mere progress. */

/** Progress is told at most so often, in milliseconds. */
const PROGRESS_MS = 250;

export class Changes {
  private readonly listeners = new Set<() => void>();
  private progress: NodeJS.Timeout | null = null;

  /** @returns a function that ends it. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Resolves with the next one, or when the signal aborts. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        unsubscribe();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const unsubscribe = this.subscribe(end);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }

  readonly tell = (): void => {
    if (this.progress) clearTimeout(this.progress);
    this.progress = null;
    for (const listener of [...this.listeners]) listener();
  };

  /** Only bytes have come. */
  tellSoon(): void {
    this.progress ??= setTimeout(this.tell, PROGRESS_MS);
  }

  /** Tells a last time. */
  close(): void {
    this.tell();
    this.listeners.clear();
  }
}
