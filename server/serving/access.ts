/** Who may use the server from where: by its start, and by the settings as they are now. */
import type { ServerConfig } from '../../protocol/config.js';
import { DEFAULT_HOST } from '../../protocol/config.js';
import type { ServerSettings } from '../../protocol/settings.js';
import { ANY_ORIGIN } from '../http/cors.js';
import { isLoopback, ownNames } from '../http/guard.js';

type Start = Pick<ServerConfig, 'host' | 'port' | 'portBefore' | 'allowedHosts' | 'allowedOrigins'>;

/** Settings that say where it is served, and to whom. */
export type PlaceSettings = Pick<ServerSettings, 'host' | 'port' | 'allowed_origins'>;

/** Where it is to be served. */
export interface Place {
  host: string;
  port: number;
}

interface Allowed {
  settings: ServerSettings;
  host: string;
  names: ReadonlySet<string>;
  hosts: ReadonlySet<string>;
  origins: ReadonlySet<string>;
}

const lower = (texts: readonly string[]) => texts.map((text) => text.toLowerCase());

export class Access {
  #allowed: Allowed | null = null;

  /** @param host That it listens at; null before it does. */
  constructor(
    private readonly start: Start,
    private readonly settings: () => ServerSettings,
    private readonly host: () => string | null,
  ) {}

  /** What was said at the start goes before the settings. */
  place(settings: PlaceSettings = this.settings()): Place {
    const { host, port, portBefore } = this.start;
    return { host: host ?? settings.host, port: port ?? portBefore ?? settings.port };
  }

  /** Names in Host and Origin that mean this server; see ownNames. */
  get names(): ReadonlySet<string> {
    return this.#now().names;
  }

  /** Lower case. */
  get hosts(): ReadonlySet<string> {
    return this.#now().hosts;
  }

  /** Lower case. */
  get origins(): ReadonlySet<string> {
    return this.#now().origins;
  }

  /** Whether programs may use it at all. */
  get isEnabled(): boolean {
    return this.settings().api_enabled;
  }

  /** Why a key is needed in any case, as the beginning of a sentence; null: it is for this machine only. */
  openTo(
    settings: PlaceSettings = this.settings(),
    host = this.host() ?? this.place(settings).host,
  ): string | null {
    if (!isLoopback(host)) return `Serving on ${host} opens the models to the network`;
    const origins = [...this.start.allowedOrigins, ...settings.allowed_origins];
    return origins.includes(ANY_ORIGIN)
      ? 'Allowing every origin opens the models to every web page that is looked at here'
      : null;
  }

  /** Each request asks, and the settings are another object only when they have changed. */
  #now(): Allowed {
    const settings = this.settings();
    const host = this.host() ?? DEFAULT_HOST;
    if (this.#allowed?.settings !== settings || this.#allowed.host !== host) {
      const { allowedHosts, allowedOrigins } = this.start;
      this.#allowed = {
        ...{ settings, host, names: ownNames(host) },
        hosts: new Set(lower([...allowedHosts, ...settings.allowed_hosts])),
        origins: new Set(lower([...allowedOrigins, ...settings.allowed_origins])),
      };
    }
    return this.#allowed;
  }
}
