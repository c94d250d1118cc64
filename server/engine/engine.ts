import type { EngineEvent } from '../../protocol/engine.js';
import type { EngineCallName, EngineCalls } from '../../protocol/engine-calls.js';
import type { EngineToServer, RpcPeer, RpcProblem } from '../../protocol/engine-channel.js';
import type { LoadErrorCode, LoadOptions, ModelInfo } from '../../protocol/engine-load.js';
import { unpackEvents } from '../../protocol/packed-events.js';
import { GenerationError, type GenerationInput } from '../generation/generation.js';
import type { GenerationStream } from '../generation/stream.js';
import { lossOf, lossReason } from '../rpc/loss.js';
import { PendingCalls } from './pending-calls.js';
import type { EngineExit, EngineProcess, SpawnEngine } from './spawn.js';

/** How long an engine may take to end its streams and free its model before it is killed, milliseconds. */
const UNLOAD_PATIENCE = 5000;

/** How long an engine may take to give up a load before it is killed, milliseconds. */
const CANCEL_PATIENCE = 2000;

/** Says how an engine process ended, for people. */
export function exitReason({ code, signal, stderr }: EngineExit): string {
  const assertion = stderr.split('\n').findLast((line) => line.includes('GGML_ASSERT'));
  if (assertion)
    return `The engine stopped on an internal error (${assertion.trim().slice(0, 200)}).`;
  // the weights are mapped from the file: reading what is not there any more raises this
  if (signal === 'SIGBUS')
    return "The engine process ended because the model's file became shorter, or its disk failed.";
  if (signal === 'SIGKILL')
    return 'The engine process was killed, by someone or for lack of memory.';
  if (signal) return `The engine process ended with ${signal}.`;
  return `The engine process ended with code ${code ?? 'unknown'}.`;
}

/** The server's handle of one engine process: one loaded model, and the generations and calls that run on it. */
export class Engine {
  readonly loaded: Promise<ModelInfo>;
  /** Settles when the process is gone, whatever the reason. */
  readonly gone: Promise<EngineExit>;

  #process: EngineProcess;
  /** By sequence: each choice of a generation is one. */
  #streams = new Map<number, { stream: GenerationStream; choice: number }>();
  #calls = new PendingCalls((message) => this.#process.send(message));
  #lastSeq = 0;
  #exit: EngineExit | null = null;
  #unloading = false;
  #cancelTimer: NodeJS.Timeout | null = null;
  /** The load has come to its end. Progress comes from another thread of the engine and may arrive later. */
  #settled = false;
  #rpc: { workers: RpcPeer[]; problems: RpcProblem[] } = { workers: [], problems: [] };
  /** Which RPC worker its process was lost with. */
  #loss: string | null = null;
  #onIdle: () => void = () => {};
  #resolveLoaded!: (info: ModelInfo) => void;
  #rejectLoaded!: (error: GenerationError) => void;
  #onProgress: (fraction: number) => void;

