import { matchesChord } from './chord.js';
import { COMMANDS, type CommandId } from './commands.js';
import { Store } from './store.js';

type Run = () => void;

interface RegistryState {
  /** What can be done now. Of several parts that can do it, the last one that said so. */
  runs: ReadonlyMap<CommandId, Run>;
}

/** Who does what a command says, at present. */
export class CommandRegistry extends Store<RegistryState> {
  #offers: { id: CommandId; run: Run }[] = [];

  constructor() {
    super({ runs: new Map() });
  }

  /** Offers to do it, until the function that it gives is called. */
  offer(id: CommandId, run: Run): () => void {
    const offer = { id, run };
    this.#offers.push(offer);
    this.#publish();
    return () => {
      this.#offers = this.#offers.filter((other) => other !== offer);
      this.#publish();
    };
  }

  /** Gives whether anybody could do it. */
  run(id: CommandId): boolean {
    const run = this.snapshot().runs.get(id);
    run?.();
    return run !== undefined;
  }

  /** Does what the keys ask for, if anything; then the browser does nothing of its own. */
  readonly onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented) return;
    const { runs } = this.snapshot();
    const command = COMMANDS.find(
      ({ id, chords }) => runs.has(id) && chords.some((chord) => matchesChord(event, chord)),
    );
    if (!command || keepsItsKeys(event.target)) return;
    event.preventDefault();
    if (!event.repeat || command.repeats) this.run(command.id);
  };

  #publish(): void {
    this.update({ runs: new Map(this.#offers.map(({ id, run }) => [id, run])) });
  }
}

/** The window's. */
export const commands = new CommandRegistry();

/** What is open above the page, and a list of choices, take keys for themselves. */
function keepsItsKeys(target: EventTarget | null): boolean {
  if (document.querySelector('[role="menu"], [role="dialog"], [role="alertdialog"]')) return true;
  return target instanceof HTMLSelectElement;
}
