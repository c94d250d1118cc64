/**
 * What the server remembers between starts: settings.json in the data folder. Nothing here can stop the server: a
 * damaged file is kept aside and told of, a damaged value falls back to its default. Secrets are in secrets.ts.
 */
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import {
  type ModelSettings,
  SETTING_DEFAULTS,
  type ServerSettings,
  type SettingsPatch,
} from '../../protocol/settings.js';
import { ensureFolder } from './folder.js';
import {
  type Json,
  parseObject,
  readStored,
  type StoredSettings,
  type StoredUpstream,
} from './stored-settings.js';

/** Uses of models are written together, this long after the first of them, in milliseconds. */
const USES_WRITTEN_MS = 30_000;

/** How often it is looked whether another process has written the file, in milliseconds. */
const WATCH_MS = 1_000;

/** Models whose last use is kept, the latest of them. */
const MAX_LAST_USED = 1_000;

/** Why settings could not be changed; the message is a sentence for people. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** The new content, of the file as it is. */
type Edit = (file: Json) => Json;

export class Settings {
  private readonly sentences = new Map<'read' | 'damaged' | 'write', string>();
  private readonly listeners = new Set<() => void>();
  private writing: Promise<void> = Promise.resolve();
  /** Of values that hold already, and are not on the disk yet. */
  private pending: Edit[] = [];
  private usesTimer: NodeJS.Timeout | null = null;
  /** The file as it was read or written last. */
  private content: Json = {};
  private stored: StoredSettings;

  private constructor(
    private readonly file: string,
    private readonly defaults: ServerSettings,
  ) {
    this.stored = readStored({}, defaults).stored;
  }

  /**
   * Never rejects: without a readable file the defaults hold.
   * @param defaults Where they differ from those of SETTING_DEFAULTS.
   */
  static async open(dataDir: string, defaults: Partial<ServerSettings> = {}): Promise<Settings> {
    const file = path.join(dataDir, 'settings.json');
    const settings = new Settings(file, { ...SETTING_DEFAULTS, ...defaults });
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
    const content = parseObject(text);
    if (content === null) await settings.keepAside();
    else settings.take(content);
    return settings;
  }

  get currentModel(): string | null {
    return this.stored.currentModel;
  }

  /** Remembers it; resolves when it is on the disk, or when a notice says why it is not. */
  setCurrentModel(id: string): Promise<void> {
    this.stored = { ...this.stored, currentModel: id };
    return this.remember((file) => ({ ...file, currentModel: id }));
  }

  get values(): ServerSettings {
    return this.stored.server;
  }

  /**
   * Applies what the patch names, all of it or nothing; resolves when it is on the disk and holds.
   * @throws SettingsError where it cannot be written.
   */
  change(patch: SettingsPatch): Promise<void> {
    const { preferences, ...rest } = patch;
    const wanted = Object.fromEntries(named(rest));
    if (preferences === undefined) return this.commit((file) => ({ ...file, ...wanted }));
    return this.commit((file) => {
      const before = asObject(file.preferences) ?? {};
      const after = { ...before, ...Object.fromEntries(named(preferences)) };
      return { ...file, ...wanted, preferences: after };
    });
  }

  /** What was set for the model with this id; {} where nothing was. */
  modelSettings(id: string): ModelSettings {
    return this.stored.models.get(id) ?? {};
  }

  /** Of all models for which something was set, also of those that are not there at the moment. */
  get allModelSettings(): ReadonlyMap<string, ModelSettings> {
    return this.stored.models;
  }

  /**
   * Sets what the patch names, and forgets what it names as undefined. Null: forgets all of the model's settings.
   * @throws SettingsError where it cannot be written.
   */
  setModelSettings(id: string, patch: ModelSettings | null): Promise<void> {
    return this.commit((file) => {
      const models = { ...(asObject(file.models) ?? {}) };
      const merged = { ...(asObject(models[id]) ?? {}), ...patch };
      const left = Object.entries(merged).filter(([, value]) => value !== undefined);
      const rest = Object.entries(models).filter(([key]) => key !== id);
      const kept = patch === null || left.length === 0 ? [] : [[id, Object.fromEntries(left)]];
      return { ...file, models: Object.fromEntries([...rest, ...kept]) };
    });
  }

  /** In the order in which they are tried for a model that several have. */
  get upstreams(): readonly StoredUpstream[] {
    return this.stored.upstreams;
  }

  /** @throws SettingsError where they cannot be written. */
  setUpstreams(upstreams: readonly StoredUpstream[]): Promise<void> {
    return this.commit((file) => ({ ...file, upstreams }));
  }

  /** Unix seconds of the model's last request, also of earlier starts; null: never, or long ago. */
  lastUsed(id: string): number | null {
    return this.stored.lastUsed.get(id) ?? null;
  }

