/**
 * The way out of this machine: through the proxy of the environment, else of the system, else straight. What is on this
 * machine is never asked through a proxy.
 */
import {
  Agent,
  type Dispatcher,
  EnvHttpProxyAgent,
  ProxyAgent,
  fetch as undiciFetch,
} from 'undici';
import { isLoopback } from '../http/guard.js';

/** For a connection, and for the first byte of an answer, in milliseconds. */
const CONNECT_TIMEOUT = 15_000;
const HEADERS_TIMEOUT = 30_000;
/** Between two pieces of an answer, in milliseconds. */
const BODY_TIMEOUT = 60_000;

/** How long the system's answer for one origin holds, in milliseconds: settings change while the app runs. */
const PROXY_KEPT = 60_000;

const TIMEOUTS = {
  connect: { timeout: CONNECT_TIMEOUT },
  headersTimeout: HEADERS_TIMEOUT,
  bodyTimeout: BODY_TIMEOUT,
  /** Unencrypted requests are asked of the proxy itself, as every proxy can; encrypted ones go through a tunnel. */
  proxyTunnel: false,
};

/** What the system says of a URL, as a proxy's configuration script does: such as "PROXY a:8080; DIRECT". */
export type ResolveProxy = (url: string) => Promise<string>;

export type NetworkResponse = Awaited<ReturnType<typeof undiciFetch>>;

export interface NetworkRequest {
  method?: 'GET' | 'HEAD' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string;
  signal?: AbortSignal | null;
}

export class Network {
  readonly #direct = new Agent(TIMEOUTS);
  readonly #environment: EnvHttpProxyAgent | null;
  readonly #resolveProxy: ResolveProxy | null;
  /** By address of the proxy. */
  readonly #proxies = new Map<string, ProxyAgent>();
  /** By origin. */
  readonly #resolved = new Map<string, { proxy: string | null; until: number }>();

  /** @param resolveProxy The system's; null: this process cannot ask for it. */
  constructor(
    env: Readonly<Record<string, string | undefined>>,
    resolveProxy: ResolveProxy | null = null,
  ) {
    const httpProxy = env.http_proxy || env.HTTP_PROXY;
    const httpsProxy = env.https_proxy || env.HTTPS_PROXY;
    const noProxy = env.no_proxy || env.NO_PROXY || '';
    this.#environment =
      httpProxy || httpsProxy
        ? new EnvHttpProxyAgent({
            ...TIMEOUTS,
            // Empty rather than left out, where it would take that of this process.
            httpProxy: httpProxy ?? '',
            httpsProxy: httpsProxy ?? '',
            noProxy,
          })
        : null;
    this.#resolveProxy = resolveProxy;
  }

  /** One request and its answer, whatever it is: redirects are not followed. */
  async fetch(url: URL, request: NetworkRequest = {}): Promise<NetworkResponse> {
    const { signal = null, ...init } = request;
    const dispatcher = await this.#dispatcher(url);
    return undiciFetch(url, { ...init, signal, redirect: 'manual', dispatcher });
  }

  async close(): Promise<void> {
    const agents = [this.#direct, this.#environment, ...this.#proxies.values()];
    await Promise.all(agents.map((agent) => agent?.destroy()));
  }

  async #dispatcher(url: URL): Promise<Dispatcher> {
    if (isLoopback(url.hostname)) return this.#direct;
    if (this.#environment !== null) return this.#environment;
    const proxy = await this.#systemProxy(url);
    if (proxy === null) return this.#direct;
    let agent = this.#proxies.get(proxy);
    if (agent === undefined) {
      agent = new ProxyAgent({ ...TIMEOUTS, uri: proxy });
      this.#proxies.set(proxy, agent);
    }
    return agent;
  }

  /** Address of the system's proxy for a URL; null: none. */
  async #systemProxy(url: URL): Promise<string | null> {
    if (this.#resolveProxy === null) return null;
    const known = this.#resolved.get(url.origin);
    if (known !== undefined && known.until > performance.now()) return known.proxy;
    // Scripts decide by the host; the path is nobody's business.
    const proxy = firstProxy(await this.#resolveProxy(`${url.origin}/`));
    this.#resolved.set(url.origin, { proxy, until: performance.now() + PROXY_KEPT });
    return proxy;
  }
}

const SCHEMES: Readonly<Record<string, string>> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS5: 'socks5',
};

/** The first entry that can be used; null: straight. Pure. */
export function firstProxy(entries: string): string | null {
  for (const entry of entries.split(';')) {
    const [kind = '', address = ''] = entry.trim().split(/\s+/);
    if (kind.toUpperCase() === 'DIRECT') return null;
    const scheme = SCHEMES[kind.toUpperCase()];
    if (scheme !== undefined && URL.canParse(`${scheme}://${address}`)) {
      return `${scheme}://${address}`;
    }
  }
  return null;
}
