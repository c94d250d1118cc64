// Step 5: the bundles in out/, built anew only where a source has changed.
import fs from 'node:fs/promises';
import path from 'node:path';
import { BUNDLE_INPUTS, isBundleInput, NODE_BUNDLES } from '../build.mjs';
import { exists, hashTree, readJson, writeJson } from './cache.mjs';
import { OUT, REPO } from './paths.mjs';
import { CommandError, run, SetupError } from './process.mjs';

const STAMP = path.join(OUT, 'bundles.json');
const OUTPUTS = [
  ...NODE_BUNDLES.flatMap((bundle) =>
    Object.keys(bundle.entries).map((file) => path.join(OUT, bundle.folder, file)),
  ),
  path.join(OUT, 'renderer', 'index.html'),
];

function inputs() {
  return hashTree(REPO, BUNDLE_INPUTS, isBundleInput);
}

export function bundlesStep() {
  return {
    title: 'Bundles',
    isDone: async () => {
      const stamp = await readJson(STAMP);
      if (!stamp || stamp.inputs !== (await inputs())) return false;
      return (await Promise.all(OUTPUTS.map(exists))).every(Boolean);
    },
    run: async () => {
      const wanted = await inputs();
      await fs.rm(STAMP, { force: true });
      try {
        // A process of its own: the bundler's memory is not kept by the server that may follow in this one.
        await run(process.execPath, [path.join(REPO, 'scripts', 'build.mjs')], {
          cwd: REPO,
          log: 'bundles.log',
        });
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        throw new SetupError(`The bundles did not build:\n${error.output}`, 'Try: npm run check');
      }
      await writeJson(STAMP, { inputs: wanted });
    },
  };
}