  /** Remembers that the model is used now. Cheap: it is on the disk some time later, and when the server stops. */
  noteUse(id: string): void {
    const lastUsed = new Map(this.stored.lastUsed).set(id, Math.floor(Date.now() / 1000));
    this.stored = { ...this.stored, lastUsed };
    this.usesTimer ??= setTimeout(() => void this.writeUses(), USES_WRITTEN_MS).unref();
  }

  /** Takes over what other processes write, such as the command line, until close(). */
  watch(): void {
    watchFile(this.file, { interval: WATCH_MS, persistent: false }, () => void this.reread());
  }

  close(): void {
    unwatchFile(this.file);
  }

  /** Calls `listener` after each change but those of the current model and of last uses. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** Resolves when all that was set is on the disk, or a notice says why it is not. */
  written(): Promise<void> {
    return this.usesTimer === null ? this.writing : this.writeUses();
  }

  /** Sentences for people about settings that could not be read or written. */
  notices(): string[] {
    return [...this.sentences.values()];
  }

  /** Between two writes. A file that is gone or damaged changes nothing: what holds is written with the next change. */
  private reread(): Promise<void> {
    const done = this.writing.then(() => {
      const content = this.now();
      if (JSON.stringify(content) === JSON.stringify(this.content)) return;
      this.take(content);
      for (const listener of this.listeners) listener();
    });
    this.writing = done.catch(() => {});
    return this.writing;
  }

  private writeUses(): Promise<void> {
    if (this.usesTimer !== null) clearTimeout(this.usesTimer);
    this.usesTimer = null;
    return this.remember((file) => {
      // Another server on the same folder may have written its own.
      const latest = new Map(readStored(file, this.defaults).stored.lastUsed);
      for (const [id, at] of this.stored.lastUsed) {
        latest.set(id, Math.max(at, latest.get(id) ?? 0));
      }
      const kept = [...latest].sort(([, a], [, b]) => b - a).slice(0, MAX_LAST_USED);
      return { ...file, last_used: Object.fromEntries(kept) };
    });
  }

  private take(content: Json): void {
    const { stored, damaged } = readStored(content, this.defaults);
    const named = damaged.map((name) => `"${name}"`).join(', ');
    if (damaged.length === 0) this.sentences.delete('damaged');
    else {
      this.sentences.set(
        'damaged',
        `In ${this.file} some values are not what they can be, so their defaults are used: ${named}.`,
      );
    }
    this.content = content;
    // What is not on the disk yet holds all the same.
    const { currentModel, lastUsed } = this.stored;
    const isKept = this.pending.length > 0 || this.usesTimer !== null;
    this.stored = isKept ? { ...stored, currentModel, lastUsed } : stored;
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

  /** For values that hold already: they are written with the next change where they cannot be now. */
  private remember(edit: Edit): Promise<void> {
    this.pending.push(edit);
    return this.enqueue(null).catch(() => {});
  }

  /** For values that hold once they are written. */
  private async commit(edit: Edit): Promise<void> {
    await this.enqueue(edit);
    for (const listener of this.listeners) listener();
  }

  /** One write after the other. */
  private enqueue(edit: Edit | null): Promise<void> {
    const done = this.writing.then(() => this.write(edit));
    this.writing = done.catch(() => {});
    return done;
  }

  /** Whole or not at all: a new file beside the old one takes its place in one step. */
  private async write(edit: Edit | null): Promise<void> {
    const included = [...this.pending];
    if (included.length === 0 && edit === null) return;
    const edits = edit === null ? included : [...included, edit];
    const content = edits.reduce((file, each) => each(file), this.now());
    const draft = `${this.file}.${process.pid}.tmp`;
    try {
      ensureFolder(path.dirname(this.file));
      const file = await open(draft, 'w', 0o600);
      try {
        await file.writeFile(`${JSON.stringify(content, null, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, this.file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      await rm(draft, { force: true }).catch(() => {});
      const sentence = `Settings cannot be saved to ${this.file} (${code ?? 'unknown'}).`;
      this.sentences.set('write', sentence);
      throw new SettingsError(sentence);
    }
    this.sentences.delete('write');
    this.pending = this.pending.filter((each) => !included.includes(each));
    this.take(content);
  }

  /** The file as it is: another server on the same folder may have changed it. */
  private now(): Json {
    try {
      return parseObject(readFileSync(this.file, 'utf8')) ?? this.content;
    } catch {
      return this.content;
    }
  }
}

function named(patch: object): [string, unknown][] {
  return Object.entries(patch).filter(([, value]) => value !== undefined);
}

function asObject(value: unknown): Json | null {
  return parseObject(JSON.stringify(value) ?? '');
}
