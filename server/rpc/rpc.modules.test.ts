// RPC with the engine whose backends are modules: the worker's processor and the engine's are modules of their own.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { ensureTestModels } from '../../scripts/test-models/test-models.js';
import { Backends } from '../backends/backends.js';
import { Engine } from '../engine/engine.js';
import { spawnChildProcess } from '../engine/spawn.js';
import { ENGINE_ENTRY, LOAD } from '../engine/test-pool.js';
import { RpcWorker } from './worker.js';

const MODULES = process.env.PILOTLIGHT_MODULES_DIR ?? '';

test('a model lies on a worker whose processor is a module', async () => {
  const { scripted } = await ensureTestModels('out/test-models');
  vi.stubEnv('PILOTLIGHT_ADDON', path.join(MODULES, 'engine.node'));
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-rpc-'));
  const spawn = spawnChildProcess(ENGINE_ENTRY);
  const log = pino({ enabled: false });
  const backends = new Backends({ folder: MODULES, dataDir, spawn, onChange: () => {}, log });
  const files = await backends.choose();
  const worker = await RpcWorker.start({
    ...{ spawn, backends: files, host: '127.0.0.1', port: 0, devices: ['cpu'], threads: 1 },
    ...{ memoryBytes: null, cacheDir: null, tell: () => {} },
  });
  const options = {
    path: scripted,
    memoryBytes: 0,
    queueMax: 8,
    prefixStoreBytes: 0,
    projectorPath: '',
  };
  const engine = new Engine(spawn, { ...LOAD, ...options, rpc: 'on' }, () => {}, files, [
    worker.endpoint,
  ]);
  const { devices } = await engine.loaded;
  expect(devices).toContain(`RPC ${worker.endpoint}`);
  await engine.unload();
  await worker.close();
  await rm(dataDir, { recursive: true });
  vi.unstubAllEnvs();
});
