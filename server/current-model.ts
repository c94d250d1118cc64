/** Which model answers when a request names none. The one place that chooses, switches and remembers it. */
import type { Logger } from 'pino';
import type { EnginePool } from './engine/pool.js';
import { GenerationError } from './generation/generation.js';
import { modelNotFound } from './http/errors.js';
import type { Library } from './library/library.js';
import type { LibraryModel } from './library/model.js';
import type { Settings } from './store/settings.js';

interface CurrentModelOptions {
  library: Library;
  pool: EnginePool;
  settings: Settings;
  log: Logger;
  onChange: () => void;
}

export class CurrentModel {
  private current: string | null = null;
  private notice: string | null = null;

  constructor(private readonly options: CurrentModelOptions) {
    options.library.onChange(() => this.keepValid());
  }

  get id(): string | null {
    return this.current;
  }

  /** A sentence for people where the model of last time could not be used, else none. */
  notices(): string[] {
    return this.notice === null ? [] : [this.notice];
  }

  /**
   * Chooses at start: the wanted one, else last time's, else the built-in one, else the first that is valid; and
   * begins to load it.
   * @param wanted Null: nothing was asked for.
   */
  start(wanted: LibraryModel | null): void {
    const { library, settings } = this.options;
    const lastId = settings.currentModel;
    const last = lastId === null ? null : library.find(lastId);
    if (wanted === null && last?.invalidReason) this.notice = last.invalidReason;
    const usable = last?.invalidReason === null ? last : null;
    this.set(wanted ?? usable ?? this.fallback());
  }

  /**
   * Makes it the current one, remembers it and begins to load it.
   * @returns the model, and when it is loaded or why it cannot be (GenerationError).
   * @throws ApiError 404; GenerationError model_invalid.
   */
  select(id: string): { model: LibraryModel; loaded: Promise<void> } {
    const model = this.resolve(id);
    this.notice = null;
    void this.options.settings.setCurrentModel(model.id).then(this.options.onChange);
    return { model, loaded: this.set(model) };
  }

  /**
   * The model that a request means.
   * @param id Null: the current one.
   * @throws ApiError 404; GenerationError model_invalid where its file cannot be a model.
   */
  resolve(id: string | null): LibraryModel {
    const { library } = this.options;
    const wanted = id ?? this.current;
    const model = wanted === null ? null : library.find(wanted);
    if (model === null) {
      const usable = library.models().filter(({ invalidReason }) => invalidReason === null);
      throw modelNotFound(
        wanted,
        usable.map((known) => known.id),
      );
    }
    if (model.invalidReason !== null)
      throw new GenerationError('model_invalid', model.invalidReason);
    return model;
  }

  /** The current model's file is gone or has turned bad, or the first good one has come: choose again. */
  private keepValid(): void {
    const model = this.current === null ? null : this.options.library.find(this.current);
    if (model?.invalidReason !== null) this.set(this.fallback());
    this.options.onChange();
  }

  private fallback(): LibraryModel | null {
    const valid = this.options.library
      .models()
      .filter(({ invalidReason }) => invalidReason === null);
    return valid.find(({ builtIn }) => builtIn) ?? valid[0] ?? null;
  }

  private set(model: LibraryModel | null): Promise<void> {
    const { pool, log, onChange } = this.options;
    this.current = model?.id ?? null;
    onChange();
    if (model === null) return Promise.resolve();
    pool.retain(model.id);
    const loaded = pool.load(model);
    loaded.catch((error: unknown) => {
      log.warn({ model: model.id, err: error }, 'current model could not be loaded');
    });
    return loaded;
  }
}
