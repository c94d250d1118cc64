/** The whole server, as one thing to start and stop. Used by the command line in its own process, and by main.ts. */
import { randomBytes } from 'node:crypto';
import type { ServerConfig } from '../protocol/config.js';
import type { ServerState } from '../protocol/models.js';
import { createApp } from './app.js';
import { Attachments } from './attachments/attachments.js';
import { Backends } from './backends/backends.js';
import { Chats } from './chats/chats.js';
import { CurrentModel } from './current-model.js';
import { Downloads } from './downloads/downloads.js';
import { FitEstimator } from './engine/fit.js';
import { measureWith } from './engine/measure.js';
import { EnginePool } from './engine/pool.js';
import type { SpawnEngine } from './engine/spawn.js';
import { Exchanges } from './exchange/exchanges.js';
import { HubAccounts } from './hub/account.js';
import { repoDetails } from './hub/details.js';
import { HubFits } from './hub/fits.js';
import { openHub } from './hub/hub.js';
import { HubModels } from './hub/models.js';
import type { ResolveProxy } from './hub/network.js';
import { Inspector } from './inspector/inspector.js';
import { Ledger } from './ledger/ledger.js';
import { ModelFiles } from './ledger/model-files.js';
import { ledgerRetention } from './ledger/retention.js';
import { findSigningKey } from './ledger/signing-key.js';
import { placesOf, settingDefaults } from './library/chosen-places.js';
import { Library } from './library/library.js';
import { openLog } from './log.js';
import { ToolServers } from './mcp/tool-servers.js';
import { Metrics } from './metrics/metrics.js';
import { modelEntries } from './model-entry.js';
import { ModelRuleBook } from './model-rules.js';
import { programVersion } from './paths.js';
import { Access } from './serving/access.js';
import { Serving } from './serving/serving.js';
import { shutDown } from './shut-down.js';
import { fileOf, findWanted, openKeys } from './start-options.js';
import { StateFeed } from './state.js';
import { Database } from './store/database.js';
import { Keychain } from './store/keychain.js';
import { ResponseStore } from './store/responses.js';
import { SecretStore } from './store/secrets.js';
import { Settings } from './store/settings.js';
import { Transfer } from './transfer/transfer.js';
import { Upstreams } from './upstreams/upstreams.js';
import { addUsage } from './usage/usage-table.js';

export interface RunningServer {
  /** Such as "http://127.0.0.1:7411"; the first of `urls`. Both change when it moves. */
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
  /**
   * Whether programs may use the API; see server/serving/api-switch.ts.
   * @throws SettingsError where it cannot be kept.
   */
  setServing(enabled: boolean): Promise<void>;
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
  const { log, tail: logTail } = openLog(config.dataDir);
  const version = programVersion();
  const keychain = config.keychain ? new Keychain(spawn) : null;
  const secrets = new SecretStore(config.dataDir, keychain);
  const [settings, signing] = await Promise.all([
    Settings.open(config.dataDir, settingDefaults(config)),
    findSigningKey(config.dataDir, keychain),
  ]);
  let serving: Serving | null = null;
  const access = new Access(
    config,
    () => settings.values,
    () => serving?.host ?? null,
  );
  const ownKey = randomBytes(32).toString('base64url');
  const keys = openKeys(config, { access, ownKey, onChange: touch });
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
    touch();
    void serving?.follow(settings.values);
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
  const toolServers = new ToolServers({ dataDir, secrets, version, onChange: touch });
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
      ...{ projectorPath: '', draftModelPath: '', speculation: 'off' },
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
  const place = new Serving({ access, hasKeys: () => keys.some, onChange: touch });
  serving = place;
  const state = new StateFeed((): ServerState => {
    const notices = [
      ...place.notices(),
      ...keys.notices(),
      ...library.notices(),
      ...settings.notices(),
      ...upstreams.notices(),
      ...toolServers.notices(),
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
      url: place.urls[0],
      serving: access.isEnabled,
      models_dir: library.modelsDir,
      current_model: current.id,
      models: modelEntries({ library, pool, upstreams }),
      ...withPassedOn(pool.counts(), upstreams.running),
      requests: exchanges.list(),
      memory: { used_bytes: memory.used, budget_bytes: memory.budget },
      downloads: downloads.list(),
      backends: backends.states(),
      preferences: settings.values.preferences,
      tool_changes: toolServers.changes,
      notices,
    };
  });
  feed = state;
  const metrics = new Metrics({ pool, library, version });
  const inspector = new Inspector({ pool });
  const attachments = new Attachments({ dataDir, database, spawn, log });
  const chats = new Chats({
    ...{ settings, attachments },
    ...{ dataDir, database, library, pool, upstreams, current, toolServers, state, log },
    url: () => place.ownUrl,
    key: ownKey,
    defaults: () => settings.values.chat_defaults,
  });
  const transfer = new Transfer({ dataDir, database, version, chats, settings, toolServers });
  const exchanges = new Exchanges([
    ...[ledger, metrics.observer, inspector, chats.answers],
    { opened: touch, ended: touch },
  ]);
  const app = createApp({
    ...{ config, keys, version, log, library, pool, fits, rules, backends, current, state },
    ...{ access, serving: place, logTail },
    ...{ exchanges, database, inspector, ledger, metrics, settings, secrets, hub, upstreams },
    toolServers,
    chats,
    attachments,
    transfer,
    hubAccounts: new HubAccounts(hub, secrets),
    hubModels: new HubModels({ client: hub, fits: hubFits, models: () => library.models() }),
    downloads,
    responses: new ResponseStore(database),
  });
  try {
    await place.open(app);
  } catch (error) {
    library.close();
    settings.close();
    upstreams.close();
    await toolServers.close();
    await downloads.close();
    await pool.close();
    await chats.close();
    await attachments.close();
    ledger.close();
    database.close();
    throw error;
  }
  current.start(wanted);
  upstreams.start();
  toolServers.start();
  for (const model of library.models()) {
    // Why one cannot be loaded, its entry tells.
    if (rules.of(model.id).isPinned) pool.load(model).catch(() => {});
  }
  log.info({ version, url: place.urls[0], models: library.models().length }, 'ready');

  let closing: Promise<void> | null = null;
  return {
    get url() {
      return place.urls[0];
    },
    get urls() {
      return place.urls;
    },
    state,
    async selectModel(id) {
      await current.select(id).loaded;
    },
    async unloadModel(id) {
      const model = library.find(id);
      if (model !== null) await pool.release(model);
    },
    cancelRequest: (id) => void exchanges.cancel(id),
    setServing: (api_enabled) => settings.change({ api_enabled }),
    cancelAllRequests: () => void exchanges.cancel(null),
    close() {
      closing ??= shutDown({
        servers: place.servers,
        pool,
        upstreams,
        toolServers,
        library,
        settings,
        network,
        hubFits,
        downloads,
        chats,
        attachments,
        transfer,
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

/** Requests that upstreams answer run too. */
function withPassedOn<Counts extends { running: number }>(
  counts: Counts,
  passedOn: number,
): Counts {
  return { ...counts, running: counts.running + passedOn };
}
