/** What a schema cannot know of settings: folders of this machine, and names that are taken. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { ServerConfig } from '../../protocol/config.js';
import type { ModelSettings, ServerSettings, SettingsPatch } from '../../protocol/settings.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { PRINTABLE } from '../printable.js';
import { parseHost, RpcHostError } from '../rpc/hosts.js';

/**
 * Folders that are there already need not be there now: a drive may be unplugged while another thing is changed.
 * @throws ApiError 400 that names the first folder that cannot be one.
 */
export async function checkFolders(patch: SettingsPatch, now: ServerSettings): Promise<void> {
  const { models_dir, folders = [] } = patch;
  const known = new Set([now.models_dir, ...now.folders]);
  if (models_dir && !known.has(models_dir)) await checkFolder(models_dir, 'models_dir');
  for (const [i, folder] of folders.entries()) {
    if (!known.has(folder)) await checkFolder(folder, `folders[${i}]`);
  }
  const [twice] = folders.filter((folder, i) => folders.indexOf(folder) < i);
  if (twice !== undefined) {
    throw invalidRequest(`folders names ${shown(twice)} twice.`, 'folders');
  }
}

async function checkFolder(folder: string, param: string): Promise<void> {
  const refuse = (why: string) => invalidRequest(`${param}: ${why}`, param);
  if (folder.includes('\0') || !path.isAbsolute(folder)) {
    throw refuse(`${shown(folder)} is no absolute path, such as ${path.resolve('models')}.`);
  }
  let isFolder: boolean;
  try {
    isFolder = (await stat(folder)).isDirectory();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refuse(
      code === 'EACCES' || code === 'EPERM'
        ? `${shown(folder)} cannot be read: you have no permission to.`
        : `There is no folder ${shown(folder)}.`,
    );
  }
  if (!isFolder) throw refuse(`${shown(folder)} is a file, and no folder.`);
}

/**
 * Those that are set already are told of when they are used.
 * @throws ApiError 400 that names the first RPC worker that would never be used.
 */
export function checkRpcHosts({ rpc_hosts = [] }: SettingsPatch, now: ServerSettings): void {
  for (const [i, host] of rpc_hosts.entries()) {
    if (now.rpc_hosts.includes(host)) continue;
    try {
      parseHost(host);
    } catch (error) {
      if (!(error instanceof RpcHostError)) throw error;
      throw invalidRequest(error.message, `rpc_hosts[${i}]`);
    }
  }
}

/**
 * What the command line of this start says goes before the settings, so that a change would do nothing.
 * @throws ApiError 409
 */
export function checkGiven({ host, port }: SettingsPatch, config: ServerConfig): void {
  const [given] = [
    ...(host !== undefined && config.host !== null ? [['host', config.host] as const] : []),
    ...(port !== undefined && config.port !== null ? [['port', config.port] as const] : []),
  ];
  if (given === undefined) return;
  const [param, value] = given;
  throw new ApiError(
    409,
    `This start was told its ${param} (--${param} ${value}), which goes before the settings: start without it to choose another one here.`,
    { param, code: 'address_given' },
  );
}

/**
 * A browser tells an origin in one way only; another spelling would never match.
 * @throws ApiError 400
 */
export function checkOrigins({ allowed_origins = [] }: SettingsPatch, now: ServerSettings): void {
  for (const [i, origin] of allowed_origins.entries()) {
    if (now.allowed_origins.includes(origin) || !/^https?:/i.test(origin)) continue;
    if (URL.canParse(origin) && new URL(origin).origin === origin) continue;
    const param = `allowed_origins[${i}]`;
    throw invalidRequest(
      `${param}: ${shown(origin)} is no origin, such as https://app.example or http://localhost:3000: in lower case, without a path and without the usual port.`,
      param,
    );
  }
}

interface Named {
  /** Ids of all models that there are, also of other servers. */
  ids: readonly string[];
  /** Also of models that are not there at the moment: they may come back. */
  settings: ReadonlyMap<string, ModelSettings>;
}

/**
 * A name means one model only.
 * @throws ApiError 409 that names the other one, 400 for a name that is none.
 */
export function checkAliases(id: string, aliases: readonly string[], known: Named): void {
  for (const [i, alias] of aliases.entries()) {
    const param = `aliases[${i}]`;
    if (alias.trim() !== alias || alias.normalize('NFC') !== alias) {
      throw invalidRequest(
        `${param}: a name neither begins nor ends with a space, and its letters are whole (Unicode's form NFC).`,
        param,
      );
    }
    if (!PRINTABLE.test(alias)) {
      throw invalidRequest(`${param}: a name has no control characters.`, param);
    }
    if (aliases.indexOf(alias) < i) {
      throw invalidRequest(`${param}: "${alias}" is there twice.`, param);
    }
    const taken = takenBy(alias, known).find((other) => other !== id);
    if (taken !== undefined) {
      throw new ApiError(
        409,
        taken === alias
          ? `"${alias}" is the id of another model, so it cannot be an alias of "${id}".`
          : `"${alias}" is an alias of "${taken}" already: remove it there first.`,
        { param, code: 'alias_taken' },
      );
    }
  }
}

function takenBy(alias: string, { ids, settings }: Named): string[] {
  const wanted = alias.toLowerCase();
  const byId = ids.filter((id) => id.toLowerCase() === wanted);
  const byAlias = [...settings].flatMap(([id, { aliases = [] }]) =>
    aliases.some((other) => other.toLowerCase() === wanted) ? [id] : [],
  );
  return [...byId, ...byAlias];
}

function shown(folder: string): string {
  return `"${folder.slice(0, 300)}"`;
}