  constructor(
    spawn: SpawnEngine,
    options: LoadOptions,
    /** 0..1 while the model loads. */
    onProgress: (fraction: number) => void,
    /** Files of the backend modules it computes with. */
    backends: string[] = [],
    /** "host:port" of RPC workers that may hold layers, see LoadOptions.rpc. */
    rpcHosts: string[] = [],
  ) {
    this.#onProgress = onProgress;
    this.#process = spawn();
    this.loaded = new Promise((resolve, reject) => {
      this.#resolveLoaded = resolve;
      this.#rejectLoaded = reject;
    });
    this.loaded.catch(() => {});
    this.gone = new Promise((resolve) => {
      this.#process.onExit(async (exit) => {
        const { workers } = this.#rpc;
        if (workers.length > 0) this.#loss ??= await lossReason(exit, workers);
        this.#ended(exit);
        resolve(exit);
      });
    });
    this.#process.onMessage((message) => this.#receive(message));
    this.#process.send({ type: 'load', options, backends, rpcHosts });
  }

  /** Sentences for people about RPC workers that it was to use and cannot. */
  get rpcProblems(): readonly string[] {
    return this.#rpc.problems.map(({ reason }) => reason);
  }

  /** Says how its process ended, for people. */
  endReason(exit: EngineExit): string {
    return this.#loss ?? exitReason(exit);
  }

  /** It ended although nobody asked it to. */
  get crashed(): boolean {
    return this.#exit !== null && !this.#unloading;
  }

  /** Runs a request and writes what comes of it into `stream`. Aborting `signal` cancels it within one decode step. */
  run(input: GenerationInput, signal: AbortSignal, stream: GenerationStream): void {
    if (this.#exit) {
      this.#cut(stream, this.#exit);
      return;
    }
    const { choices, ...request } = input;
    const seqs = Array.from({ length: choices }, () => ++this.#lastSeq);
    const [seq = 0, ...forks] = seqs;
    const tell = (type: 'cancel' | 'pause' | 'resume') => {
      for (const each of seqs) this.#process.send({ type, seq: each });
    };
    const cancel = () => tell('cancel');
    const onEnd = stream.onEnd;
    stream.onEnd = (answered) => {
      signal.removeEventListener('abort', cancel);
      for (const each of seqs) this.#streams.delete(each);
      // one choice failed: the others have no reader any more
      if (!answered && choices > 1) cancel();
      onEnd(answered);
      this.#tellWhenIdle();
    };
    stream.onPressure = (paused) => tell(paused ? 'pause' : 'resume');
    for (const [choice, each] of seqs.entries()) this.#streams.set(each, { stream, choice });
    this.#process.send({ type: 'submit', request: { ...request, seq, forks } });
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  }

  /**
   * Asks the loaded model something that has one answer. Rejects with a GenerationError; `engine_crashed` where the
   * process ends before, `cancelled` at once when `signal` aborts.
   */
  async call<Name extends EngineCallName>(
    name: Name,
    request: EngineCalls[Name]['request'],
    signal: AbortSignal,
  ): Promise<EngineCalls[Name]['result']> {
    if (this.#exit) throw this.#endError(this.#exit);
    try {
      return await this.#calls.call(name, request, signal);
    } finally {
      this.#tellWhenIdle();
    }
  }

  /** Lets its streams and calls come to their end, then frees the model. New ones must go elsewhere. */
  async drain(): Promise<void> {
    if (!this.#isIdle) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    await this.unload();
  }

  /** Ends its streams and calls with an error and frees the model; resolves when the process is gone. */
  async unload(): Promise<void> {
    if (this.#exit) return;
    this.#unloading = true;
    this.#process.send({ type: 'unload' });
    const timer = setTimeout(() => this.#process.kill(), UNLOAD_PATIENCE);
    await this.gone;
    clearTimeout(timer);
  }

  /**
   * Gives up a load that is under way: `loaded` rejects with `cancelled` and the process ends. Without effect once the
   * load has ended. llama.cpp looks for it between two tensors; a load that hangs, as on a slow disk, is killed.
   */
  cancelLoad(): void {
    if (this.#settled || this.#exit) return;
    this.#process.send({ type: 'cancel-load' });
    this.#cancelTimer ??= setTimeout(() => this.kill(), CANCEL_PATIENCE);
  }

  /** Ends the process at once. */
  kill(): void {
    this.#unloading = true;
    this.#process.kill();
  }

  #receive(message: EngineToServer): void {
    switch (message.type) {
      case 'load-progress':
        if (!this.#settled) this.#onProgress(message.fraction);
        break;
      case 'loaded':
        this.#settleLoad();
        this.#resolveLoaded(message.info);
        break;
      case 'load-failed':
        this.#failLoad(message.code, message.message);
        break;
      case 'events':
        this.#deliver(unpackEvents(message.events));
        break;
      case 'call-done':
        this.#calls.done(message.id, message.result);
        break;
      case 'call-failed':
        this.#calls.failed(message.id, message);
        break;
      case 'rpc':
        this.#rpc = message;
        break;
      case 'rpc-lost':
        this.#loss = lossOf([message.host]);
        break;
      case 'rpc-devices':
      case 'rpc-refused':
        // of processes that work for other machines
        break;
      case 'estimated':
      case 'probed':
      case 'probe-failed':
      case 'scored':
        // answers to questions that are asked of processes without a model
        break;
    }
  }

  #settleLoad(): void {
    this.#settled = true;
    if (this.#cancelTimer) clearTimeout(this.#cancelTimer);
  }

  #failLoad(code: LoadErrorCode, message: string): void {
    this.#settleLoad();
    this.#unloading = true;
    this.#rejectLoaded(new GenerationError(code, message));
    this.#process.send({ type: 'unload' });
  }

  /** One step's events go to each stream as one batch. */
  #deliver(events: EngineEvent[]): void {
    const batches = new Map<GenerationStream, EngineEvent[]>();
    for (const event of events) {
      const target = this.#streams.get(event.seq);
      if (!target) continue;
      event.seq = target.choice;
      const batch = batches.get(target.stream);
      if (batch) batch.push(event);
      else batches.set(target.stream, [event]);
    }
    for (const [stream, batch] of batches) stream.push(batch);
  }

  #ended(exit: EngineExit): void {
    this.#exit = exit;
    this.#settleLoad();
    const reason = this.#unloading ? 'The model was unloaded.' : this.endReason(exit);
    this.#rejectLoaded(
      new GenerationError(this.#unloading ? 'cancelled' : 'engine_crashed', reason),
    );
    for (const { stream } of [...this.#streams.values()]) this.#cut(stream, exit);
    this.#calls.rejectAll(this.#endError(exit));
  }

  #cut(stream: GenerationStream, exit: EngineExit): void {
    if (this.#unloading) stream.cut('shutting_down', 'The model is being unloaded.');
    else stream.cut('engine_crashed', this.endReason(exit));
  }

  #endError(exit: EngineExit): GenerationError {
    return this.#unloading
      ? new GenerationError('shutting_down', 'The model is being unloaded.')
      : new GenerationError('engine_crashed', this.endReason(exit));
  }

  get #isIdle(): boolean {
    return this.#streams.size === 0 && this.#calls.size === 0;
  }

  #tellWhenIdle(): void {
    if (this.#isIdle) this.#onIdle();
  }
}
