/**
 * The models there are: GGUF files of the models folder, of the built-in folder, and single files given by path. Only
 * looks at files, and never changes any but for making the models folder where it is missing.
 */
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import type { ModelSource } from '../../protocol/models.js';
import { ensureFolder } from '../store/folder.js';
import { type FileStat, HeaderCache, inspect } from './inspect.js';
import type { LibraryModel } from './model.js';
import { type FileGroup, groupFiles, stem, uniqueIds } from './names.js';
import { scanFolder } from './scan.js';
import { FolderWatch } from './watch.js';

export interface LibraryOptions {
  modelsDir: string;
  /** Null: none. */
  builtInModelsDir: string | null;
  /** Single files, absolute paths. */
  files: readonly string[];
  log: Logger;
}

interface Candidate extends FileGroup {
  source: ModelSource;
}

interface Present {
  candidate: Candidate;
  /** Of the first file. */
  path: string;
  base: string;
  stats: FileStat[];
  realPaths: string[];
}

export class Library {
  private readonly cache = new HeaderCache();
  private readonly watch = new FolderWatch(() => void this.refresh());
  private readonly listeners = new Set<() => void>();
  /** Links resolved. */
  private idByFile = new Map<string, string>();
  private entries: LibraryModel[] = [];
  private folderNotice: string | null = null;
  private scanning: Promise<void> | null = null;
  private scanAgain = false;
  private closed = false;

  private constructor(private readonly options: LibraryOptions) {}

  /** Makes the models folder where it is missing and reads it once. A folder that cannot be read is a notice. */
  static async open(options: LibraryOptions): Promise<Library> {
    const library = new Library(options);
    try {
      ensureFolder(options.modelsDir);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      options.log.warn({ code }, 'models folder could not be made');
    }
    await library.refresh();
    return library;
  }

  /** Sorted by id: the person's own, the built-in ones, then those that cannot run. The same objects until a file changes. */
  models(): readonly LibraryModel[] {
    return this.entries;
  }

  /** The model with this id; the file name with .gguf means the same. */
  find(id: string): LibraryModel | null {
    const wanted = id.normalize('NFC');
    return (
      this.entries.find((model) => model.id === wanted) ??
      this.entries.find((model) => model.id === stem(wanted)) ??
      this.findIgnoringCase(wanted)
    );
  }

  /** People write a name as the window shows it. Two models that differ only in case must be named exactly. */
  private findIgnoringCase(id: string): LibraryModel | null {
    const wanted = id.toLowerCase();
    const found = this.entries.filter((model) => model.id.toLowerCase() === wanted);
    return found.length === 1 ? (found[0] ?? null) : null;
  }

  /** The model that this file is, or is a part of; links mean their targets. */
  async findByPath(file: string): Promise<LibraryModel | null> {
    const id = this.idByFile.get(await realpath(file).catch(() => file));
    return this.entries.find((model) => model.id === id) ?? null;
  }

  /** A sentence for people where the models folder cannot be used, else none. */
  notices(): string[] {
    return this.folderNotice === null ? [] : [this.folderNotice];
  }

  /** Calls `listener` after each change of the list or the notices. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** Looks at the folders again. Calls that come while a look is under way share one more. */
  refresh(): Promise<void> {
    if (this.scanning) {
      this.scanAgain = true;
      return this.scanning;
    }
    this.scanning = (async () => {
      do {
        this.scanAgain = false;
        await this.scan();
      } while (this.scanAgain && !this.closed);
    })().finally(() => {
      this.scanning = null;
    });
    return this.scanning;
  }

  close(): void {
    this.closed = true;
    this.watch.close();
  }

  private async scan(): Promise<void> {
    const { modelsDir, builtInModelsDir, files } = this.options;
    const own = await scanFolder(modelsDir);
    const builtIn = builtInModelsDir === null ? null : await scanFolder(builtInModelsDir);
    const candidates: Candidate[] = [
      ...groupFiles(builtIn?.files ?? []).map((group) => ({
        ...group,
        source: 'built_in' as const,
      })),
      ...groupFiles(own.files).map((group) => ({ ...group, source: 'models_dir' as const })),
      ...(await Promise.all(files.map(singleFile))).map((group) => ({
        ...group,
        source: 'file' as const,
      })),
    ];
    const { entries, isArriving } = await this.describe(candidates);
    if (this.closed) return;
    this.watch.set(own.folders, own.errorCode === 'ENOENT' || isArriving);
    const notice = own.errorCode === null ? null : folderSentence(modelsDir, own.errorCode);
    const unchanged =
      JSON.stringify(entries) === JSON.stringify(this.entries) && notice === this.folderNotice;
    if (unchanged) return;
    this.entries = entries;
    this.folderNotice = notice;
    for (const listener of this.listeners) listener();
  }

