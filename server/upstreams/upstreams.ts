/** The other servers whose models are offered here. */
import type { ModelEntry } from '../../protocol/models.js';
import type { PutUpstream, Upstream } from '../../protocol/upstreams.js';
import { type Clock, SYSTEM_CLOCK } from '../clock.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { createId } from '../http/ids.js';
import { SecretError, type SecretStore } from '../store/secrets.js';
import { type Settings, SettingsError } from '../store/settings.js';
import type { StoredUpstream } from '../store/stored-settings.js';
import { Connections } from './connection.js';
import { offerEntry } from './entry.js';
import { newHopId } from './hops.js';
import { findOffer, mergeOffers, type Offer } from './offers.js';
import { checkedPut } from './put.js';
import { UpstreamServer } from './upstream-server.js';

/** More than anybody has; each is asked twice a minute. */
const UPSTREAMS_MAX = 100;

export interface UpstreamsOptions {
  settings: Settings;
  secrets: SecretStore;
  /** Whether a model of this machine goes by this name. */
  isLocal: (id: string) => boolean;
  version: string;
  /** What is offered, or how it is, has changed. */
  onChange: () => void;
  clock?: Clock;
}

export type UpstreamOffer = Offer<UpstreamServer>;

export class Upstreams {
  /** Of this server, for the life of it. */
  readonly hopId = newHopId();
  readonly #connections = new Connections();
  /** In the order in which they are asked. */
  #servers: UpstreamServer[] = [];
  /** Null: to be merged again. */
  #offers: UpstreamOffer[] | null = null;
  /** Requests under way, by id of the model. */
  readonly #running = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  /** Changes happen one after the other. */
  #changing: Promise<unknown> = Promise.resolve();
  /** By id of an upstream whose key cannot be read. */
  readonly #notices = new Map<string, string>();
  #isStarted = false;
  readonly #closing = new AbortController();

  private constructor(private readonly options: UpstreamsOptions) {}

  /** One whose key cannot be read is there without it, and a notice says so. */
  static open(options: UpstreamsOptions): Upstreams {
    const upstreams = new Upstreams(options);
    upstreams.#follow();
    // Another process may have changed them.
    options.settings.onChange(() => {
      void upstreams.#change(async () => upstreams.#follow()).catch(() => {});
    });
    return upstreams;
  }

