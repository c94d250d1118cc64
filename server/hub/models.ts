/** What the hub has, as the person's machine sees it: which of it is here already, and whether the rest fits. */
import path from 'node:path';
import type { HubModelDetails, HubVariant } from '../../protocol/hub.js';
import type { LibraryModel } from '../library/model.js';
import type { HubClient } from './client.js';
import { type RepoDetails, repoDetails } from './details.js';
import { HubError } from './errors.js';
import type { HubFits } from './fits.js';

/** How long details hold, in milliseconds: a page asks once for each of the variants that it shows. */
const KEPT_MS = 60_000;
const KEPT = 20;

export interface DetailsWanted {
  repo: string;
  revision: string;
  /** Tokens of each request; null: chosen by model and memory. */
  contextLength: number | null;
  /** Name of the variant of which it is to be said whether it fits; null: of none. */
  fit: string | null;
  signal: AbortSignal | null;
}

export interface HubModelsOptions {
  client: HubClient;
  fits: HubFits;
  models: () => readonly Pick<LibraryModel, 'id' | 'files' | 'sizeBytes'>[];
}

export class HubModels {
  readonly #options: HubModelsOptions;
  readonly #details = new Map<string, { details: RepoDetails; until: number }>();

  constructor(options: HubModelsOptions) {
    this.#options = options;
  }

  /** @throws HubError, and what HubFits.estimate throws. */
  async details(wanted: DetailsWanted): Promise<HubModelDetails> {
    const { repo, contextLength, fit, signal } = wanted;
    const found = await this.#detailsOf(wanted);
    const { revision } = found;
    const variants = found.variants.map(
      (variant): HubVariant => ({
        ...variant,
        installed_as: installedAs(variant, this.#options.models()),
        fit: null,
      }),
    );
    if (fit === null) return { ...found, variants };
    const variant = variants.find(({ name }) => name === fit);
    if (variant === undefined) {
      throw new HubError('not_found', `The model ${repo} has no variant of that name.`);
    }
    const { fits } = this.#options;
    variant.fit = await fits.estimate(repo, revision, variant, contextLength, signal);
    return { ...found, variants };
  }

  async #detailsOf({ repo, revision, signal }: DetailsWanted): Promise<RepoDetails> {
    const { client } = this.#options;
    const key = [client.endpoint, repo, revision].join('\n');
    const known = this.#details.get(key);
    if (known !== undefined && known.until > performance.now()) return known.details;
    const details = await repoDetails(client, repo, revision, signal);
    this.#details.delete(key);
    this.#details.set(key, { details, until: performance.now() + KEPT_MS });
    for (const oldest of [...this.#details.keys()].slice(0, -KEPT)) this.#details.delete(oldest);
    return details;
  }
}

/**
 * Id of the model with the same files: of the same names and the same size together, or, as Ollama keeps them, named by
 * their SHA-256.
 */
export function installedAs(
  { files }: Pick<HubVariant, 'files'>,
  models: readonly Pick<LibraryModel, 'id' | 'files' | 'sizeBytes'>[],
): string | null {
  const own = files.filter(({ path: file }) => !/mmproj/i.test(path.posix.basename(file)));
  const size = own.reduce((bytes, { size_bytes }) => bytes + size_bytes, 0);
  const found = models.find(
    (model) =>
      model.sizeBytes === size &&
      model.files.length === own.length &&
      own.every(({ path: file, sha256 }, at) => {
        const name = path.basename(model.files[at] ?? '');
        return name === path.posix.basename(file) || (sha256 !== null && name.endsWith(sha256));
      }),
  );
  return found?.id ?? null;
}
