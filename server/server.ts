/** The whole server, as one thing to start and stop. Used by the command line in its own process, and by main.ts. */
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import type http from 'node:http';
import path from 'node:path';
import type { Logger } from 'pino';
import type { ServerConfig } from '../protocol/config.js';
import type { ServerState } from '../protocol/models.js';
import { createApp } from './app.js';
import { Backends } from './backends/backends.js';
import { CurrentModel, notGenerative } from './current-model.js';
import { Downloads } from './downloads/downloads.js';
import { FitEstimator } from './engine/fit.js';
import { measureWith } from './engine/measure.js';
import { EnginePool } from './engine/pool.js';
import type { SpawnEngine } from './engine/spawn.js';
import { Exchanges } from './exchange/exchanges.js';
import { addressesOf } from './http/addresses.js';
import { ANY_ORIGIN } from './http/cors.js';
import { isLoopback } from './http/guard.js';
import { HubAccounts } from './hub/account.js';
import { repoDetails } from './hub/details.js';
import { HubFits } from './hub/fits.js';
import { openHub } from './hub/hub.js';
import { HubModels } from './hub/models.js';
import type { Network, ResolveProxy } from './hub/network.js';
import { Inspector } from './inspector/inspector.js';
import { Ledger } from './ledger/ledger.js';
import { ModelFiles } from './ledger/model-files.js';
import { ledgerRetention } from './ledger/retention.js';
import { findSigningKey } from './ledger/signing-key.js';
import { placesOf, settingDefaults } from './library/chosen-places.js';
import { Library } from './library/library.js';
import type { LibraryModel } from './library/model.js';
import { openLog } from './log.js';
import { Metrics } from './metrics/metrics.js';
import { modelEntries } from './model-entry.js';
import { ModelRuleBook } from './model-rules.js';
import { defaultDataDir, programVersion } from './paths.js';
import { type Listening, listen } from './port.js';
import { StateFeed } from './state.js';
import { ApiKeys } from './store/api-keys.js';
import { Database } from './store/database.js';
import { Keychain } from './store/keychain.js';
import { ResponseStore } from './store/responses.js';
import { SecretStore } from './store/secrets.js';
import { Settings } from './store/settings.js';
import { Upstreams } from './upstreams/upstreams.js';
import { addUsage } from './usage/usage-table.js';

/** Why the server cannot start; the message is a sentence for people. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Milliseconds that running answers get to end with a word, before their connections are closed. */
const GRACE_MS = 2_000;

/** How often idle connections are looked for while the server stops, in milliseconds. */
const IDLE_CHECK_MS = 20;

export interface RunningServer {
  /** Such as "http://127.0.0.1:7411"; the first of `urls`. */
  readonly url: string;
  /** Where it is reached: several where it serves every address of this machine. */
  readonly urls: readonly string[];
  readonly state: StateFeed;
  /**
   * Makes a model the current one; resolves when it is loaded.
   * @throws ApiError or GenerationError, whose message is a sentence for people.
   */
  selectModel(id: string): Promise<void>;
  /** Resolves once it has left memory, or at once where it is not loaded or unknown; see EnginePool.release. */
  unloadModel(id: string): Promise<void>;
  /** By its `x-request-id`; one that is over is passed over. */
  cancelRequest(id: string): void;
  cancelAllRequests(): void;
  /** Ends streams and engines, frees the port. Resolves when all is gone; further calls wait for the same. */
  close(): Promise<void>;
}

/**
 * Resolves when requests are answered; the current model then loads in the background.
 * @param resolveProxy The system's proxies; null: only the environment names them.
 * @throws StartError, ListenError
 */
