/**
 * Headers of files that have been read, by path; a file of another size or time is read again. Kept between starts in
 * library-cache.json of the data folder, which can be deleted at any time: it only spares reading.
 */
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { ensureFolder } from '../store/folder.js';
import { type GgufHeader, type GgufProblem, readGguf } from './gguf.js';

/** A file as the scan saw it. `size` in bytes, `mtimeMs` milliseconds since the epoch. */
export interface FileStat {
  path: string;
  size: number;
  mtimeMs: number;
}

/** To be raised when a header has other fields, or the same ones are read differently. */
const VERSION = 1;

/** Files that are remembered between starts: their headers take some 500 bytes each. */
const MAX_KEPT = 20_000;

/** A larger file is none that was written here. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

const nullableNumber = z.number().nullable();
const headerSchema = z.strictObject({
  ...{ architecture: z.string(), name: z.string(), type: z.string(), license: z.string() },
  ...{ poolingType: nullableNumber, fileType: nullableNumber, embeddingLength: nullableNumber },
  ...{ projectionLength: nullableNumber, trainedContextLength: nullableNumber },
  ...{ causal: z.boolean(), hasVision: z.boolean(), mainType: z.string().nullable() },
  ...{ tensors: z.number(), parameters: z.number(), splitCount: z.number() },
  ...{ expectedBytes: z.number(), neededBytes: z.number() },
  template: z.strictObject({ tools: z.boolean(), reasoning: z.boolean() }).nullable(),
}) satisfies z.ZodType<GgufHeader>;

const fileSchema = z.object({
  version: z.literal(VERSION),
  files: z.array(z.tuple([z.string(), z.string(), headerSchema])),
});

interface Entry {
  /** Size and time. */
  key: string;
  header: GgufHeader | GgufProblem;
}

export class HeaderCache {
  private entries = new Map<string, Entry>();
  private hasChanged = false;

  /** @param dataDir Null: nothing is kept between starts. */
  constructor(private readonly dataDir: string | null = null) {}

  /** Reads what an earlier start has kept; without effect where there is nothing, or something else. */
  async load(): Promise<void> {
    if (this.dataDir === null) return;
    try {
      const file = fileOf(this.dataDir);
      if ((await stat(file)).size > MAX_FILE_BYTES) return;
      const { files } = fileSchema.parse(JSON.parse(await readFile(file, 'utf8')));
      for (const [at, key, header] of files) this.entries.set(at, { key, header });
    } catch {
      // It is made anew.
    }
  }

  async read({ path: file, size, mtimeMs }: FileStat): Promise<GgufHeader | GgufProblem> {
    const key = `${size} ${mtimeMs}`;
    const known = this.entries.get(file);
    if (known?.key === key) return known.header;
    const header = await readGguf(file);
    this.entries.set(file, { key, header });
    this.hasChanged = true;
    return header;
  }

  /** Forgets all files but these. */
  keepOnly(paths: ReadonlySet<string>): void {
    for (const file of this.entries.keys()) {
      if (paths.has(file)) continue;
      this.entries.delete(file);
      this.hasChanged = true;
    }
  }

  /** Keeps what has been read since for the next start; where it cannot, that start reads the files again. */
  async save(): Promise<void> {
    if (this.dataDir === null || !this.hasChanged) return;
    this.hasChanged = false;
    // A problem is looked at anew: what was wrong, such as a permission, may have gone without a change of the file.
    const files = [...this.entries]
      .flatMap(([at, { key, header }]) => ('problem' in header ? [] : [[at, key, header]]))
      .slice(0, MAX_KEPT);
    const file = fileOf(this.dataDir);
    const draft = `${file}.${process.pid}.tmp`;
    try {
      ensureFolder(this.dataDir);
      await writeFile(draft, JSON.stringify({ version: VERSION, files }), { mode: 0o600 });
      await rename(draft, file);
    } catch {
      await rm(draft, { force: true }).catch(() => {});
    }
  }
}

function fileOf(dataDir: string): string {
  return path.join(dataDir, 'library-cache.json');
}
