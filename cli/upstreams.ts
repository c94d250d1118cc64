/**
 * `pilotlight upstreams`: adds, lists and removes other servers in the settings of a data folder, which a running server
 * follows. The list goes to standard output, all else to the other.
 */
import path from 'node:path';
import type { Upstream } from '../protocol/upstreams.js';
import { spawnChildProcess } from '../server/engine/spawn.js';
import { ApiError } from '../server/http/errors.js';
import { defaultDataDir, programDir, programVersion } from '../server/paths.js';
import { Keychain } from '../server/store/keychain.js';
import { SecretStore } from '../server/store/secrets.js';
import { Settings } from '../server/store/settings.js';
import { Upstreams } from '../server/upstreams/upstreams.js';

interface DataOptions {
  data?: string;
}

export interface UpstreamOptions extends DataOptions {
  key?: string;
  model?: string[];
}

export async function addNamedUpstream(
  name: string,
  url: string,
  { key = process.env.PILOTLIGHT_UPSTREAM_KEY, model, ...options }: UpstreamOptions,
): Promise<void> {
  await withUpstreams(options, async (upstreams) => {
    const { id } = await upstreams.add({
      ...{ name, url, models: model ?? null, enabled: true },
      ...(key ? { key } : {}),
    });
    const { health, reason, offered } = await upstreams.check(id);
    if (health === 'healthy') {
      console.error(`"${name}" is added. ${modelsIn(offered)}`);
    } else {
      console.error(`"${name}" is added, but it is not well: ${reason ?? 'it has not answered.'}`);
    }
  });
}

/** A line for each: its name, its URL, how it is, and its models. */
export async function listAllUpstreams(options: DataOptions): Promise<void> {
  await withUpstreams(options, async (upstreams) => {
    const known = upstreams.list();
    if (known.length === 0) console.error('There are no upstreams.');
    const asked = await Promise.all(
      known.map((each) => (each.enabled ? upstreams.check(each.id) : each)),
    );
    for (const each of asked) {
      console.log([each.name, each.url, stateOf(each), each.offered.join(', ')].join('\t'));
    }
  });
}

export async function removeNamedUpstream(name: string, options: DataOptions): Promise<void> {
  await withUpstreams(options, async (upstreams) => {
    const known = upstreams.list();
    const found = known.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (found === undefined) {
      const names = known.map((each) => `"${each.name}"`).join(', ');
      throw new ApiError(
        404,
        `There is no upstream "${name}". ${names === '' ? 'There are none.' : `There are: ${names}.`}`,
      );
    }
    await upstreams.remove(found.id);
    console.error(`"${found.name}" is removed, with its key if it had one.`);
  });
}

function stateOf({ enabled, health, reason }: Upstream): string {
  if (!enabled) return 'switched off';
  return health === 'healthy' ? 'well' : (reason ?? 'not asked yet');
}

function modelsIn(offered: readonly string[]): string {
  return offered.length === 0 ? 'It lists no models.' : `Its models: ${offered.join(', ')}.`;
}

/** What cannot be is told in its sentence. */
async function withUpstreams(
  { data }: DataOptions,
  act: (upstreams: Upstreams) => Promise<void>,
): Promise<void> {
  const dataDir = path.resolve(data ?? defaultDataDir());
  const engine = path.join(programDir(), 'out', 'server', 'engine.js');
  // A folder of somebody's own choice holds all that belongs to it.
  const keychain = data === undefined ? new Keychain(spawnChildProcess(engine)) : null;
  const upstreams = Upstreams.open({
    settings: await Settings.open(dataDir),
    secrets: new SecretStore(dataDir, keychain),
    isLocal: () => false,
    version: programVersion(),
    onChange: () => {},
  });
  await upstreams.ready();
  for (const notice of upstreams.notices()) console.error(notice);
  try {
    await act(upstreams);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  } finally {
    await upstreams.settled();
    upstreams.close();
  }
}