export async function startServer(
  config: ServerConfig,
  spawn: SpawnEngine,
  resolveProxy: ResolveProxy | null = null,
): Promise<RunningServer> {
  // Parts may find something to tell while they are made; the first state has it.
  let feed: StateFeed | null = null;
  const touch = () => feed?.touch();
  const keys = openKeys(config, touch);
  const log = openLog(config.dataDir);
  const version = programVersion();
  const keychain = config.keychain ? new Keychain(spawn) : null;
  const secrets = new SecretStore(config.dataDir, keychain);
  const [settings, signing] = await Promise.all([
    Settings.open(config.dataDir, settingDefaults(config)),
    findSigningKey(config.dataDir, keychain),
  ]);
  const modelFile = await fileOf(config.model);
  const library = await Library.open({
    ...placesOf(config, settings.values),
    files: modelFile === null ? [] : [modelFile],
    dataDir: config.dataDir,
    aliasesOf: (id) => settings.modelSettings(id).aliases ?? [],
    log,
  });
  const wanted = await findWanted(config.model, modelFile, library).catch((error: unknown) => {
    library.close();
    throw error;
  });
  const rules = new ModelRuleBook(config, settings, library);
  const { backendsDir, dataDir } = config;
  const backends = new Backends({ folder: backendsDir, dataDir, spawn, onChange: touch, log });
  const rpcHosts = () => [...settings.values.rpc_hosts, ...config.rpcHosts];
  const fits = new FitEstimator({ spawn, backends: () => backends.choose(), rpcHosts });
  const pool = new EnginePool({
    ...{ spawn, log },
    rules: ({ id }) => rules.of(id),
    limits: () => rules.limits(),
    backends: () => backends.choose(),
    rpcHosts,
    measure: measureWith(fits),
    onChange: touch,
    onUse: (id) => settings.noteUse(id),
    lastUse: (id) => settings.lastUsed(id),
  });
  settings.onChange(() => {
    pool.settingsChanged();
    void library.change(placesOf(config, settings.values));
  });
  settings.watch();
  library.onChange(() => pool.keepOnly(new Set(library.models().map(({ id }) => id))));
  const upstreams = Upstreams.open({
    ...{ settings, secrets, version },
    isLocal: (name) =>
      library.models().some(({ id, aliases }) => id === name || aliases.includes(name)),
    onChange: touch,
  });
  library.onChange(() => upstreams.localsChanged());
  const current = new CurrentModel({ library, pool, settings, upstreams, log, onChange: touch });
  const database = new Database(dataDir, touch);
  const modelFiles = new ModelFiles(database);
  const ledger = new Ledger({
    ...{ dataDir, database, key: signing.key, modelFiles },
    retention: ledgerRetention(config.ledgerDays),
    beside: [addUsage],
  });
  const { client: hub, network } = openHub({
    ...{ secrets, resolveProxy, env: process.env },
    endpoint: () => settings.values.hub_endpoint,
  });
  const hubFits = new HubFits({
    ...{ client: hub, fits },
    // As a model that nothing is set for, with the memory of all that could leave.
    load: () => ({
      ...rules.of('').load,
      ...{ memoryBytes: Math.max(1, pool.memory().budget), queueMax: 1, prefixStoreBytes: 0 },
      // One for all would not be of its family.
      ...{ draftModelPath: '', speculation: 'off' },
    }),
  });
  const downloads = await Downloads.open({
    ...{ hub, log, goOn: true },
    modelsDir: () => library.modelsDir,
    details: (repo, revision, signal) => repoDetails(hub, repo, revision, signal),
    memory: () => pool.memory().budget,
    onArrived: async ([first = '']) => {
      await library.refresh();
      return (await library.findByPath(first))?.id ?? null;
    },
  });
  downloads.subscribe(touch);
  let listening: Listening | null = null;
  const port = () => listening?.port ?? config.port;
  const at = (address: string) => `http://${address}:${port()}`;
  const url = () => at(addressesOf(config.host)[0]);
  const state = new StateFeed((): ServerState => {
    const notices = [
      ...(listening?.notice ? [listening.notice] : []),
      ...keys.notices(),
      ...library.notices(),
      ...settings.notices(),
      ...upstreams.notices(),
      ...current.notices(),
      ...pool.notices(),
      ...backends.notices(),
      ...database.notices(),
      ...(signing.notice === null ? [] : [signing.notice]),
      ...ledger.notices(),
    ];
    const memory = pool.memory();
    return {
      version,
      url: url(),
      models_dir: library.modelsDir,
      current_model: current.id,
      models: modelEntries({ library, pool, upstreams }),
      ...withPassedOn(pool.counts(), upstreams.running),
      requests: exchanges.list(),
      memory: { used_bytes: memory.used, budget_bytes: memory.budget },
      downloads: downloads.list(),
      backends: backends.states(),
      notices,
    };
  });
  feed = state;
  const metrics = new Metrics({ pool, library, version });
  const inspector = new Inspector({ pool });
  const exchanges = new Exchanges([
    ...[ledger, metrics.observer, inspector],
    { opened: touch, ended: touch },
  ]);
  const app = createApp({
    ...{ config, keys, version, log, library, pool, fits, rules, backends, current, state, port },
    ...{ exchanges, database, inspector, ledger, metrics, settings, secrets, hub, upstreams },
    hubAccounts: new HubAccounts(hub, secrets),
    hubModels: new HubModels({ client: hub, fits: hubFits, models: () => library.models() }),
    downloads,
    responses: new ResponseStore(database),
  });
  try {
    listening = await listen(config.host, config.port, app);
  } catch (error) {
    library.close();
    settings.close();
    upstreams.close();
    await downloads.close();
    await pool.close();
    ledger.close();
    database.close();
    throw error;
  }
  current.start(wanted);
  upstreams.start();
  for (const model of library.models()) {
    // Why one cannot be loaded, its entry tells.
    if (rules.of(model.id).isPinned) pool.load(model).catch(() => {});
  }
  log.info({ version, url: url(), models: library.models().length }, 'ready');

  let closing: Promise<void> | null = null;
  return {
    url: url(),
    urls: addressesOf(config.host).map(at),
    state,
    async selectModel(id) {
      await current.select(id).loaded;
    },
    async unloadModel(id) {
      const model = library.find(id);
      if (model !== null) await pool.release(model);
    },
    cancelRequest: (id) => void exchanges.cancel(id),
    cancelAllRequests: () => void exchanges.cancel(null),
    close() {
      closing ??= shutDown({
        servers: listening?.servers ?? [],
        pool,
        upstreams,
        library,
        settings,
        network,
        hubFits,
        downloads,
        modelFiles,
        ledger,
        database,
        state,
        log,
      });
      return closing;
    },
  };
}

