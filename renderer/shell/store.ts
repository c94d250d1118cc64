/** State outside of React: components read it with useStore, tests without any. */
export class Store<T> {
  #state: T;
  #listeners = new Set<() => void>();

  constructor(state: T) {
    this.#state = state;
  }

  readonly snapshot = (): T => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  protected update(change: Partial<T>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
