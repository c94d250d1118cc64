/** The hub as a command of its own asks it: with the settings and the token of a data folder. */
import path from 'node:path';
import { spawnChildProcess } from '../server/engine/spawn.js';
import type { HubClient } from '../server/hub/client.js';
import { openHub } from '../server/hub/hub.js';
import { defaultDataDir, modelsDirOf, programDir } from '../server/paths.js';
import { Keychain } from '../server/store/keychain.js';
import { SecretStore } from '../server/store/secrets.js';
import { Settings } from '../server/store/settings.js';

export interface FolderOptions {
  data?: string;
  models?: string;
}

/** The folders that a server with these options would use. */
export interface Folders {
  dataDir: string;
  modelsDir: string;
  settings: Settings;
}

export async function openFolders({ data, models }: FolderOptions): Promise<Folders> {
  const dataDir = path.resolve(data ?? defaultDataDir());
  const settings = await Settings.open(dataDir);
  const modelsDir =
    models === undefined
      ? (settings.values.models_dir ?? modelsDirOf(dataDir))
      : path.resolve(models);
  return { dataDir, modelsDir, settings };
}

export function hubOf(
  { dataDir, settings }: Folders,
  { data }: FolderOptions,
): { hub: HubClient; close: () => Promise<void> } {
  const engine = path.join(programDir(), 'out', 'server', 'engine.js');
  // A folder of somebody's own choice holds all that belongs to it.
  const keychain = data === undefined ? new Keychain(spawnChildProcess(engine)) : null;
  const { client, network } = openHub({
    secrets: new SecretStore(dataDir, keychain),
    endpoint: () => settings.values.hub_endpoint,
    env: process.env,
    resolveProxy: null,
  });
  return { hub: client, close: () => network.close() };
}
