/** The models there are, as a server with the same options would list them. Changes nothing, and needs no server. */
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { serverConfigSchema } from '../protocol/config.js';
import { placesOf, settingDefaults } from '../server/library/chosen-places.js';
import { Library } from '../server/library/library.js';
import { defaultDataDir, modelsDirOf, programDir } from '../server/paths.js';
import { Settings } from '../server/store/settings.js';

export interface ListOptions {
  data?: string;
  models?: string;
  json?: boolean;
}

/** To be closed, or else it goes on watching. */
export async function openLocalLibrary({ data, models }: ListOptions): Promise<Library> {
  const dataDir = path.resolve(data ?? defaultDataDir());
  const config = serverConfigSchema.parse({
    dataDir,
    modelsDir: models === undefined ? modelsDirOf(dataDir) : path.resolve(models),
    isModelsDirGiven: models !== undefined,
    builtInModelsDir: path.join(programDir(), 'resources'),
    foreignModels: data === undefined,
    homeDir: os.homedir(),
  });
  const settings = await Settings.open(dataDir, settingDefaults(config));
  const library = await Library.open({
    ...placesOf(config, settings.values),
    files: [],
    dataDir,
    aliasesOf: (id) => settings.modelSettings(id).aliases ?? [],
    isReadOnly: true,
    log: console,
  });
  // A server makes its folder at its first start, which may not have been.
  const isMissing = models === undefined && !existsSync(library.modelsDir);
  const notices = isMissing ? [] : library.notices();
  for (const notice of [...settings.notices(), ...notices]) console.error(notice);
  return library;
}

/** Names come from files of strangers: control characters would move the cursor, or turn the text around. */
export function printable(text: string): string {
  return text.replace(/(?!\t)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, '\uFFFD');
}
