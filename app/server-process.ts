import { setTimeout as delay } from 'node:timers/promises';
import { app, type UtilityProcess, utilityProcess } from 'electron';
import type { ServerConfigInput } from '../protocol/config.js';
import type { MainToServer, ServerToMain } from '../protocol/control.js';
import type { ServerState } from '../protocol/models.js';
import { EngineProcesses, killNow } from './engine-processes.js';
import { describeExit, exitStatus } from './exit-status.js';
import { restartDelay } from './restart-policy.js';
import type { ServerStatus } from './server-status.js';

/** Time the server has to end its streams and engines before it is killed, in milliseconds. */
const SHUTDOWN_MS = 5_000;
/** Characters kept of what the server printed, to be shown when it does not start. */
const OUTPUT_TAIL = 2_000;

export interface ServerProcessOptions {
  /** Built entry scripts of the server and of an engine process. */
  entries: { server: string; engine: string };
  config: ServerConfigInput;
  onStatus(status: ServerStatus): void;
  onState(state: ServerState): void;
  /** A switch asked for with `selectModel` did not work; `message` is a sentence for people. */
  onSelectFailed(model: string, message: string): void;
}

/** One run of the server. Engine numbers are the server's own, so each run has its own set of engines. */
interface Run {
  child: UtilityProcess;
  engines: EngineProcesses;
  /** What it printed last on standard error. */
  output: string;
  /** It said that it cannot start; its end is no crash. */
  failed: boolean;
}

/** The server's process: starts it, starts it again after a crash, forks its engines, ends all of them. */
export class ServerProcess {
  readonly #options: ServerProcessOptions;
  #run: Run | null = null;
  #status: ServerStatus = { kind: 'stopped' };
  /** Times of crashes since the person last started it, on the clock of performance.now(). */
  #crashes: number[] = [];
  #restart: NodeJS.Timeout | null = null;
  #stopping: Promise<void> | null = null;
  /** The app is about to end; nothing starts any more. */
  #closed = false;
  /** Where it serves; a new start asks for the same place, since programs and the window know it. */
  #port: number | null = null;

  constructor(options: ServerProcessOptions) {
    this.#options = options;
  }

