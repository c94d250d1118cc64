/** `pilotlight keys`: makes, lists and removes API keys. Keys and their list go to standard output, all else to the other. */
import path from 'node:path';
import { defaultDataDir } from '../server/paths.js';
import { addKey, KeyFileError, readKeys, removeKey } from '../server/store/key-file.js';

interface KeysOptions {
  data?: string;
}

const dataDirOf = ({ data }: KeysOptions) => path.resolve(data ?? defaultDataDir());

export async function addNamedKey(name: string, options: KeysOptions): Promise<void> {
  await orSay(async () => {
    const dataDir = dataDirOf(options);
    const isFirst = readKeys(dataDir).length === 0;
    const key = await addKey(dataDir, name);
    console.error(`The key "${name}", which cannot be shown again:`);
    console.log(key);
    if (isFirst) {
      console.error('From now on the server asks every program for a key.');
    }
  });
}

export async function listKeys(options: KeysOptions): Promise<void> {
  await orSay(async () => {
    const keys = readKeys(dataDirOf(options));
    if (keys.length === 0) console.error('There are no keys.');
    for (const { name, created } of keys) console.log(`${name}\t${created}`);
  });
}

export async function removeNamedKey(name: string, options: KeysOptions): Promise<void> {
  await orSay(async () => {
    const dataDir = dataDirOf(options);
    await removeKey(dataDir, name);
    const wasLast = readKeys(dataDir).length === 0;
    console.error(
      `The key "${name}" opens nothing any more.` +
        (wasLast
          ? ' It was the last one: unless the server has keys of its start (--api-key), programs on this machine need none now.'
          : ''),
    );
  });
}

/** What cannot be is told in its sentence. */
export async function orSay(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
