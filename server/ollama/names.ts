/** Model names as Ollama's clients write them → models of the library. */
import type { CurrentModel } from '../current-model.js';
import { installedModel } from '../downloads/installed.js';
import { parseReference } from '../downloads/reference.js';
import type { Library } from '../library/library.js';
import type { LibraryModel } from '../library/model.js';

/** The tag that clients add where a name has none. */
const LATEST = /:latest$/i;

/**
 * Ids that a name may mean, likeliest first: "qwen3:4b" is the file qwen3-4b.gguf, or Ollama's own model of that name.
 * Pure.
 */
export function idsOf(name: string): string[] {
  const bare = name.replace(LATEST, '');
  const tagged = bare.includes(':') ? [] : [`${bare}:latest`];
  return [...new Set([name, bare, bare.replaceAll(':', '-'), ...tagged])];
}

/** Null where the library has none by this name. */
export function findModel(library: Library, name: string): LibraryModel | null {
  for (const id of idsOf(name)) {
    const model = library.find(id);
    if (model !== null) return model;
  }
  const reference = parseReference(name);
  if (reference === null) return null;
  return installedModel({ modelsDir: library.modelsDir, models: library.models() }, reference);
}

interface Places {
  library: Library;
  current: CurrentModel;
}

/**
 * The model that a request means; null or '' the current one.
 * @throws as CurrentModel.resolve.
 */
export function resolveModel({ library, current }: Places, name: string | null): LibraryModel {
  if (name === null || name === '') return current.resolve(null);
  return current.resolve(findModel(library, name)?.id ?? name);
}
