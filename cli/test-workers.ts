/** Real RPC workers as processes of their own, and engines that use them, for tests. */
import { afterEach, beforeAll } from 'vitest';
import type { LoadOptions } from '../protocol/engine-load.js';
import { ensureTestModels } from '../scripts/test-models/test-models.js';
import { Engine } from '../server/engine/engine.js';
import { spawnChildProcess } from '../server/engine/spawn.js';
import { ENGINE_ENTRY, LOAD } from '../server/engine/test-pool.js';
import { type Run, requireProgram, runProgram } from './test-program.js';

/** Main memory in which the test model "slow" does not fit: its weights are 12 MB. */
export const TOO_LITTLE = 14_000_000;

type TestModels = Awaited<ReturnType<typeof ensureTestModels>>;

export interface TestWorker {
  /** "127.0.0.1:port" */
  host: string;
  run: Run;
}

/** What they have is ended after each test. */
export function testWorkers() {
  const runs: Run[] = [];
  const engines: Engine[] = [];
  let models: TestModels;

  beforeAll(async () => {
    requireProgram();
    models = await ensureTestModels('out/test-models');
  });
  afterEach(async () => {
    for (const engine of engines.splice(0)) engine.kill();
    for (const { child } of runs.splice(0)) child.kill('SIGKILL');
  });

  return {
    async worker(...args: string[]): Promise<TestWorker> {
      const run = runProgram(['rpc-worker', '--port', '0', '--threads', '1', ...args]);
      runs.push(run);
      return { host: await run.ready, run };
    },
    /** An engine that loads a test model. */
    engine(id: keyof TestModels, hosts: string[], options: Partial<LoadOptions> = {}): Engine {
      const engine = new Engine(
        spawnChildProcess(ENGINE_ENTRY),
        {
          ...LOAD,
          ...{ path: models[id], parallel: 2, contextLength: 256, memoryBytes: 4e9, queueMax: 8 },
          prefixStoreBytes: 0,
          projectorPath: '',
          ...options,
        },
        () => {},
        [],
        hosts,
      );
      engines.push(engine);
      return engine;
    },
  };
}
