/**
 * The models there are: GGUF files of the models folder, of the built-in folder, of folders that were added, of other
 * programs, and single files given by path. Only looks at files, and never changes any but for making the models folder
 * where it is missing.
 */
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ensureFolder } from '../store/folder.js';
import type { Candidate } from './candidate.js';
import { findByName } from './find.js';
import { HeaderCache } from './header-cache.js';
import { uniqueIds } from './ids.js';
import { inspect } from './inspect.js';
import type { LibraryModel } from './model.js';
import { lookInPlaces, type Places } from './places.js';
import { inBatches, present } from './present.js';
import { FolderWatch } from './watch.js';

export interface LibraryOptions extends Omit<Places, 'folders' | 'foreign'> {
  /** None where they are left out; so with `foreign`. */
  folders?: Places['folders'];
  foreign?: Places['foreign'];
  /** Where headers are kept between starts; null or none: nowhere. */
  dataDir?: string | null;
  /** Further names of the model with this id; asked with each look at the folders. */
  aliasesOf?: (id: string) => readonly string[];
  /** Makes no folder and keeps nothing: for a look beside a running server. */
  isReadOnly?: boolean;
  /** Stands in for the places, in tests of drives that do not answer. */
  look?: typeof lookInPlaces;
  log: Pick<Logger, 'warn'>;
}

/** How long a start waits for the models of added folders and other programs, in milliseconds. */
const OTHERS_WAIT_MS = 5_000;

export class Library {
  private readonly cache: HeaderCache;
  private readonly watch = new FolderWatch(() => void this.refresh());
  private readonly listeners = new Set<() => void>();
  private readonly look: typeof lookInPlaces;
  private places: Places;
  /** Links resolved. */
  private idByFile = new Map<string, string>();
  /** What a file that counts already is called at the other places that lead to it → its id. */
  private otherIds = new Map<string, string>();
  private entries: LibraryModel[] = [];
  private sentences: string[] = [];
  private scanning: Promise<void> | null = null;
  private scanAgain = false;
  private closed = false;

  private constructor(private readonly options: LibraryOptions) {
    const { modelsDir, builtInModelsDir, files, folders = [], foreign = {} } = options;
    this.places = { modelsDir, builtInModelsDir, files, folders, foreign };
    this.look = options.look ?? lookInPlaces;
    this.cache = new HeaderCache(options.dataDir ?? null);
  }

  /**
   * Makes the models folder where it is missing and reads it once. A folder that cannot be read is a notice. Folders
   * beyond the models folder may be on drives that do not answer: they are waited for a while, and then come later.
   */
  static async open(options: LibraryOptions): Promise<Library> {
    const library = new Library(options);
    library.makeModelsDir();
    await library.cache.load();
    const { folders, foreign } = library.places;
    const isOwnOnly = folders.length === 0 && Object.keys(foreign).length === 0;
    if (!isOwnOnly) await library.lookAtOwn();
    const whole = library.refresh();
    await (isOwnOnly ? whole : Promise.race([whole, wait(OTHERS_WAIT_MS, null, { ref: false })]));
    return library;
  }

  /** The person's own folder, into which models are put. */
  get modelsDir(): string {
    return this.places.modelsDir;
  }

  /** Looks there from now on, and asks for aliases anew; resolves when it has. */
  async change(places: Partial<Places>): Promise<void> {
    const before = this.places.modelsDir;
    this.places = { ...this.places, ...places };
    if (this.modelsDir !== before) this.makeModelsDir();
    await this.refresh();
  }

  /** Sorted by id: the person's own and others', the built-in ones, then those that cannot run. The same objects until a file changes. */
  models(): readonly LibraryModel[] {
    return this.entries;
  }

  /** The model that a name means: an id, an alias, a file name, or the end of an id that no other one has. */
  find(name: string): LibraryModel | null {
    return findByName(name, this.entries, this.otherIds);
  }

  /** The model that this file is, or is a part of; links mean their targets. */
  async findByPath(file: string): Promise<LibraryModel | null> {
    const id = this.idByFile.get(await realpath(file).catch(() => file));
    return this.entries.find((model) => model.id === id) ?? null;
  }

