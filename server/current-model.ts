/** Which model answers when a request names none. The one place that chooses, switches and remembers it. */
import type { Logger } from 'pino';
import type { EnginePool } from './engine/pool.js';
import { GenerationError } from './generation/generation.js';
import { modelNotFound } from './http/errors.js';
import type { Library } from './library/library.js';
import type { LibraryModel } from './library/model.js';
import type { Settings } from './store/settings.js';
import type { Upstreams } from './upstreams/upstreams.js';

interface CurrentModelOptions {
  library: Library;
  pool: EnginePool;
  settings: Settings;
  upstreams: Pick<Upstreams, 'offers' | 'find' | 'onOffers'>;
  log: Logger;
  onChange: () => void;
}

/** A sentence for people why it cannot answer a chat; null where it can. */
export function notGenerative({ name, kind }: Pick<LibraryModel, 'name' | 'kind'>): string | null {
  if (kind === 'generative') return null;
  return kind === 'rerank'
    ? `${name} scores texts against a query; it does not write text.`
    : `${name} makes embeddings; it does not write text.`;
}

/** A model that can be the current one. */
interface Choice {
  id: string;
  /** Null: an upstream has it. */
  local: LibraryModel | null;
}

export class CurrentModel {
  private current: Choice | null = null;
  /** Id of the model that was asked for last; it is current whenever its file allows. */
  private chosen: string | null = null;

  constructor(private readonly options: CurrentModelOptions) {
    options.library.onChange(() => this.follow());
    options.upstreams.onOffers(() => this.follow());
  }

  get id(): string | null {
    return this.current?.id ?? null;
  }

  /** Its id where an upstream has it; else null. */
  get upstreamId(): string | null {
    return this.current?.local === null ? this.current.id : null;
  }

  /** A sentence for people while the chosen model's file is bad and another one stands in, else none. */
  notices(): string[] {
    const reason = this.find(this.chosen)?.invalidReason ?? null;
    return reason === null ? [] : [reason];
  }

  /**
   * Chooses at start: the wanted one, else last time's, else the built-in one, else the first that is valid; and
   * begins to load it.
   * @param wanted Null: nothing was asked for.
   */
  start(wanted: LibraryModel | null): void {
    this.chosen = wanted?.id ?? this.options.settings.currentModel;
    void this.set(this.best());
  }

  /**
   * Makes it the current one, remembers it and begins to load it.
   * @returns when it is loaded or why it cannot be (GenerationError); an upstream's is at once.
   * @throws ApiError 404; GenerationError model_invalid, or not_generative where it writes no text.
   */
  select(id: string): { loaded: Promise<void> } {
    const offer = this.options.upstreams.find(id);
    const local = offer === null ? this.resolve(id) : null;
    const shown = local ?? offer?.candidates[0]?.model;
    const reason = shown === undefined ? null : notGenerative(shown);
    if (reason !== null) throw new GenerationError('not_generative', reason);
    const choice: Choice = { id: local?.id ?? offer?.id ?? id, local };
    this.chosen = choice.id;
    void this.options.settings.setCurrentModel(choice.id).then(this.options.onChange);
    return { loaded: this.set(choice) };
  }

  /**
   * The model that a request means which wants vectors or scores: where it names none, the first one that is made for
   * that.
   * @throws as resolve().
   */
  resolveFor(kind: 'embedding' | 'rerank', id: string | null): LibraryModel {
    if (id !== null) return this.resolve(id);
    const good = this.options.library.models().filter((model) => model.invalidReason === null);
    const first =
      good.find((model) => model.kind === kind) ??
      good.find(({ kind: other }) => other !== 'generative');
    return first ?? this.resolve(null);
  }

  /**
   * The model that a request means.
   * @param id Null: the current one.
   * @throws ApiError 404; GenerationError model_invalid where its file cannot be a model.
   */
  resolve(id: string | null): LibraryModel {
    const { library } = this.options;
    const wanted = id ?? this.id;
    const model = this.find(wanted);
    if (model === null) {
      const usable = library.models().filter(({ invalidReason }) => invalidReason === null);
      throw modelNotFound(
        wanted,
        [...usable, ...this.options.upstreams.offers()].map((known) => known.id),
      );
    }
    if (model.invalidReason !== null)
      throw new GenerationError('model_invalid', model.invalidReason);
    return model;
  }

  /** A file has come, gone, turned bad or good: another model may be the right one now. */
  private follow(): void {
    const next = this.best();
    if (!isSame(next, this.current)) void this.set(next);
    this.options.onChange();
  }

  /** The chosen model; while there is none or it is bad, the current one, the built-in one or the first that is good. */
  private best(): Choice | null {
    const good = this.options.library
      .models()
      .filter(({ invalidReason, kind }) => invalidReason === null && kind === 'generative');
    const remote = this.options.upstreams
      .offers()
      .filter(({ candidates }) => candidates[0]?.model.kind === 'generative');
    const byId = (id: string | null): Choice | null => {
      const local = good.find((model) => model.id === id);
      if (local !== undefined) return { id: local.id, local };
      return remote.some((offer) => offer.id === id) && id !== null ? { id, local: null } : null;
    };
    const standIn = good.find(({ builtIn }) => builtIn) ?? good[0] ?? remote[0];
    return byId(this.chosen) ?? byId(this.id) ?? byId(standIn?.id ?? null);
  }

  private find(id: string | null): LibraryModel | null {
    return id === null ? null : this.options.library.find(id);
  }

  private set(choice: Choice | null): Promise<void> {
    const { pool, log, onChange } = this.options;
    this.current = choice;
    onChange();
    const model = choice?.local ?? null;
    if (model === null) return Promise.resolve();
    const loaded = pool.load(model);
    loaded.catch((error: unknown) => {
      log.warn({ model: model.id, err: error }, 'current model could not be loaded');
    });
    return loaded;
  }
}

/** An id may go from an upstream to this machine, and back. */
function isSame(a: Choice | null, b: Choice | null): boolean {
  return a?.id === b?.id && (a?.local === null) === (b?.local === null);
}