  /** `isArriving`: a file is among them that may still be on its way. */
  private async describe(
    candidates: readonly Candidate[],
  ): Promise<{ entries: LibraryModel[]; isArriving: boolean }> {
    const found = await this.present(candidates);
    const ids = uniqueIds(found);
    const entries: LibraryModel[] = [];
    const idByFile = new Map<string, string>();
    let isArriving = false;
    for (const [i, { candidate, path: file, stats, realPaths }] of found.entries()) {
      const { name, isPartial, ...inspected } = await inspect(candidate, stats, this.cache);
      isArriving ||= isPartial;
      const id = ids[i] ?? candidate.base;
      for (const real of realPaths) idByFile.set(real, id);
      entries.push({
        id,
        name: name === '' ? id : name,
        path: file,
        files: stats.map((each) => each.path),
        sizeBytes: stats.reduce((sum, { size }) => sum + size, 0),
        created: Math.floor((stats[0]?.mtimeMs ?? 0) / 1000),
        source: candidate.source,
        builtIn: candidate.source === 'built_in',
        ...inspected,
      });
    }
    this.idByFile = idByFile;
    this.cache.keepOnly(new Set(found.flatMap(({ stats }) => stats.map((s) => s.path))));
    const sorted = withDistinctNames(entries).sort(
      (a, b) =>
        Number(a.invalidReason !== null) - Number(b.invalidReason !== null) ||
        Number(a.builtIn) - Number(b.builtIn) ||
        (a.id < b.id ? -1 : 1),
    );
    return { entries: sorted, isArriving };
  }

  /** Those whose files are all there; each file once, however many ways lead to it. */
  private async present(candidates: readonly Candidate[]): Promise<Present[]> {
    const found: Present[] = [];
    const seen = new Set<string>();
    for (const candidate of candidates) {
      const stats = await statAll(candidate.paths);
      const [first] = stats;
      if (first === undefined || stats.length < candidate.paths.length) continue;
      const realPaths = await Promise.all(
        stats.map((file) => realpath(file.path).catch(() => file.path)),
      );
      if (realPaths.some((real) => seen.has(real))) continue;
      for (const real of realPaths) seen.add(real);
      found.push({ candidate, path: first.path, base: candidate.base, stats, realPaths });
    }
    return found;
  }
}

/** Copies and variants often carry one name inside; people tell those apart by their files. */
function withDistinctNames(entries: readonly LibraryModel[]): LibraryModel[] {
  const uses = new Map<string, number>();
  for (const { name } of entries) uses.set(name, (uses.get(name) ?? 0) + 1);
  return entries.map((entry) =>
    uses.get(entry.name) === 1 ? entry : { ...entry, name: entry.id },
  );
}

/** A file given by path. A part of a split model brings the others from beside it. */
async function singleFile(file: string): Promise<FileGroup> {
  const [alone] = groupFiles([file]);
  if (alone && alone.missingParts.length === 0) return alone;
  const beside = await scanFolder(path.dirname(file));
  const group = groupFiles(beside.files).find(({ paths }) => paths.includes(file));
  return (
    group ?? { base: stem(path.basename(file)), paths: [file], missingParts: [], totalParts: 1 }
  );
}

async function statAll(paths: readonly string[]): Promise<FileStat[]> {
  const stats: FileStat[] = [];
  for (const file of paths) {
    try {
      const { size, mtimeMs } = await stat(file);
      stats.push({ path: file, size, mtimeMs });
    } catch {
      // Gone between the listing and now.
    }
  }
  return stats;
}

function folderSentence(folder: string, code: string): string {
  switch (code) {
    case 'ENOENT':
      return `The models folder ${folder} is not there.`;
    case 'ENOTDIR':
      return `${folder} is not a folder, so no models are read from it.`;
    case 'EACCES':
    case 'EPERM':
      return `The models folder ${folder} cannot be read: you have no permission to.`;
    default:
      return `The models folder ${folder} cannot be read (${code}).`;
  }
}
