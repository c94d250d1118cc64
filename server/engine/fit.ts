/**
 * Whether a model fits this machine: what its load would take, asked of an engine process without a model, which may be
 * lost over a bad file. Nothing is loaded.
 */
import { formatBytes } from '../../protocol/bytes.js';
import type { LoadOptions, MemoryEstimate } from '../../protocol/engine-load.js';
import type { Fit } from '../../protocol/fit.js';
import { GenerationError } from '../generation/generation.js';
import { exitReason } from './engine.js';
import { ExpendableProcess } from './expendable.js';
import type { SpawnEngine } from './spawn.js';

/** An estimate takes a second at most; the start of a GPU's driver takes longer on a slow machine. Milliseconds. */
const PATIENCE = 60_000;

/** How long an RPC worker that is not there is not asked again, milliseconds. */
const PASSED_OVER_MS = 60_000;

/** What the person asked for; null: nothing, so less of it is no shortage. */
export interface FitWish {
  /** Tokens of each request. */
  contextLength: number | null;
  /** Requests at the same time. */
  parallel: number | null;
}

export interface FitEstimatorOptions {
  spawn: SpawnEngine;
  /** Files of the backend modules that engines load; never rejects. */
  backends: () => Promise<string[]>;
  /** "host:port" of RPC workers for models that are too big for this machine; none where it is left out. */
  rpcHosts?: () => string[];
}

export class FitEstimator {
  readonly #options: FitEstimatorOptions;
  /** One estimate at a time: each may take much memory for a moment, and they share a process. */
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #process: ExpendableProcess | null = null;
  /** RPC hosts that could not be used, with the milliseconds until which they are not asked again. */
  readonly #passedOver = new Map<string, number>();

  constructor(options: FitEstimatorOptions) {
    this.#options = options;
  }

  /**
   * @param options As the load would have them; `memoryBytes` is what the model may take of main memory.
   * @throws GenerationError with the code of a load where the file cannot be loaded at all; `cancelled` when `signal`
   * aborts before its turn.
   */
  estimate(options: LoadOptions, wish: FitWish, signal: AbortSignal | null = null): Promise<Fit> {
    this.#waiting++;
    const result = this.#last
      .then(() => {
        if (signal?.aborted) {
          throw new GenerationError('cancelled', 'The estimate was cancelled.');
        }
        return this.#ask(options);
      })
      .finally(() => {
        this.#waiting--;
        if (this.#waiting === 0) this.#end();
      });
    this.#last = result.catch(() => {});
    return result.then((estimate) => toFit(estimate, options, wish));
  }

  async #ask(options: LoadOptions): Promise<MemoryEstimate> {
    const backends = await this.#options.backends();
    this.#process ??= new ExpendableProcess(this.#options.spawn, PATIENCE);
    const rpcHosts = this.#rpcHosts();
    const answer = await this.#process.ask({ type: 'estimate', options, backends, rpcHosts });
    switch (answer.type) {
      case 'estimated':
        for (const { host } of answer.problems) {
          this.#passedOver.set(host, performance.now() + PASSED_OVER_MS);
        }
        if (answer.workers.length > 0) this.#end();
        return answer.estimate;
      case 'load-failed':
        throw new GenerationError(answer.code, answer.message);
      case 'exit':
        this.#end();
        throw new GenerationError('engine_crashed', exitReason(answer.exit));
      default:
        this.#end();
        throw new GenerationError(
          'load_failed',
          `The engine did not say within ${PATIENCE / 1000} seconds what the model takes.`,
        );
    }
  }

  /** Without those that were not there a moment ago: each costs seconds, and a list asks for many estimates. */
  #rpcHosts(): string[] {
    const now = performance.now();
    const hosts = this.#options.rpcHosts?.() ?? [];
    return hosts.filter((host) => (this.#passedOver.get(host) ?? 0) <= now);
  }

  #end(): void {
    this.#process?.end();
    this.#process = null;
  }
}

/** Pure. */
export function toFit(estimate: MemoryEstimate, options: LoadOptions, wish: FitWish): Fit {
  const { memory, contextLength, parallel } = estimate;
  const [main, ...devices] = memory;
  const gpus = devices.filter(({ isRemote }) => !isRemote);
  const workers = devices.filter(({ isRemote }) => isRemote);
  const sum = (part: (typeof memory)[number] | undefined) =>
    part === undefined ? 0 : part.weightsBytes + part.kvBytes + part.computeBytes;
  const onGpus = gpus.reduce((total, gpu) => total + sum(gpu), 0);
  const elsewhere = workers.reduce((total, worker) => total + sum(worker), 0);
  const total = onGpus + elsewhere + sum(main);
  // -1 also where there is no GPU on which all could be
  const layers = gpus.length === 0 ? 0 : estimate.gpuLayers;
  const shortages = estimate.fits
    ? [
        elsewhere > 0
          ? `${formatBytes(elsewhere)} of it lie on ${workers.map(({ name }) => name).join(', ')}, which makes it slower`
          : null,
        workers.length === 0 && estimate.gpuLayers >= 0 && estimate.gpuLayers !== options.gpuLayers
          ? layers === 0
            ? 'all of it stays on the processor, because the GPU has too little memory'
            : `${layers} of its layers go to the GPU, the others stay on the processor`
          : null,
        wish.contextLength !== null && contextLength < wish.contextLength
          ? `its context is ${tokens(contextLength)}, not ${tokens(wish.contextLength)}`
          : null,
        wish.parallel !== null && parallel < wish.parallel
          ? `it answers ${requests(parallel)} at the same time, not ${requests(wish.parallel)}`
          : null,
      ].filter((text) => text !== null)
    : [];
  const verdict = !estimate.fits ? 'too_big' : shortages.length > 0 ? 'partly' : 'fits';
  return {
    verdict,
    reason: estimate.reason ?? fitReason(total, shortages, estimate),
    weights_bytes: memory.reduce((bytes, { weightsBytes }) => bytes + weightsBytes, 0),
    kv_bytes: memory.reduce((bytes, { kvBytes }) => bytes + kvBytes, 0),
    compute_bytes: memory.reduce((bytes, { computeBytes }) => bytes + computeBytes, 0),
    total_bytes: total,
    free_bytes: estimate.freeBytes,
    context_length: contextLength,
    parallel,
    gpu_layers: layers,
    gpu_bytes: onGpus,
  };
}

function fitReason(
  total: number,
  shortages: readonly string[],
  { contextLength, parallel }: MemoryEstimate,
): string {
  const takes = `It takes ${formatBytes(total)} with a context of ${tokens(contextLength)}`;
  return shortages.length === 0
    ? `${takes} for each of ${requests(parallel)} at the same time.`
    : `${takes}; ${shortages.join('; ')}.`;
}

function tokens(count: number): string {
  return `${count.toLocaleString('en-US')} tokens`;
}

function requests(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`;
}
