/** What the routes work with; made once by server.ts. */
import type { Logger } from 'pino';
import type { ServerConfig } from '../protocol/config.js';
import type { Backends } from './backends/backends.js';
import type { CurrentModel } from './current-model.js';
import type { Downloads } from './downloads/downloads.js';
import type { FitEstimator } from './engine/fit.js';
import type { EnginePool } from './engine/pool.js';
import type { Exchanges } from './exchange/exchanges.js';
import type { HubAccounts } from './hub/account.js';
import type { HubClient } from './hub/client.js';
import type { HubModels } from './hub/models.js';
import type { Inspector } from './inspector/inspector.js';
import type { Ledger } from './ledger/ledger.js';
import type { Library } from './library/library.js';
import type { Metrics } from './metrics/metrics.js';
import type { ModelRuleBook } from './model-rules.js';
import type { StateFeed } from './state.js';
import type { ApiKeys } from './store/api-keys.js';
import type { Database } from './store/database.js';
import type { ResponseStore } from './store/responses.js';
import type { SecretStore } from './store/secrets.js';
import type { Settings } from './store/settings.js';
import type { Upstreams } from './upstreams/upstreams.js';

export interface Services {
  config: ServerConfig;
  keys: ApiKeys;
  /** Pilotlight's own, such as "0.1.0". */
  version: string;
  log: Logger;
  library: Library;
  pool: EnginePool;
  fits: FitEstimator;
  rules: ModelRuleBook;
  exchanges: Exchanges;
  inspector: Inspector;
  ledger: Ledger;
  metrics: Metrics;
  backends: Backends;
  current: CurrentModel;
  state: StateFeed;
  database: Database;
  settings: Settings;
  secrets: SecretStore;
  hub: HubClient;
  hubAccounts: HubAccounts;
  hubModels: HubModels;
  downloads: Downloads;
  responses: ResponseStore;
  upstreams: Upstreams;
  /** The port that the server got. */
  port: () => number;
}
