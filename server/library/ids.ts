/**
 * How models are called in the API. Pure. Two rules make an id stay what it is whatever else comes and goes:
 *
 * - A file of the person's own goes by its name. Only another file of their own (or a built-in one) can take that.
 * - A file of another program or of a folder that was added goes by where it lies there, behind a word that says whose it
 *   is: "lmstudio/owner/name/file". Ollama's go by Ollama's names, "qwen3:4b". No file anywhere else changes them.
 */
import path from 'node:path';

/** What comes before the ids of files that are not the person's own. */
export const PREFIXES = {
  lm_studio: 'lmstudio',
  hugging_face: 'hf.co',
  llama_cpp: 'llama.cpp',
  folder: 'folder',
} as const;

const RESERVED: ReadonlySet<string> = new Set(Object.values(PREFIXES));

/** Either a file of the person's own, or one whose id says where it is. */
export type Naming = { base: string; path: string } | { id: string };

/**
 * Ids in the given order, none twice. Of files of one's own the first with a name keeps it, a later one gets its folder
 * before it, and where that is taken as well a number after it.
 */
export function uniqueIds(files: readonly Naming[]): string[] {
  const taken = new Set<string>();
  const take = (candidates: readonly string[]): string => {
    const last = candidates.at(-1) ?? '';
    let id = candidates.find((candidate) => !taken.has(candidate));
    for (let n = 2; id === undefined; n++) {
      if (!taken.has(`${last}-${n}`)) id = `${last}-${n}`;
    }
    taken.add(id);
    return id;
  };
  const ids = new Map<Naming, string>();
  // Whatever order they come in: a name of one's own is never taken by another program's.
  for (const file of files) {
    if ('id' in file) continue;
    const folder = path.basename(path.dirname(file.path)).normalize('NFC');
    // A folder of one's own may have the name of a prefix.
    const inFolder = RESERVED.has(folder) ? [] : [`${folder}/${file.base}`];
    ids.set(file, take([file.base, ...inFolder]));
  }
  for (const file of files) {
    if ('id' in file) ids.set(file, take([file.id]));
  }
  return files.map((file) => ids.get(file) ?? '');
}

/** The id of a file by where it lies: `folders` are those between the place and the file. */
export function idBelow(prefix: string, folders: readonly string[], base: string): string {
  return [prefix, ...folders, base].map((part) => part.normalize('NFC')).join('/');
}

/** A name for each added folder, by which its models go: its own, with a number where an earlier one has it too. */
export function folderNames(folders: readonly string[]): string[] {
  const taken = new Set<string>();
  return folders.map((folder) => {
    const own = path.basename(folder) || 'root';
    let name = own;
    for (let n = 2; taken.has(name); n++) name = `${own}-${n}`;
    taken.add(name);
    return name;
  });
}
