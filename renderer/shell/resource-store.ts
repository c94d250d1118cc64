import { messageOf } from '../api/error.js';
import { Store } from './store.js';

export interface ResourceState<T> {
  /** What the server said last. */
  value: T | null;
  status: 'loading' | 'ready' | 'failed';
  /** A sentence for people where it could not be read. */
  failure: string | null;
}

/** Something that the server keeps: read at first, and again after each change. */
export class ResourceStore<T> extends Store<ResourceState<T>> {
  readonly #read: () => Promise<T>;
  #reads = 0;

  constructor(read: () => Promise<T>) {
    super({ value: null, status: 'loading', failure: null });
    this.#read = read;
  }

  /** Reads it; of several at once the last one counts. */
  async load(): Promise<void> {
    this.#reads += 1;
    const read = this.#reads;
    this.update({ status: 'loading', failure: null });
    try {
      const value = await this.#read();
      if (read === this.#reads) this.update({ value, status: 'ready' });
    } catch (cause) {
      if (read === this.#reads) this.update({ status: 'failed', failure: messageOf(cause) });
    }
  }

  /**
   * Changes it, and takes what the change answers for its value; null: it is read anew.
   * @returns null, or why it did not work, in a sentence for people.
   */
  async change(change: () => Promise<T | null>): Promise<string | null> {
    try {
      const value = await change();
      if (value === null) await this.load();
      else this.set(value);
      return null;
    } catch (cause) {
      return messageOf(cause);
    }
  }

  /** What the server said meanwhile; a reading that is under way is older. */
  set(value: T): void {
    this.#reads += 1;
    this.update({ value, status: 'ready', failure: null });
  }
}
