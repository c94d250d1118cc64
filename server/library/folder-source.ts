/** Models of an ordinary folder: the person's own, one that was added, LM Studio's, llama.cpp's cache. */
import path from 'node:path';
import type { ModelSource } from '../../protocol/models.js';
import type { Candidate, Found } from './candidate.js';
import { idBelow } from './ids.js';
import { groupFiles, stem } from './names.js';
import { withoutFormat } from './projectors.js';
import { MAX_DEPTH, MAX_ENTRIES, type ScanResult, scanFolder } from './scan.js';

/** @param prefix Null: they go by their names. */
export async function folderModels(
  folder: string,
  source: ModelSource,
  prefix: string | null,
): Promise<Found> {
  const scan = await scanFolder(folder);
  const idOf = (base: string, file: string): string | null => {
    if (prefix === null) return null;
    const between = path.relative(folder, path.dirname(file)).split(path.sep);
    return idBelow(
      prefix,
      between.filter((part) => part !== ''),
      base,
    );
  };
  const groups = groupFiles(scan.files);
  const projectors = byFolder(scan.projectors, (file) => file);
  const kinds = byFolder(groups, ({ paths: [first = ''] }) => first);
  const candidates = groups.map((group): Candidate => {
    const [first = ''] = group.paths;
    const at = path.dirname(first);
    const beside = kinds.get(at)?.map(({ base }) => withoutFormat(base));
    return {
      ...{ ...group, source, problem: null, id: idOf(group.base, first) },
      projectors: projectors.get(at) ?? [],
      isAlone: new Set(beside).size === 1,
    };
  });
  const unnameable = scan.unnameable.map((file): Candidate => {
    const name = path.basename(file);
    return {
      ...{ base: stem(name), paths: [file], missingParts: [], totalParts: 1, source },
      ...{ projectors: [], isAlone: false, id: idOf(stem(name), file) },
      problem: `The name of ${name} has bytes that are no text, so it cannot be opened: rename it.`,
    };
  });
  return {
    candidates: [...candidates, ...unnameable],
    folders: scan.folders,
    errorCode: scan.errorCode,
    notices: noticesOf(folder, scan),
  };
}

function byFolder<T>(items: readonly T[], fileOf: (item: T) => string): Map<string, T[]> {
  const folders = new Map<string, T[]>();
  for (const item of items) {
    const at = path.dirname(fileOf(item));
    const there = folders.get(at);
    if (there === undefined) folders.set(at, [item]);
    else there.push(item);
  }
  return folders;
}

function noticesOf(folder: string, { locked, isCut }: ScanResult): string[] {
  const [first] = locked;
  const others = locked.length > 1 ? ` and ${locked.length - 1} more of its folders` : '';
  return [
    ...(first === undefined
      ? []
      : [`${first}${others} cannot be read, so models in there are not listed.`]),
    ...(isCut
      ? [
          `${folder} holds more than is looked through (${MAX_DEPTH} levels of folders, ${MAX_ENTRIES.toLocaleString('en-US')} entries), so some models in it may not be listed: name a folder further down.`,
        ]
      : []),
  ];
}
