/** Pools of real engine processes over the generated test models, for tests. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll } from 'vitest';
import { ensureTestModels } from '../../scripts/test-models/test-models.js';
import type { LibraryModel } from '../library/model.js';
import { testModel } from '../library/test-model.js';
import { EnginePool, type EnginePoolOptions } from './pool.js';
import type { LoadSettings, ModelRules, PoolLimits } from './rules.js';
import { type EngineProcess, spawnChildProcess } from './spawn.js';

/** Built entry of the engine process. */
export const ENGINE_ENTRY = path.resolve('out/server/engine.js');

export const LOAD: LoadSettings = {
  contextLength: 2048,
  parallel: 4,
  threads: 1,
  gpuLayers: -1,
  kvTypeK: 'f16',
  kvTypeV: 'f16',
  flashAttention: 'auto',
  unifiedKv: 'auto',
  targetItlMs: 0,
  rpc: 'auto',
  draftModelPath: '',
  speculation: 'off',
};

const NO_LIMITS: PoolLimits = { budgetBytes: null, waitMs: 300_000 };

type TestModels = Awaited<ReturnType<typeof ensureTestModels>>;

interface Trial {
  pool: EnginePool;
  processes: EngineProcess[];
  /** Resolves when the predicate holds; looked at on each change of the pool. */
  until(predicate: () => boolean): Promise<void>;
}

interface TrialOptions extends Pick<EnginePoolOptions, 'clock' | 'turnMs' | 'measure'> {
  /** Stands between the pool and its engine processes. */
  wrap?: (engine: EngineProcess) => EngineProcess;
  /** May be changed while the pool runs: see EnginePool.settingsChanged. */
  limits?: PoolLimits;
  rules?: (id: string) => Partial<ModelRules>;
}

interface TestPools {
  start(
    load?: Partial<LoadSettings>,
    memory?: (pool: EnginePool) => number,
    options?: TrialOptions,
  ): Trial;
  /** A test model as the library would give it. */
  model(id: keyof TestModels): LibraryModel;
}

/** Starts pools for the tests of one file; each is closed after its test. */
export function testPools(): TestPools {
  const pools: EnginePool[] = [];
  let models: TestModels;

  beforeAll(async () => {
    if (!existsSync(ENGINE_ENTRY))
      throw new Error(`${ENGINE_ENTRY} is missing: run "npm run setup" first.`);
    models = await ensureTestModels('out/test-models');
  });
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.close()));
  });

  return {
    start(load = {}, memory, options = {}) {
      const {
        limits = NO_LIMITS,
        rules = () => ({}),
        wrap = (engine) => engine,
        ...rest
      } = options;
      const processes: EngineProcess[] = [];
      const spawn = spawnChildProcess(ENGINE_ENTRY);
      const looks = new Set<() => void>();
      const pool: EnginePool = new EnginePool({
        spawn: () => {
          const child = wrap(spawn());
          processes.push(child);
          return child;
        },
        ...(memory ? { memory: () => memory(pool) } : {}),
        rules: ({ id }) => ({
          ...{ load: { ...LOAD, ...load }, ttl: null, isPinned: false },
          ...rules(id),
        }),
        limits: () => limits,
        ...rest,
        backends: async () => [],
        onChange: () => {
          for (const look of [...looks]) look();
        },
        log: { info: () => {}, warn: () => {} } as never,
      });
      pools.push(pool);
      const until = (predicate: () => boolean) =>
        new Promise<void>((resolve) => {
          const look = () => {
            if (!predicate()) return;
            looks.delete(look);
            resolve();
          };
          looks.add(look);
          look();
        });
      return { pool, processes, until };
    },
    model: (id) => ({
      ...testModel(id),
      path: models[id],
      files: [models[id]],
      sizeBytes: 1_000_000,
    }),
  };
}