  /** Begins to ask them how they are. */
  start(): void {
    this.#isStarted = true;
    for (const server of this.#servers) if (server.settings.enabled) void server.health.check();
  }

  list(): Upstream[] {
    return this.#servers.map((server) => this.#wire(server));
  }

  /** Those of the list of models. */
  entries(): ModelEntry[] {
    return this.offers().map((offer) => this.#entry(offer));
  }

  /** Null: no upstream's model goes by this name. */
  entry(name: string): ModelEntry | null {
    const offer = this.find(name);
    return offer && this.#entry(offer);
  }

  offers(): readonly UpstreamOffer[] {
    this.#offers ??= mergeOffers(
      this.#servers
        .filter(({ settings }) => settings.enabled)
        .map((source) => ({ source, name: source.settings.name, models: source.models })),
      this.options.isLocal,
    );
    return this.#offers;
  }

  /** What a request means by this name; null: no upstream's model. */
  find(name: string): UpstreamOffer | null {
    return findOffer(this.offers(), name);
  }

  /** Requests under way. */
  get running(): number {
    return [...this.#running.values()].reduce((sum, each) => sum + each, 0);
  }

  /** A request to a model begins. @returns to be called once, when it has ended. */
  began(id: string): () => void {
    this.#running.set(id, (this.#running.get(id) ?? 0) + 1);
    this.options.settings.noteUse(id);
    this.options.onChange();
    return () => {
      const left = (this.#running.get(id) ?? 1) - 1;
      if (left > 0) this.#running.set(id, left);
      else this.#running.delete(id);
      this.options.onChange();
    };
  }

  /** Which names are taken on this machine has changed. */
  localsChanged(): void {
    this.#offers = null;
  }

  /** Hears when the list of models may be another one. */
  onOffers(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Aborts when the server stops. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  notices(): string[] {
    return [...this.#notices.values()];
  }

  /** @throws ApiError 400 that names the field, 409 where the name is taken; 500 where nothing can be written. */
  add(given: PutUpstream): Promise<Upstream> {
    return this.#change(async () => {
      const put = checkedPut(given);
      if (this.#servers.length >= UPSTREAMS_MAX) {
        throw new ApiError(
          409,
          `There are ${UPSTREAMS_MAX} upstreams, which is the most there can be.`,
          { code: 'too_many_upstreams' },
        );
      }
      const stored = this.#stored(put, createId('upstream_'), null);
      if (put.key != null) await this.options.secrets.set(secretName(stored.id), put.key);
      await this.#write((all) => [...all, stored]);
      return this.#told(stored.id);
    });
  }

  /** @throws as add(); 404 */
  change(id: string, given: PutUpstream): Promise<Upstream> {
    return this.#change(async () => {
      const server = this.#serverOf(id);
      const put = checkedPut(given);
      const stored = this.#stored(put, id, server.settings);
      const isElsewhere = originOf(server.settings.url) !== originOf(stored.url);
      if (put.key === undefined && isElsewhere && server.hasKey) {
        throw invalidRequest(
          'The key belongs to the server at the former URL: give the one for the new URL, or null.',
          'key',
        );
      }
      if (put.key === null) await this.options.secrets.delete(secretName(id));
      else if (put.key !== undefined) await this.options.secrets.set(secretName(id), put.key);
      await this.#write((all) => all.map((each) => (each.id === id ? stored : each)), id);
      return this.#told(id);
    });
  }

  /** @throws ApiError 404 */
  remove(id: string): Promise<void> {
    return this.#change(async () => {
      this.#serverOf(id);
      await this.#write((all) => all.filter((each) => each.id !== id));
      await this.options.secrets.delete(secretName(id));
    });
  }

  /**
   * These first; all others follow, as they were.
   * @throws ApiError 400 where one of them is none.
   */
  order(ids: readonly string[]): Promise<void> {
    return this.#change(async () => {
      const known = this.#servers.map(({ settings }) => settings.id);
      const unknown = ids.find((id) => !known.includes(id));
      if (unknown !== undefined) {
        throw invalidRequest(`There is no upstream "${unknown.slice(0, 100)}".`, 'ids');
      }
      const wanted = [...new Set([...ids, ...known])];
      const place = ({ id }: StoredUpstream) => wanted.indexOf(id);
      await this.#write((all) => [...all].sort((a, b) => place(a) - place(b)));
    });
  }

  /** Asks it now how it is. @throws ApiError 404; 409 while it is switched off. */
  async check(id: string): Promise<Upstream> {
    const server = this.#serverOf(id);
    if (!server.settings.enabled) {
      throw new ApiError(409, `"${server.settings.name}" is switched off, so it is not asked.`, {
        code: 'upstream_disabled',
      });
    }
    await server.health.check();
    return this.#wire(server);
  }

  /** Resolves when all keys are known. */
  async ready(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.ready));
  }

  /** Resolves when all that was to be written is. */
  async settled(): Promise<void> {
    await this.#changing;
  }

  close(): void {
    this.#closing.abort();
    for (const server of this.#servers) server.close();
    this.#connections.close();
  }

  /** Runs one change after the other, and tells failures of the disk in words. */
  #change<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#changing.then(work).catch((error: unknown) => {
      if (error instanceof SettingsError || error instanceof SecretError) {
        throw new ApiError(500, error.message, { code: 'not_saved' });
      }
      throw error;
    });
    this.#changing = done.catch(() => {});
    return done;
  }

  /** The settings as they are kept. @throws ApiError */
  #stored(
    { name, url, models, enabled }: PutUpstream,
    id: string,
    before: StoredUpstream | null,
  ): StoredUpstream {
    const isTaken = this.#servers.some(
      ({ settings }) => settings.id !== id && settings.name.toLowerCase() === name.toLowerCase(),
    );
    if (isTaken) {
      throw new ApiError(409, `There is another upstream with the name "${name}".`, {
        param: 'name',
        code: 'name_taken',
      });
    }
    const listed = before !== null && before.url === url ? before.listed : [];
    return { id, name, url, models, enabled, listed };
  }

  /** @param changed Id of the one that is to be asked anew whatever has changed about it. */
  async #write(
    change: (all: readonly StoredUpstream[]) => StoredUpstream[],
    changed: string | null = null,
  ): Promise<void> {
    const { settings } = this.options;
    await settings.setUpstreams(change(settings.upstreams));
    this.#follow(changed);
  }

  /** What is kept holds: those that are new or have changed begin anew, those that are gone end. */
  #follow(changed: string | null = null): void {
    const before = new Map(this.#servers.map((server) => [server.settings.id, server]));
    const servers: UpstreamServer[] = [];
    for (const stored of this.options.settings.upstreams) {
      const known = before.get(stored.id);
      const isSame =
        known !== undefined && stored.id !== changed && isSameServer(known.settings, stored);
      servers.push(isSame ? known : this.#newServer(stored, this.#readKey(stored)));
    }
    if (this.closing.aborted) return;
    const isSameList =
      servers.length === this.#servers.length &&
      servers.every((server, i) => server === this.#servers[i]);
    if (isSameList) return;
    this.#servers = servers;
    const left = new Set(servers);
    for (const server of before.values()) if (!left.has(server)) server.close();
    for (const id of this.#notices.keys()) {
      if (!servers.some(({ settings }) => settings.id === id)) this.#notices.delete(id);
    }
    this.#offersChanged();
    if (!this.#isStarted) return;
    const known = new Set(before.values());
    for (const server of servers) {
      if (server.settings.enabled && !known.has(server)) void server.health.check();
    }
  }

  #newServer(stored: StoredUpstream, key: Promise<string | null>): UpstreamServer {
    const { clock = SYSTEM_CLOCK, version } = this.options;
    return new UpstreamServer(stored, key, {
      ...{ connections: this.#connections, clock, hopId: this.hopId, version },
      onChange: () => this.options.onChange(),
      onListed: (listed) => {
        this.#offersChanged();
        // Not worth a word where it cannot be written: the next start asks anew.
        void this.#change(() =>
          this.#write((all) =>
            all.map((each) => (each.id === stored.id ? { ...each, listed } : each)),
          ),
        ).catch(() => {});
      },
    });
  }

  #entry(offer: UpstreamOffer): ModelEntry {
    const { id } = offer;
    return offerEntry(offer, this.#running.get(id) ?? 0, this.options.settings.lastUsed(id));
  }

  #offersChanged(): void {
    this.#offers = null;
    if (this.closing.aborted) return;
    for (const listener of this.#listeners) listener();
    this.options.onChange();
  }

  /** @throws ApiError 404 */
  #serverOf(id: string): UpstreamServer {
    const server = this.#servers.find(({ settings }) => settings.id === id);
    if (server !== undefined) return server;
    throw new ApiError(404, `There is no upstream "${id.slice(0, 100)}".`, {
      code: 'upstream_not_found',
    });
  }

  async #readKey({ id, name }: StoredUpstream): Promise<string | null> {
    this.#notices.delete(id);
    try {
      return (await this.options.secrets.get(secretName(id)))?.secret ?? null;
    } catch (error) {
      const why = error instanceof SecretError ? ` ${error.message}` : '';
      this.#notices.set(
        id,
        `The key of the upstream "${name}" cannot be read, so it is asked without one.${why}`,
      );
      return null;
    }
  }

  async #told(id: string): Promise<Upstream> {
    const server = this.#serverOf(id);
    await server.ready;
    return this.#wire(server);
  }

  #wire(server: UpstreamServer): Upstream {
    const { id, name, url, models, enabled } = server.settings;
    const { health, reason, checkedAt } = server.health.report;
    return {
      ...{ id, name, url, models, enabled, health, reason },
      has_key: server.hasKey,
      checked_at: checkedAt === null ? null : Math.floor(checkedAt / 1000),
      offered: this.offers()
        .filter(({ candidates }) => candidates.some(({ source }) => source === server))
        .map((offer) => offer.id),
    };
  }
}

const secretName = (id: string) => `key of ${id}`;

const originOf = (url: string) => new URL(url).origin;

/** But for what it listed last. */
function isSameServer(a: StoredUpstream, b: StoredUpstream): boolean {
  const told = ({ name, url, models, enabled }: StoredUpstream) =>
    JSON.stringify([name, url, models, enabled]);
  return told(a) === told(b);
}
