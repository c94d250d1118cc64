/** One other server: what it offers, whether it is well, and how it is asked. */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock.js';
import type { StoredUpstream } from '../store/stored-settings.js';
import { baseUrl, type Layout, urlAt } from './address.js';
import { ConnectionError, type Connections } from './connection.js';
import { UpstreamHealth } from './health.js';
import { HOPS_HEADER, LOOP_STATUS, nextHops } from './hops.js';
import { bareModel, parseModelList, type RemoteModel } from './model-list.js';

/** Milliseconds for the whole answer to a check. */
const CHECK_PATIENCE = 10_000;

/** Longest list of models in bytes: those of the largest services take one or two. */
const LIST_MAX = 16 * 1024 * 1024;

export interface UpstreamContext {
  connections: Connections;
  clock: Clock;
  /** Of this server: see hops.ts. */
  hopId: string;
  /** Pilotlight's own, such as "0.1.0". */
  version: string;
  /** Its health or its models have changed. */
  onChange: () => void;
  /** The list of its models has changed. */
  onListed: (ids: string[]) => void;
}

export class UpstreamServer {
  readonly health: UpstreamHealth;
  /** Resolves when the key is known. */
  readonly ready: Promise<void>;
  /** Null: none is sent. */
  #key: string | null = null;
  #layout: Layout = 'v1';
  /** As it told them last; null: not yet. */
  #listed: RemoteModel[] | null = null;

  constructor(
    readonly settings: StoredUpstream,
    /** Never rejects. A keychain may take its time, in which nobody is asked. */
    key: Promise<string | null>,
    private readonly context: UpstreamContext,
  ) {
    this.ready = key.then((known) => {
      this.#key = known;
      context.onChange();
    });
    this.health = new UpstreamHealth({
      check: () => this.#check(),
      clock: context.clock,
      onChange: context.onChange,
    });
  }

  get hasKey(): boolean {
    return this.#key !== null;
  }

  /** Those that are taken over: as named in the settings, else all of its own that it lists, now or last time. */
  get models(): readonly RemoteModel[] {
    const { models: named, listed } = this.settings;
    const known = this.#listed ?? (listed ?? []).map(bareModel);
    if (named === null) return known.filter(({ isPassedOn }) => !isPassedOn);
    return named.map((id) => known.find((model) => model.id === id) ?? bareModel(id));
  }

  /**
   * Hands a request on. Resolves when the headers of the answer are there.
   * @param path Of our own route table, with its query.
   * @throws ConnectionError
   */
  async ask(
    path: string,
    body: Buffer,
    headers: Readonly<Record<string, string>>,
    hops: string | string[] | undefined,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    await this.ready;
    return this.context.connections.ask({
      method: 'POST',
      url: this.#urlOf(path),
      headers: { ...headers, ...this.#ownHeaders(hops) },
      body,
      signal,
    });
  }

  close(): void {
    this.health.close();
  }

  #urlOf(path: string, layout = this.#layout): string {
    return urlAt(baseUrl(this.settings.url), layout, path);
  }

  #ownHeaders(hops?: string | string[]): Record<string, string> {
    const { hopId, version } = this.context;
    return {
      // What is counted on the way and passed on as it is must not be packed.
      'accept-encoding': 'identity',
      'user-agent': `pilotlight/${version}`,
      [HOPS_HEADER]: nextHops(hops, hopId),
      ...(this.#key === null ? {} : { authorization: `Bearer ${this.#key}` }),
    };
  }

  async #check(): Promise<string | null> {
    await this.ready;
    try {
      const found = await this.#list(this.#layout);
      if (!('status' in found) || found.status !== 404) return this.#take(found);
      const other = this.#layout === 'v1' ? 'bare' : 'v1';
      const elsewhere = await this.#list(other);
      if ('status' in elsewhere) return this.#take(found);
      this.#layout = other;
      return this.#take(elsewhere);
    } catch (error) {
      if (error instanceof ConnectionError) return error.message;
      throw error;
    }
  }

  /** @returns what is wrong, for people; null: nothing. */
  #take(found: Listed): string | null {
    if ('status' in found) {
      // One that keeps no list is well as long as it is known what to ask it for.
      const isListless = found.status === 404 || found.status === 405;
      return isListless && this.settings.models !== null ? null : problemOf(found, this.hasKey);
    }
    const before = JSON.stringify(this.#listed);
    this.#listed = found.models;
    if (JSON.stringify(found.models) !== before) {
      this.context.onListed(this.#listed.filter((m) => !m.isPassedOn).map(({ id }) => id));
    }
    return null;
  }

  /** @throws ConnectionError */
  async #list(layout: Layout): Promise<Listed> {
    const answer = await this.context.connections.ask({
      method: 'GET',
      url: this.#urlOf('/v1/models', layout),
      headers: { accept: 'application/json', ...this.#ownHeaders() },
      signal: AbortSignal.timeout(CHECK_PATIENCE),
    });
    const status = answer.statusCode ?? 0;
    if (status !== 200) {
      answer.destroy();
      return { status, location: answer.headers.location ?? null };
    }
    const models = parseModelList(await textOf(answer));
    return models === null ? { status: NO_LIST, location: null } : { models };
  }
}

/** In place of a status: it answered, but with no list of models. */
const NO_LIST = 0;

type Listed = { models: RemoteModel[] } | { status: number; location: string | null };

/** @throws ConnectionError */
async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > LIST_MAX) break;
    }
  } catch {
    throw new ConnectionError('It broke off its list of models.');
  }
  if (bytes > LIST_MAX) throw new ConnectionError('Its list of models has no end.');
  return Buffer.concat(chunks).toString('utf8');
}

function problemOf(
  { status, location }: Extract<Listed, { status: number }>,
  hasKey: boolean,
): string | null {
  if (status === NO_LIST) return 'It answers, but not with a list of models.';
  if (status === 429) return null;
  if (status === LOOP_STATUS) return 'It is this server itself, or leads back to it.';
  if (status === 401 || status === 403) {
    return hasKey ? 'It refuses the key.' : 'It asks for a key, and none is set.';
  }
  if (status >= 300 && status < 400) {
    return `It sends elsewhere${location === null ? '' : `, to ${location.slice(0, 200)}`}: set that as its URL.`;
  }
  if (status === 404 || status === 405) {
    return 'It has no list of models at this URL: correct the URL, or name its models.';
  }
  return `It answers with status ${status}.`;
}
