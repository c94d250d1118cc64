import type {
  EngineCall,
  EngineCallFailure,
  EngineCallName,
  EngineCallResult,
  EngineCalls,
} from '../../protocol/engine-calls.js';
import type { ServerToEngine } from '../../protocol/engine-channel.js';
import { GenerationError } from '../generation/generation.js';

interface Pending {
  resolve(result: EngineCallResult): void;
  reject(error: GenerationError): void;
}

/** The calls that one engine process has not answered yet. */
export class PendingCalls {
  #send: (message: ServerToEngine) => void;
  #pending = new Map<number, Pending>();
  #lastId = 0;

  constructor(send: (message: ServerToEngine) => void) {
    this.#send = send;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Rejects with a GenerationError: the engine's, or `cancelled` at once when `signal` aborts. */
  call<Name extends EngineCallName>(
    name: Name,
    request: EngineCalls[Name]['request'],
    signal: AbortSignal,
  ): Promise<EngineCalls[Name]['result']> {
    if (signal.aborted) return Promise.reject(callCancelled());
    const id = ++this.#lastId;
    return new Promise<EngineCallResult>((resolve, reject) => {
      const cancel = () => {
        this.#pending.delete(id);
        this.#send({ type: 'cancel-call', id });
        reject(callCancelled());
      };
      const leave = () => signal.removeEventListener('abort', cancel);
      signal.addEventListener('abort', cancel, { once: true });
      this.#pending.set(id, {
        resolve: (result) => {
          leave();
          resolve(result);
        },
        reject: (error) => {
          leave();
          reject(error);
        },
      });
      this.#send({ type: 'call', id, call: { name, request } as EngineCall });
    });
  }

  /** Answers to calls that nobody waits for any more are dropped. */
  done(id: number, result: EngineCallResult): void {
    this.#take(id)?.resolve(result);
  }

  failed(id: number, { code, message, input }: EngineCallFailure): void {
    this.#take(id)?.reject(new GenerationError(code, message, null, input));
  }

  /** The process is gone. */
  rejectAll(error: GenerationError): void {
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(error);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }
}

export function callCancelled(): GenerationError {
  return new GenerationError('cancelled', 'The request was cancelled.');
}
