/** The end of a server: everything in the order in which it may go. */
import { once } from 'node:events';
import type http from 'node:http';
import type { Logger } from 'pino';
import type { Attachments } from './attachments/attachments.js';
import type { Chats } from './chats/chats.js';
import type { Downloads } from './downloads/downloads.js';
import type { EnginePool } from './engine/pool.js';
import type { HubFits } from './hub/fits.js';
import type { Network } from './hub/network.js';
import type { Ledger } from './ledger/ledger.js';
import type { ModelFiles } from './ledger/model-files.js';
import type { Library } from './library/library.js';
import type { ToolServers } from './mcp/tool-servers.js';
import type { StateFeed } from './state.js';
import type { Database } from './store/database.js';
import type { Settings } from './store/settings.js';
import type { Transfer } from './transfer/transfer.js';
import type { Upstreams } from './upstreams/upstreams.js';

/** Milliseconds that running answers get to end with a word, before their connections are closed. */
const GRACE_MS = 2_000;

/** How often idle connections are looked for while the server stops, in milliseconds. */
const IDLE_CHECK_MS = 20;

interface Parts {
  servers: readonly http.Server[];
  pool: EnginePool;
  upstreams: Upstreams;
  toolServers: ToolServers;
  library: Library;
  settings: Settings;
  network: Network;
  hubFits: HubFits;
  downloads: Downloads;
  chats: Chats;
  attachments: Attachments;
  transfer: Transfer;
  modelFiles: ModelFiles;
  ledger: Ledger;
  database: Database;
  state: StateFeed;
  log: Logger;
}

/** Resolves when nothing of it runs and its files are closed. */
export async function shutDown(parts: Parts): Promise<void> {
  const { servers, pool, upstreams, toolServers, downloads, library, settings, network, hubFits } =
    parts;
  const { chats, attachments, transfer, modelFiles, ledger, database, state, log } = parts;
  library.close();
  // What has come of running answers is told and kept, before their models end.
  await chats.close();
  state.close();
  const closed = servers.map((server) => once(server, 'close'));
  for (const server of servers) server.close();
  const toolsGone = toolServers.close();
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
  await toolsGone;
  await settings.written();
  await transfer.close();
  await attachments.close();
  await modelFiles.close();
  ledger.close();
  database.close();
  log.info('stopped');
}
