import {
  MessageChannelMain,
  type MessagePortMain,
  type UtilityProcess,
  utilityProcess,
} from 'electron';
import { type ExitStatus, exitStatus } from './exit-status.js';

/** Engine processes, forked for the server because a utility process cannot fork another. */
export class EngineProcesses {
  readonly #entry: string;
  readonly #onExit: (engine: number, status: ExitStatus) => void;
  readonly #running = new Map<number, UtilityProcess>();
  #idle: (() => void)[] = [];

  /** @param onExit called once for each process that ended, whoever ended it */
  constructor(entry: string, onExit: (engine: number, status: ExitStatus) => void) {
    this.#entry = entry;
    this.#onExit = onExit;
  }

  /**
   * Starts the process that the server calls `engine`.
   * @returns the server's end of its channel; messages wait in it until the engine process listens
   */
  spawn(engine: number): MessagePortMain {
    const child = utilityProcess.fork(this.#entry, [], {
      serviceName: 'Pilotlight engine',
      stdio: 'inherit',
    });
    this.#running.set(engine, child);
    child.once('exit', (code) => {
      this.#running.delete(engine);
      this.#onExit(engine, exitStatus(code));
      if (this.#running.size === 0) {
        for (const resolve of this.#idle.splice(0)) resolve();
      }
    });
    const { port1, port2 } = new MessageChannelMain();
    child.postMessage({ type: 'port' }, [port2]);
    return port1;
  }

  /** Ends an engine at once: it may be stuck in a computation, where it would not see a polite request. */
  kill(engine: number): void {
    const child = this.#running.get(engine);
    if (child) killNow(child);
  }

  killAll(): void {
    for (const child of this.#running.values()) killNow(child);
  }

  /** Resolves once no engine process is left. */
  async ended(): Promise<void> {
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Process ids of the running engines. */
  pids(): number[] {
    return [...this.#running.values()].flatMap(({ pid }) => pid ?? []);
  }
}

/** Ends a utility process without asking it. One that has ended meanwhile is no error. */
export function killNow(child: UtilityProcess): void {
  if (child.pid === undefined) {
    child.kill();
    return;
  }
  try {
    process.kill(child.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
