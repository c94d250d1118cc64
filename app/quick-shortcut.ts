import { globalShortcut } from 'electron';
import type { QuickAskState } from '../protocol/bridge.js';
import { isShortcut } from './accelerator.js';

/** The key combination that opens the quick question from anywhere. The system gives it to one program only. */
export class QuickShortcut {
  readonly #onPressed: () => void;
  readonly #onChange: (state: QuickAskState) => void;
  #state: QuickAskState = { shortcut: null, problem: null };

  constructor(onPressed: () => void, onChange: (state: QuickAskState) => void) {
    this.#onPressed = onPressed;
    this.#onChange = onChange;
  }

  get state(): QuickAskState {
    return this.#state;
  }

  /** Asks the system for it, in place of the one before. */
  set(shortcut: string | null): void {
    if (shortcut === this.#state.shortcut) return;
    this.close();
    this.#state = { shortcut, problem: shortcut === null ? null : this.#register(shortcut) };
    this.#onChange(this.#state);
  }

  /** Gives it back. */
  close(): void {
    const { shortcut, problem } = this.#state;
    if (shortcut !== null && problem === null) globalShortcut.unregister(shortcut);
  }

  #register(shortcut: string): QuickAskState['problem'] {
    if (!isShortcut(shortcut)) return 'invalid';
    try {
      return globalShortcut.register(shortcut, this.#onPressed) ? null : 'taken';
    } catch {
      return 'invalid';
    }
  }
}
