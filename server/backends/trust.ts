/**
 * What probes have shown, kept between starts in backends.json of the data folder: for one machine, by module digest.
 * A file that is damaged, of another machine or not writable only means that modules are probed again.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { ensureFolder } from '../store/folder.js';

/** What is missing, a device or a library, may be there meanwhile; milliseconds. */
const FAILURE_AGE_MAX = 24 * 60 * 60 * 1000;

const moduleSchema = z.object({
  name: z.string(),
  score: z.number(),
  devices: z.array(z.object({ name: z.string(), description: z.string(), isGpu: z.boolean() })),
});
const probeSchema = z.union([
  z.object({ outcome: z.literal('works'), module: moduleSchema }),
  z.object({ outcome: z.enum(['refused', 'broken']), reason: z.string() }),
]);
const verdictSchema = z.object({
  /** Milliseconds since 1970. */
  at: z.number(),
  score: z.number().optional(),
  probe: probeSchema.optional(),
});
export type Verdict = Omit<z.infer<typeof verdictSchema>, 'at'>;
const fileSchema = z.object({ machine: z.string(), modules: z.record(z.string(), verdictSchema) });

export class Trust {
  readonly #file: string;
  readonly #data: z.infer<typeof fileSchema>;

  private constructor(file: string, data: z.infer<typeof fileSchema>) {
    this.#file = file;
    this.#data = data;
  }

  /** Never rejects. */
  static async open(dataDir: string, machine: string, now = Date.now()): Promise<Trust> {
    const file = path.join(dataDir, 'backends.json');
    const text = await readFile(file, 'utf8').catch(() => '');
    const parsed = fileSchema.safeParse(parseJson(text));
    if (!parsed.success || parsed.data.machine !== machine) {
      return new Trust(file, { machine, modules: {} });
    }
    const kept = Object.entries(parsed.data.modules).filter(
      ([, { probe, at }]) =>
        (probe?.outcome === 'works' && probe.module.devices.length > 0) ||
        now - at < FAILURE_AGE_MAX,
    );
    return new Trust(file, { machine, modules: Object.fromEntries(kept) });
  }

  /** @param digest of the module's file */
  get(digest: string): Verdict {
    return this.#data.modules[digest] ?? {};
  }

  set(digest: string, verdict: Verdict, now = Date.now()): void {
    this.#data.modules[digest] = { ...this.#data.modules[digest], ...verdict, at: now };
  }

  /** Whole or not at all. Never rejects. */
  async save(): Promise<void> {
    const draft = `${this.#file}.${process.pid}.tmp`;
    try {
      ensureFolder(path.dirname(this.#file));
      await writeFile(draft, `${JSON.stringify(this.#data, null, 2)}\n`, { mode: 0o600 });
      await rename(draft, this.#file);
    } catch {
      // the next start probes again
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
