/** Which model a name means. Pure. */
import type { LibraryModel } from './model.js';
import { stem } from './names.js';

/**
 * The likeliest meaning first: an id, an alias, what the same file is called elsewhere, a file name with its ending, an id in other letter case, the end of
 * an id after a slash. The last two only where they mean one model.
 * @param otherIds Further ids → ids of models.
 */
export function findByName(
  name: string,
  models: readonly LibraryModel[],
  otherIds: ReadonlyMap<string, string>,
): LibraryModel | null {
  const wanted = name.normalize('NFC');
  const byId = (id: string | undefined) => models.find((model) => model.id === id);
  return (
    byId(wanted) ??
    models.find(({ aliases }) => aliases.includes(wanted)) ??
    byId(otherIds.get(wanted)) ??
    byId(stem(wanted)) ??
    onlyOne(models, ({ id }) => id.toLowerCase() === wanted.toLowerCase()) ??
    onlyOne(models, ({ id }) => id.endsWith(`/${wanted}`) || id.endsWith(`/${stem(wanted)}`))
  );
}

function onlyOne(
  models: readonly LibraryModel[],
  isMeant: (model: LibraryModel) => boolean,
): LibraryModel | null {
  const found = models.filter(isMeant);
  return found.length === 1 ? (found[0] ?? null) : null;
}
