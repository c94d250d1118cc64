/** `pilotlight inspector`: the key that opens the inspector. It goes to standard output, all else to the other. */
import path from 'node:path';
import { defaultDataDir } from '../server/paths.js';
import { ensureOwnerKey, ownerKeyFileOf } from '../server/store/owner-key.js';
import { orSay } from './keys.js';

interface InspectorKeyOptions {
  data?: string;
  new?: boolean;
}

export async function showInspectorKey(options: InspectorKeyOptions): Promise<void> {
  await orSay(async () => {
    const dataDir = path.resolve(options.data ?? defaultDataDir());
    const key = await ensureOwnerKey(dataDir, options.new ?? false);
    console.error(
      `Your own key to this server, kept in ${ownerKeyFileOf(dataDir)}. It opens everything, the inspector too: give it to no program but your own.`,
    );
    console.log(key);
  });
}
