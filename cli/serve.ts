/** `pilotlight serve`: starts the server in this process and stops it on SIGINT, SIGTERM or a closed terminal. */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { serverConfigSchema } from '../protocol/config.js';
import type { KvType, OnOffAuto, Speculation } from '../protocol/engine-load.js';
import type { ServerState } from '../protocol/models.js';
import { spawnChildProcess } from '../server/engine/spawn.js';
import { defaultDataDir, modelsDirOf, programDir } from '../server/paths.js';
import { ListenError } from '../server/port.js';
import { type RunningServer, startServer } from '../server/server.js';
import { StartError } from '../server/start-options.js';

export interface ServeOptions {
  host?: string;
  port?: number;
  models?: string;
  model?: string;
  data?: string;
  ctx: number;
  parallel: number;
  threads: number;
  gpuLayers?: number;
  cacheTypeK: KvType;
  cacheTypeV: KvType;
  flashAttn: OnOffAuto;
  kvUnified: OnOffAuto;
  targetItl: number;
  ledgerDays: number;
  draftModel?: string;
  speculation?: Speculation;
  rpc?: string[];
  apiKey?: string[];
  allowHost?: string[];
  allowOrigin?: string[];
}

/** Runs until it is told to stop; resolves when the server answers. Ends the process with 1 where it cannot start. */
export async function serve(options: ServeOptions): Promise<void> {
  let server: RunningServer;
  try {
    server = await start(options);
  } catch (error) {
    if (!(error instanceof StartError || error instanceof ListenError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
    return;
  }
  // Whoever read the first line may have closed the pipe; the server goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  stopOnSignal(server);
  tellNotices(server);
  const { models_dir } = server.state.now();
  const ready = `Pilotlight is ready at ${server.url} (API under /v1, models in ${models_dir})`;
  const others = server.urls.slice(1);
  // In one write: who reads the first line finds the other.
  console.log(others.length === 0 ? ready : `${ready}\nIt is also at ${others.join(', ')}`);
}

async function start(options: ServeOptions): Promise<RunningServer> {
  const program = programDir();
  const engine = path.join(program, 'out', 'server', 'engine.js');
  if (!existsSync(engine)) {
    throw new StartError('The engine is not built yet: run "npm start" once, which builds it.');
  }
  const dataDir = path.resolve(options.data ?? defaultDataDir());
  const modelsDir = options.models ? path.resolve(options.models) : modelsDirOf(dataDir);
  await refuseFile('--data', dataDir);
  await refuseFile('--models', modelsDir);
  if (options.models && !existsSync(modelsDir)) {
    throw new StartError(`--models: there is no folder ${modelsDir}.`);
  }
  await checkSpeculation(options);
  if (options.flashAttn === 'off' && isQuantised(options.cacheTypeV)) {
    throw new StartError(
      `--cache-type-v ${options.cacheTypeV} needs flash attention: leave out --flash-attn off.`,
    );
  }
  const rendererDir = path.join(program, 'out', 'renderer');
  const config = serverConfigSchema.parse({
    host: options.host ?? null,
    port: options.port ?? null,
    modelsDir,
    isModelsDirGiven: options.models !== undefined,
    builtInModelsDir: path.join(program, 'resources'),
    backendsDir: path.join(program, 'out', 'native'),
    model: options.model ?? null,
    dataDir,
    // A folder of somebody's own choice holds all that belongs to it, and can be moved.
    keychain: options.data === undefined,
    foreignModels: options.data === undefined,
    homeDir: os.homedir(),
    rendererDir: existsSync(rendererDir) ? rendererDir : null,
    contextLength: options.ctx,
    parallel: options.parallel,
    threads: options.threads,
    gpuLayers: options.gpuLayers ?? null,
    kvTypeK: options.cacheTypeK,
    kvTypeV: options.cacheTypeV,
    flashAttention: options.flashAttn,
    unifiedKv: options.kvUnified,
    targetItlMs: options.targetItl,
    ledgerDays: options.ledgerDays,
    draftModel: options.draftModel ?? null,
    speculation: options.speculation ?? null,
    rpcHosts: options.rpc ?? [],
    apiKeys: options.apiKey ?? [],
    allowedHosts: options.allowHost ?? [],
    allowedOrigins: options.allowOrigin ?? [],
  });
  return startServer(config, spawnChildProcess(engine));
}

async function checkSpeculation({ draftModel, speculation }: ServeOptions): Promise<void> {
  if (speculation === 'draft' && !draftModel) {
    throw new StartError(
      '--speculation draft needs a model to guess with: add --draft-model FILE.',
    );
  }
  if (!draftModel) return;
  const found = await stat(draftModel).catch(() => null);
  if (!found?.isFile()) throw new StartError(`--draft-model: there is no file ${draftModel}.`);
}

const isQuantised = (type: KvType) => !['f32', 'f16', 'bf16'].includes(type);

async function refuseFile(option: string, folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found && !found.isDirectory())
    throw new StartError(`${option} must be a folder; ${folder} is a file.`);
}

/** Notices go to standard error as they come up, each once; so does the lack of a model. */
function tellNotices({ state }: RunningServer): void {
  const told = new Set<string>();
  const tell = (now: ServerState) => {
    const own = [...switchNotice(now), ...noModelNotice(now), ...failureNotice(now)];
    for (const notice of [...now.notices, ...own]) {
      if (told.has(notice)) continue;
      told.add(notice);
      console.error(notice);
    }
  };
  tell(state.now());
  state.subscribe(tell);
}

/** Whoever starts a server expects it to answer. */
function switchNotice({ serving }: ServerState): string[] {
  if (serving) return [];
  return [
    'The settings switch the API off: programs are refused until it is switched on, on the developer page of the window.',
  ];
}

/** The current model was expected to answer. */
function failureNotice({ models, current_model }: ServerState): string[] {
  const current = models.find(({ id }) => id === current_model);
  if (current?.status !== 'failed' && current?.status !== 'crashed') return [];
  return [`${current.name}: ${current.reason}`];
}

function noModelNotice({ models, models_dir }: ServerState): string[] {
  if (models.some(({ status }) => status !== 'invalid')) return [];
  return [`There is no model yet: put a GGUF file into ${models_dir}.`];
}

function stopOnSignal(server: RunningServer): void {
  let stopping = false;
  const stop = () => {
    // Someone who asks again does not want to wait.
    if (stopping) process.exit(1);
    stopping = true;
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
}
