/** What a start asks for, checked before anything runs. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { DEFAULT_HOST, type ServerConfig } from '../protocol/config.js';
import { SETTING_DEFAULTS } from '../protocol/settings.js';
import { notGenerative } from './current-model.js';
import type { Library } from './library/library.js';
import type { LibraryModel } from './library/model.js';
import { defaultDataDir } from './paths.js';
import type { Access } from './serving/access.js';
import { ApiKeys } from './store/api-keys.js';

/** Why the server cannot start; the message is a sentence for people. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** @throws StartError where this start asks for what needs a key, and there is none. */
export function openKeys(
  config: ServerConfig,
  { access, ownKey, onChange }: { access: Access; ownKey: string; onChange: () => void },
): ApiKeys {
  const { dataDir, apiKeys: given, windowKey, host, allowedOrigins } = config;
  const always = () => access.openTo() !== null;
  const keys = new ApiKeys({ dataDir, given, windowKey, ownKey, always, onChange });
  const openTo = access.openTo(
    { ...SETTING_DEFAULTS, host: host ?? DEFAULT_HOST, allowed_origins: allowedOrigins },
    host ?? DEFAULT_HOST,
  );
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
export async function fileOf(model: string | null): Promise<string | null> {
  if (model === null) return null;
  const file = path.resolve(model);
  const found = await stat(file).catch(() => null);
  return found?.isFile() ? file : null;
}

/** @throws StartError where there is no such model, or one that does not generate. */
export async function findWanted(
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
