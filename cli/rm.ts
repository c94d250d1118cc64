/**
 * `pilotlight rm`: deletes a model's files from the models folder. A running server notices; on Windows it has to unload
 * the model first.
 */
import { createInterface } from 'node:readline/promises';
import { formatBytes } from '../protocol/bytes.js';
import { RemovalFailure, removeModel } from '../server/downloads/removal.js';
import type { Library } from '../server/library/library.js';
import type { LibraryModel } from '../server/library/model.js';
import type { FolderOptions } from './hub.js';
import { openLocalLibrary, printable } from './local-library.js';

export interface RmOptions extends FolderOptions {
  yes?: true;
}

/** Ends with 0 where it is gone, else with 1. */
export async function rm(id: string, options: RmOptions): Promise<void> {
  const library = await openLocalLibrary(options);
  try {
    process.exitCode = (await remove(library, id, options)) ? 0 : 1;
  } finally {
    library.close();
  }
}

async function remove(library: Library, id: string, { yes }: RmOptions): Promise<boolean> {
  const model = library.find(id);
  if (model === null) {
    const own = library.models().filter(({ source }) => source === 'models_dir');
    const names = own.map((each) => each.id).join(', ');
    const rest = own.length > 0 ? `There are: ${names}.` : 'It holds no models.';
    console.error(printable(`There is no model "${id}" in ${library.modelsDir}. ${rest}`));
    return false;
  }
  if (yes !== true && !(await isWanted(model))) return false;
  try {
    const { files, freed_bytes } = await removeModel(library, model);
    for (const file of files) console.log(file);
    console.error(`Deleted "${model.id}": ${formatBytes(freed_bytes)} are free again.`);
    return true;
  } catch (error) {
    if (!(error instanceof RemovalFailure)) throw error;
    console.error(error.message);
    return false;
  }
}

async function isWanted({ id, files, sizeBytes }: LibraryModel): Promise<boolean> {
  if (!process.stdin.isTTY) {
    console.error(`Nothing is deleted without a yes: add --yes to delete "${id}".`);
    return false;
  }
  const ask = createInterface({ input: process.stdin, output: process.stderr });
  const what = files.length === 1 ? files[0] : `${files.length} files`;
  const answer = await ask.question(`Delete "${id}" (${what}, ${formatBytes(sizeBytes)})? [y/N] `);
  ask.close();
  if (/^y(es)?$/i.test(answer.trim())) return true;
  console.error('Nothing is deleted.');
  return false;
}
