/** Which model of the library a name of the hub means: one that was fetched from that repo. */
import path from 'node:path';
import type { Library } from '../library/library.js';
import type { LibraryModel } from '../library/model.js';
import { groupFiles } from '../library/names.js';
import { isMeant, USUAL } from './choice.js';
import type { Reference } from './reference.js';

/** Without a quantization the usual one, else the one that came last; null where there is none. */
export function installedModel(
  { modelsDir, models }: Pick<Library, 'modelsDir'> & { models: readonly LibraryModel[] },
  { repo, quantization }: Reference,
): LibraryModel | null {
  const found = models
    .filter(({ source, path: file }) => source === 'models_dir' && isFrom(repo, modelsDir, file))
    .sort((a, b) => b.created - a.created);
  const of = (wanted: string) => found.find((model) => isMeant(facts(model), wanted)) ?? null;
  return quantization === undefined ? (of(USUAL) ?? found[0] ?? null) : of(quantization);
}

function isFrom(repo: string, modelsDir: string, file: string): boolean {
  const [owner, name, ...rest] = path.relative(modelsDir, file).split(path.sep);
  return rest.length > 0 && `${owner}/${name}`.toLowerCase() === repo.toLowerCase();
}

function facts({ path: file, quantization }: LibraryModel) {
  return { name: groupFiles([file])[0]?.base ?? '', quantization };
}