  /** Sentences for people about folders that cannot be used. */
  notices(): string[] {
    return [...this.sentences];
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

  private makeModelsDir(): void {
    if (this.options.isReadOnly) return;
    try {
      ensureFolder(this.places.modelsDir);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      this.options.log.warn({ code }, 'models folder could not be made');
    }
  }

  /** What is on this machine for certain, so that a start has it whatever else answers. */
  private async lookAtOwn(): Promise<void> {
    const found = await this.look({ ...this.places, folders: [], foreign: {} });
    const { entries } = await this.describe(found.candidates);
    this.entries = entries;
    this.sentences = found.notices;
  }

  private async scan(): Promise<void> {
    const { modelsDir } = this.places;
    const found = await this.look(this.places);
    const { entries, used, isArriving } = await this.describe(found.candidates);
    this.cache.keepOnly(used);
    if (this.closed) return;
    const awaited = await Promise.all(found.missing.map(nearestFolder));
    const isExpecting = isArriving || found.missing.includes(modelsDir);
    this.watch.set([...new Set([...found.folders, ...awaited])], isExpecting);
    if (!this.options.isReadOnly) await this.cache.save();
    const unchanged =
      JSON.stringify([entries, found.notices]) === JSON.stringify([this.entries, this.sentences]);
    if (unchanged || this.closed) return;
    this.entries = entries;
    this.sentences = found.notices;
    for (const listener of this.listeners) listener();
  }

  /** `used`: files whose headers are needed. `isArriving`: a file is among them that may still be on its way. */
  private async describe(
    candidates: readonly Candidate[],
  ): Promise<{ entries: LibraryModel[]; used: Set<string>; isArriving: boolean }> {
    const { found, others } = await present(candidates);
    const ids = uniqueIds(
      found.map(({ candidate: { base, id }, path: file }) =>
        id === null ? { base, path: file } : { id },
      ),
    );
    const idByFile = new Map<string, string>();
    for (const [i, { realPaths }] of found.entries()) {
      for (const real of realPaths) idByFile.set(real, ids[i] ?? '');
    }
    let isArriving = false;
    const entries = await inBatches(found, async ({ candidate, path: file, stats }, i) => {
      const { name, isPartial, ...inspected } = await inspect(candidate, stats, this.cache);
      isArriving ||= isPartial;
      const id = ids[i] ?? candidate.base;
      return {
        id,
        name: name === '' ? candidate.base : name,
        path: file,
        files: stats.map((each) => each.path),
        sizeBytes: stats.reduce((sum, { size }) => sum + size, 0),
        created: Math.floor((stats[0]?.mtimeMs ?? 0) / 1000),
        source: candidate.source,
        builtIn: candidate.source === 'built_in',
        aliases: [...(this.options.aliasesOf?.(id) ?? [])],
        ...inspected,
      };
    });
    this.idByFile = idByFile;
    this.otherIds = new Map(
      others.map(([other, known]) => [other, ids[found.indexOf(known)] ?? '']),
    );
    const used = found.flatMap(({ candidate, stats }) => [
      ...stats.map((each) => each.path),
      ...candidate.projectors,
    ]);
    const bases = found.map(({ candidate }) => candidate.base);
    const sorted = withDistinctNames(entries, bases).sort(
      (a, b) =>
        Number(a.invalidReason !== null) - Number(b.invalidReason !== null) ||
        Number(a.builtIn) - Number(b.builtIn) ||
        (a.id < b.id ? -1 : 1),
    );
    return { entries: sorted, used: new Set(used), isArriving };
  }
}

/** Copies and variants often carry one name inside; people tell those apart by their files, and copies by where they are. */
function withDistinctNames(
  entries: readonly LibraryModel[],
  bases: readonly string[],
): LibraryModel[] {
  const byFile = entries.map(({ name }, i) => [name, bases[i] ?? name] as const);
  const names = distinct(distinct(byFile).map((name, i) => [name, entries[i]?.id ?? name]));
  return entries.map((entry, i) => ({ ...entry, name: names[i] ?? entry.id }));
}

/** The first of each pair where no other pair has it first, else the second. */
function distinct(pairs: readonly (readonly [name: string, otherwise: string])[]): string[] {
  const uses = new Map<string, number>();
  for (const [name] of pairs) uses.set(name, (uses.get(name) ?? 0) + 1);
  return pairs.map(([name, otherwise]) => (uses.get(name) === 1 ? name : otherwise));
}

/** The folder that is there and will tell when `folder` comes back. */
async function nearestFolder(folder: string): Promise<string> {
  for (let at = path.dirname(folder); ; at = path.dirname(at)) {
    const found = await stat(at).catch(() => null);
    if (found?.isDirectory() || at === path.dirname(at)) return at;
  }
}