/** @throws StartError where a key is needed and there is none. */
function openKeys(config: ServerConfig, onChange: () => void): ApiKeys {
  const { dataDir, apiKeys: given, windowKey, host, allowedOrigins } = config;
  const openTo = !isLoopback(host)
    ? `Serving on ${host} opens the models to the network`
    : allowedOrigins.includes(ANY_ORIGIN)
      ? 'Allowing every origin opens the models to every web page that is looked at here'
      : null;
  const keys = new ApiKeys({ dataDir, given, windowKey, always: openTo !== null, onChange });
  if (openTo !== null && !keys.some) {
    const folder = dataDir === defaultDataDir() ? '' : ` --data "${dataDir}"`;
    throw new StartError(
      [
        ...keys.notices(),
        `${openTo}, so a key is needed: make one with "pilotlight keys add NAME${folder}", or give one with --api-key KEY.`,
      ].join(' '),
    );
  }
  return keys;
}

/** The absolute path where `model` names an existing file, else null: then it is an id. */
async function fileOf(model: string | null): Promise<string | null> {
  if (model === null) return null;
  const file = path.resolve(model);
  const found = await stat(file).catch(() => null);
  return found?.isFile() ? file : null;
}

async function findWanted(
  model: string | null,
  file: string | null,
  library: Library,
): Promise<LibraryModel | null> {
  if (model === null) return null;
  const found = file === null ? library.find(model) : await library.findByPath(file);
  if (found === null) {
    const known = library.models().map(({ id }) => `"${id}"`);
    const rest = known.length > 0 ? `There are: ${known.join(', ')}.` : 'There are no models yet.';
    throw new StartError(`There is no model or file "${model}". ${rest}`);
  }
  const reason = found.invalidReason ?? notGenerative(found);
  if (reason !== null) throw new StartError(reason);
  return found;
}

/** Requests that upstreams answer run too. */
function withPassedOn<Counts extends { running: number }>(
  counts: Counts,
  passedOn: number,
): Counts {
  return { ...counts, running: counts.running + passedOn };
}

interface Parts {
  servers: readonly http.Server[];
  pool: EnginePool;
  upstreams: Upstreams;
  library: Library;
  settings: Settings;
  network: Network;
  hubFits: HubFits;
  downloads: Downloads;
  modelFiles: ModelFiles;
  ledger: Ledger;
  database: Database;
  state: StateFeed;
  log: Logger;
}

async function shutDown(parts: Parts): Promise<void> {
  const { servers, pool, upstreams, downloads, library, settings, network, hubFits } = parts;
  const { modelFiles, ledger, database, state, log } = parts;
  library.close();
  state.close();
  const closed = servers.map((server) => once(server, 'close'));
  for (const server of servers) server.close();
  await downloads.close();
  await network.close();
  // Connections become idle one by one, as their answers end.
  const idle = setInterval(() => {
    for (const server of servers) server.closeIdleConnections();
  }, IDLE_CHECK_MS);
  // Running streams are told that the server stops: by the engines' last events, or here.
  upstreams.close();
  settings.close();
  await pool.close();
  const force = setTimeout(() => {
    for (const server of servers) server.closeAllConnections();
  }, GRACE_MS);
  await Promise.all(closed);
  clearInterval(idle);
  clearTimeout(force);
  await hubFits.close();
  await settings.written();
  await modelFiles.close();
  ledger.close();
  database.close();
  log.info('stopped');
}