  /** Process ids: the server's (null while it does not run) and its engines'. */
  pids(): { server: number | null; engines: number[] } {
    return { server: this.#run?.child.pid ?? null, engines: this.#run?.engines.pids() ?? [] };
  }

  /** Starts it, the first time, after it failed or after stop(), at the address it had. Else does nothing. */
  start(): void {
    const { kind } = this.#status;
    if (this.#closed || (kind !== 'stopped' && kind !== 'failed')) return;
    this.#crashes = [];
    this.#setStatus({ kind: 'starting' });
    if (!this.#run) {
      this.#fork();
      return;
    }
    // The one that could not start is still on its way out.
    this.#run.child.once('exit', () => {
      if (this.#status.kind === 'starting') this.#fork();
    });
    killNow(this.#run.child);
  }

  selectModel(model: string): void {
    this.#send({ type: 'select-model', model });
  }

  setServing(enabled: boolean): void {
    this.#send({ type: 'set-serving', enabled });
  }

  unloadModel(model: string): void {
    this.#send({ type: 'unload-model', model });
  }

  /** @param id Of ServerState.requests; null: every request that is under way. */
  cancelRequest(id: string | null): void {
    this.#send(id === null ? { type: 'cancel-all-requests' } : { type: 'cancel-request', id });
  }

  /**
   * Ends the server and every engine, by force where they take more than five seconds. Resolves when all are gone and
   * the port is free.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop().finally(() => {
      this.#stopping = null;
    });
    return this.#stopping;
  }

  /** Stops it for good. */
  close(): Promise<void> {
    this.#closed = true;
    return this.stop();
  }

  async #stop(): Promise<void> {
    if (this.#restart) clearTimeout(this.#restart);
    this.#restart = null;
    const run = this.#run;
    if (run) {
      this.#setStatus({ kind: 'stopping' });
      const ended = new Promise<void>((resolve) => run.child.once('exit', () => resolve()));
      run.child.postMessage({ type: 'shutdown' } satisfies MainToServer);
      const timer = new AbortController();
      const late = delay(SHUTDOWN_MS, true, { signal: timer.signal }).catch(() => false);
      if (await Promise.race([ended, late])) killNow(run.child);
      timer.abort();
      await ended;
      run.engines.killAll();
      await run.engines.ended();
    }
    this.#setStatus({ kind: 'stopped' });
  }

  /** By the system's settings: the window's own session uses no proxy at all. */
  async #resolveProxy(run: Run, id: number, url: string): Promise<void> {
    const entries = await app.resolveProxy(url).catch(() => 'DIRECT');
    if (this.#run !== run) return;
    run.child.postMessage({ type: 'proxy', id, entries } satisfies MainToServer);
  }

  #send(message: MainToServer): void {
    this.#run?.child.postMessage(message);
  }

  #fork(): void {
    const { entries, config } = this.#options;
    const child = utilityProcess.fork(entries.server, [], {
      serviceName: 'Pilotlight server',
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    const engines = new EngineProcesses(entries.engine, (engine, status) => {
      if (this.#run !== run) return;
      child.postMessage({ type: 'engine-exit', engine, ...status } satisfies MainToServer);
    });
    const run: Run = { child, engines, output: '', failed: false };
    this.#run = run;
    child.stderr?.on('data', (chunk: Buffer) => {
      process.stderr.write(chunk);
      run.output = (run.output + chunk.toString('utf8')).slice(-OUTPUT_TAIL);
    });
    child.on('message', (message: ServerToMain) => this.#receive(run, message));
    child.once('exit', (code) => this.#ended(run, code));
    const start: MainToServer = { type: 'start', config: { ...config, ...this.#place() } };
    child.postMessage(start);
  }

  /** The same place as before: programs and the window know it. */
  #place(): Pick<ServerConfigInput, 'port' | 'portBefore'> {
    const port = this.#port;
    if (port === null) return {};
    const isGiven = (this.#options.config.port ?? null) !== null;
    return isGiven ? { port } : { portBefore: port };
  }

  #receive(run: Run, message: ServerToMain): void {
    if (this.#stopping && message.type !== 'kill-engine') return;
    switch (message.type) {
      case 'ready':
      case 'moved':
        this.#port = Number(new URL(message.url).port);
        this.#setStatus({ kind: 'ready', url: message.url });
        break;
      case 'failed':
        run.failed = true;
        this.#setStatus({ kind: 'failed', sentence: message.message });
        break;
      case 'state':
        this.#options.onState(message.state);
        break;
      case 'select-failed':
        this.#options.onSelectFailed(message.model, message.message);
        break;
      case 'spawn-engine': {
        const answer: MainToServer = { type: 'engine-port', engine: message.engine };
        run.child.postMessage(answer, [run.engines.spawn(message.engine)]);
        break;
      }
      case 'resolve-proxy':
        void this.#resolveProxy(run, message.id, message.url);
        break;
      case 'kill-engine':
        run.engines.kill(message.engine);
        break;
    }
  }

  #ended(run: Run, code: number): void {
    this.#run = null;
    if (this.#stopping) return;
    run.engines.killAll();
    if (run.failed) return;
    const reason = describeExit(exitStatus(code));
    console.error(`The model server ended with ${reason}.`);
    this.#crashes.push(performance.now());
    const wait = restartDelay(this.#crashes);
    if (wait === null) {
      this.#giveUp(run, reason);
      return;
    }
    this.#setStatus({
      kind: 'restarting',
      sentence: `The model server stopped unexpectedly (${reason}) and is being started again.`,
    });
    this.#restart = setTimeout(() => {
      this.#restart = null;
      this.#fork();
    }, wait);
  }

  #giveUp(run: Run, reason: string): void {
    const printed = run.output.trim();
    const lastWords = printed === '' ? '' : `\n\nThe last it printed:\n${printed}`;
    this.#setStatus({
      kind: 'failed',
      sentence: `It stopped again and again, the last time with ${reason}.${lastWords}`,
    });
  }

  #setStatus(status: ServerStatus): void {
    this.#status = status;
    this.#options.onStatus(status);
  }
}
