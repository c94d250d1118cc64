/** What file names say: which files are models, which belong together, and what the models are called. Pure. */
import path from 'node:path';

/** A name may speak of 99,999 parts. */
const MISSING_LISTED = 11;

const GGUF_EXTENSION = /\.gguf$/i;
const SPLIT = /^(.*)-(\d{5})-of-(\d{5})$/;
/** Vision projectors lie beside their models and cannot run on their own. */
const PROJECTOR = /(^|[-_.])mmproj([-_.]|$)/i;

/** What a scan takes a file for, by its name; null: it passes it over. */
export function fileKindOf(name: string): 'model' | 'projector' | null {
  if (!GGUF_EXTENSION.test(name) || name.startsWith('.')) return null;
  return PROJECTOR.test(stem(name)) ? 'projector' : 'model';
}

/** The file name without .gguf, in one Unicode form, since systems differ in the form they hand out. */
export function stem(fileName: string): string {
  return fileName.replace(GGUF_EXTENSION, '').normalize('NFC');
}

/** One model's files: all parts of a split one, else a single file. Paths are sorted by part. */
export interface FileGroup {
  /** The name the model goes by: without .gguf, and without the part number. */
  base: string;
  /** Absolute paths. The first is the one to load. */
  paths: string[];
  /** Numbers of the first parts that are not there, from 1; at most MISSING_LISTED. */
  missingParts: number[];
  /** Parts that the names speak of. */
  totalParts: number;
}

/** Groups the parts of split models; order of first appearance is kept. */
export function groupFiles(paths: readonly string[]): FileGroup[] {
  const splits = new Map<string, { base: string; total: number; parts: Map<number, string> }>();
  const groups: (FileGroup | string)[] = [];
  for (const file of paths) {
    const name = stem(path.basename(file));
    const match = SPLIT.exec(name);
    const [, base, part, total] = match ?? [];
    if (base === undefined || Number(part) < 1 || Number(part) > Number(total)) {
      groups.push({ base: name, paths: [file], missingParts: [], totalParts: 1 });
      continue;
    }
    const key = `${path.dirname(file)}\n${base}\n${total}`;
    let split = splits.get(key);
    if (split === undefined) {
      split = { base, total: Number(total), parts: new Map() };
      splits.set(key, split);
      groups.push(key);
    }
    split.parts.set(Number(part), file);
  }
  return groups.flatMap((group) => {
    if (typeof group !== 'string') return [group];
    const split = splits.get(group);
    if (split === undefined) return [];
    const { base, total, parts } = split;
    const missingParts: number[] = [];
    for (let n = 1; n <= total && missingParts.length < MISSING_LISTED; n++) {
      if (!parts.has(n)) missingParts.push(n);
    }
    const sorted = [...parts].sort(([a], [b]) => a - b).map(([, file]) => file);
    return [{ base, paths: sorted, missingParts, totalParts: total }];
  });
}
