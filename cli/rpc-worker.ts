/** `pilotlight rpc-worker`: devices of this machine for models that run on another one. */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { formatBytes } from '../protocol/bytes.js';
import { Backends } from '../server/backends/backends.js';
import { spawnChildProcess } from '../server/engine/spawn.js';
import { defaultDataDir, programDir } from '../server/paths.js';
import { RpcWorker, RpcWorkerError } from '../server/rpc/worker.js';

export interface RpcWorkerCliOptions {
  host: string;
  port: number;
  memory?: number;
  device?: string[];
  threads: number;
  cache?: boolean;
  data?: string;
}

const WARNING =
  'Whoever reaches this port can compute here, crash the process that does, and read and change what is computed: RPC has no authentication and no encryption. Use it in a network of your own only.';

/** Runs until it is told to stop; resolves when it listens. Ends the process with 1 where it cannot start. */
export async function rpcWorker(options: RpcWorkerCliOptions): Promise<void> {
  let worker: RpcWorker;
  try {
    worker = await start(options);
  } catch (error) {
    if (!(error instanceof RpcWorkerError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
    return;
  }
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void worker.close().then(() => process.exit(0)));
  }
  const devices = worker.devices.map(
    ({ name, description, offeredBytes }) =>
      `  ${name}: ${description}, ${formatBytes(offeredBytes)}`,
  );
  console.error(WARNING);
  console.log(
    [
      `RPC worker is ready at ${worker.endpoint} (protocol ${worker.version}), with`,
      ...devices,
    ].join('\n'),
  );
}

async function start(options: RpcWorkerCliOptions): Promise<RpcWorker> {
  const native = path.join(programDir(), 'out', 'native');
  const engine = path.join(programDir(), 'out', 'server', 'engine.js');
  if (!existsSync(engine)) {
    throw new RpcWorkerError('The engine is not built yet: run "npm start" once, which builds it.');
  }
  const dataDir = path.resolve(options.data ?? defaultDataDir());
  const spawn = spawnChildProcess(engine);
  const log = pino({ enabled: false });
  const backends = new Backends({ folder: native, dataDir, spawn, onChange: () => {}, log });
  return RpcWorker.start({
    ...{ spawn, host: options.host, port: options.port, threads: options.threads },
    backends: await backends.choose(),
    devices: options.device ?? null,
    memoryBytes: options.memory ?? null,
    cacheDir: options.cache ? makeCache(dataDir) : null,
    tell: (sentence) => console.log(sentence),
  });
}

/** @throws RpcWorkerError */
function makeCache(dataDir: string): string {
  const folder = path.join(dataDir, 'rpc-cache');
  try {
    mkdirSync(folder, { recursive: true });
    return folder;
  } catch (error) {
    throw new RpcWorkerError(`The cache folder cannot be made: ${(error as Error).message}.`);
  }
}
