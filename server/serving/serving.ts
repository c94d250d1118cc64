/** Where the server is reached, and its moves as the settings change: whoever changes them, window or command line. */
import type { RequestListener } from 'node:http';
import { addressesOf } from '../http/addresses.js';
import { ApiError } from '../http/errors.js';
import { isLoopback } from '../http/guard.js';
import { ListenError } from '../port.js';
import type { Access, Place, PlaceSettings } from './access.js';
import { Listener } from './listener.js';

export interface ServingOptions {
  access: Access;
  /** There is a key that a program could use. */
  hasKeys: () => boolean;
  /** Addresses or notices may have changed. */
  onChange: () => void;
}

export class Serving {
  #listener: Listener | null = null;
  /** As it was asked for last; the port that was got may be another. */
  #wanted: Place;
  #notice: string | null = null;

  constructor(private readonly options: ServingOptions) {
    this.#wanted = options.access.place();
  }

  /**
   * Begins to listen.
   * @throws ListenError
   */
  async open(app: RequestListener): Promise<void> {
    const { access, hasKeys } = this.options;
    let { host, port } = access.place();
    if (!isLoopback(host) && !hasKeys()) {
      this.#notice = `The settings open this server to the network (${host}), but there is no key: it serves this machine only.`;
      host = '127.0.0.1';
    }
    this.#wanted = { host, port };
    this.#listener = await Listener.open(host, port, app);
  }

  /** That it listens at; null before it does. */
  get host(): string | null {
    return this.#listener?.host ?? null;
  }

  get port(): number {
    return this.#listener?.port ?? this.#wanted.port;
  }

  /** Where it is reached, by other machines first; the last one is this machine's own way. */
  get urls(): [string, ...string[]] {
    const at = (address: string) => `http://${address}:${this.port}`;
    const [first, ...others] = addressesOf(this.host ?? this.#wanted.host);
    return [at(first), ...others.map(at)];
  }

  /** By which this machine reaches it. */
  get ownUrl(): string {
    return this.urls.at(-1) ?? this.urls[0];
  }

  get servers() {
    return this.#listener?.servers ?? [];
  }

  /** Sentences for people. */
  notices(): string[] {
    return [this.#listener?.notice ?? null, this.#notice].filter((notice) => notice !== null);
  }

  /**
   * Goes where these settings say; to come before they are kept.
   * @throws ApiError with a sentence for people; then nothing has changed.
   */
  async apply(settings: PlaceSettings): Promise<void> {
    const { access, hasKeys, onChange } = this.options;
    const place = access.place(settings);
    const openTo = access.openTo(settings, place.host);
    if (openTo !== null && access.openTo() === null && !hasKeys()) {
      throw new ApiError(409, `${openTo}, so a key is needed: make one first.`, {
        code: 'key_needed',
      });
    }
    if (place.host === this.#wanted.host && place.port === this.#wanted.port) return;
    try {
      await this.#listener?.move(place.host, place.port);
    } catch (error) {
      if (!(error instanceof ListenError)) throw error;
      throw new ApiError(409, `${error.message} It stays at ${this.ownUrl}.`, {
        param: error.code === 'port_taken' ? 'port' : 'host',
        code: error.code,
      });
    }
    this.#wanted = place;
    this.#notice = null;
    onChange();
  }

  /** The settings are others, by whomever: what cannot be done is told in a notice. */
  async follow(settings: PlaceSettings): Promise<void> {
    try {
      await this.apply(settings);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#notice = error.message;
    }
    this.options.onChange();
  }
}
