/**
 * What the server remembers between starts: settings.json in the data folder. Nothing here can stop the server: a
 * damaged file is kept aside and told of, a folder that cannot be written to as well.
 */
import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { ensureFolder } from './folder.js';

/** Unknown keys are kept: a newer version may have written them. */
const settingsSchema = z.looseObject({
  /** Id of the model that was current last. */
  currentModel: z.string().min(1).nullable().default(null),
});
type SettingsData = z.infer<typeof settingsSchema>;

export class Settings {
  private readonly sentences = new Map<'read' | 'write', string>();
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: string,
    private data: SettingsData,
  ) {}

  /** Never rejects: without a readable file the defaults hold. */
  static async open(dataDir: string): Promise<Settings> {
    const file = path.join(dataDir, 'settings.json');
    const settings = new Settings(file, settingsSchema.parse({}));
    let text: string;
    try {
      text = await readFile(file, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') {
        settings.sentences.set('read', `The settings in ${file} cannot be read (${code}).`);
      }
      return settings;
    }
    const parsed = settingsSchema.safeParse(parseJson(text));
    if (parsed.success) settings.data = parsed.data;
    else await settings.keepAside();
    return settings;
  }

  get currentModel(): string | null {
    return this.data.currentModel;
  }

  /** Remembers it; resolves when it is on the disk, or when a notice says why it is not. */
  setCurrentModel(id: string): Promise<void> {
    this.data = { ...this.data, currentModel: id };
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  /** Resolves when all that was set is on the disk, or a notice says why it is not. */
  written(): Promise<void> {
    return this.writing;
  }

  /** Sentences for people about settings that could not be read or written. */
  notices(): string[] {
    return [...this.sentences.values()];
  }

  private async keepAside(): Promise<void> {
    const stamp = new Date().toISOString().replace(/[:.]/g, '-');
    const aside = this.file.replace(/\.json$/, `.damaged-${stamp}.json`);
    try {
      await rename(this.file, aside);
      this.sentences.set(
        'read',
        `The settings were damaged, so the defaults are used. The damaged file is kept as ${aside}.`,
      );
    } catch {
      this.sentences.set(
        'read',
        `The settings in ${this.file} are damaged; the defaults are used.`,
      );
    }
  }

  /** Whole or not at all: a new file beside the old one takes its place in one step. */
  private async write(): Promise<void> {
    const draft = `${this.file}.${process.pid}.tmp`;
    try {
      ensureFolder(path.dirname(this.file));
      const file = await open(draft, 'w', 0o600);
      try {
        await file.writeFile(`${JSON.stringify(this.data, null, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, this.file);
      this.sentences.delete('write');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      await rm(draft, { force: true }).catch(() => {});
      this.sentences.set(
        'write',
        `Settings cannot be saved to ${this.file} (${code ?? 'unknown'}).`,
      );
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
