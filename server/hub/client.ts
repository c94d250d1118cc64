/**
 * Requests to Hugging Face's hub, or to a mirror of it. The token goes to the endpoint it was set for and nowhere else:
 * not to servers to which the endpoint sends on, and not over the network unencrypted.
 */
import type { z } from 'zod';
import { isLoopback } from '../http/guard.js';
import { fromFailure, fromStatus, HubError, type HubSubject } from './errors.js';
import type { Network, NetworkRequest, NetworkResponse } from './network.js';

const HUB = 'https://huggingface.co';

/** Servers to which the endpoint may send on, one after the other. */
const MAX_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];

/** An answer of the API as a whole, in milliseconds. */
const API_TIMEOUT = 30_000;
/** Largest answer of the API, bytes: the files of a large repo take some hundred kilobytes. */
const API_MAX = 16 * 1024 ** 2;

export interface HubClientOptions {
  network: Network;
  /** The setting; null: what the environment says, else the hub's own. */
  endpoint: () => string | null;
  /** A token that was set here for an endpoint, by its origin. */
  token: (origin: string) => Promise<string | null>;
  env: Readonly<Record<string, string | undefined>>;
}

export interface HubRequest {
  method?: 'GET' | 'HEAD' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string;
  signal?: AbortSignal | null;
  /** The repo in question, for what is said of a failure. */
  repo?: string;
}

export class HubClient {
  readonly #options: HubClientOptions;

  constructor(options: HubClientOptions) {
    this.#options = options;
  }

  /** Without a slash at its end. */
  get endpoint(): string {
    return trimmed(this.#options.endpoint() ?? this.#ownEndpoint());
  }

  /** The one where none is set: the environment's, or Hugging Face's. */
  get defaultEndpoint(): string {
    return trimmed(this.#ownEndpoint());
  }

  /** The same hub, with another token; null: none. */
  withToken(token: string | null): HubClient {
    const { network } = this.#options;
    const endpoint = this.endpoint;
    return new HubClient({ network, endpoint: () => endpoint, token: async () => token, env: {} });
  }

  /** For people, such as "huggingface.co". */
  get host(): string {
    return new URL(this.endpoint).host;
  }

  /** The repo's page for people. */
  pageOf(repo: string): string {
    return `${this.endpoint}/${repo}`;
  }

  /** Where the bytes of a file are asked for. */
  fileUrl(repo: string, revision: string, path: string): string {
    const file = path.split('/').map(encodeURIComponent).join('/');
    return `${this.endpoint}/${repo}/resolve/${encodeURIComponent(revision)}/${file}`;
  }

  /** The environment's, where the endpoint is the one that it is for. */
  environmentToken(): string | null {
    const { HF_TOKEN, HUGGING_FACE_HUB_TOKEN } = this.#options.env;
    const token = (HF_TOKEN || HUGGING_FACE_HUB_TOKEN || '').trim();
    const isIts = new URL(this.endpoint).origin === new URL(this.#ownEndpoint()).origin;
    return token !== '' && isIts ? token : null;
  }

  /** Nobody on the way to the endpoint can read what is sent. */
  get isPrivate(): boolean {
    const { protocol, hostname } = new URL(this.endpoint);
    return protocol === 'https:' || isLoopback(hostname);
  }

  /**
   * A request to the endpoint, redirects followed. The answer's body is read by the caller, whose failures `failed` puts
   * into words.
   * @throws HubError for every answer but success.
   */
  async fetch(url: string, request: HubRequest = {}): Promise<NetworkResponse> {
    const { response, hasToken } = await this.#follow(url, request);
    if (response.ok) return response;
    await response.body?.cancel();
    throw fromStatus(response.status, response.headers, this.#subject(request.repo, hasToken));
  }

  /**
   * The same for every status that is not a redirect.
   * @throws HubError where nobody answers.
   */
  async open(url: string, request: HubRequest = {}): Promise<NetworkResponse> {
    const { response } = await this.#follow(url, request);
    return response;
  }

  /** As HubError: whatever a request with this signal, or the reading of its answer, has thrown. */
  failed(error: unknown, signal: AbortSignal | null = null): HubError {
    const reason: unknown = signal?.aborted ? signal.reason : error;
    const isLate = reason instanceof Error && reason.name === 'TimeoutError';
    if (signal?.aborted && !isLate) {
      return new HubError('cancelled', `The request to ${this.host} was cancelled.`);
    }
    return fromFailure(reason, this.host);
  }

  /**
   * An answer of the API, whole.
   * @throws HubError
   */
  async api(
    url: string,
    request: HubRequest = {},
  ): Promise<{ body: Uint8Array<ArrayBuffer>; headers: NetworkResponse['headers'] }> {
    const limit = AbortSignal.timeout(API_TIMEOUT);
    const signal = request.signal ? AbortSignal.any([request.signal, limit]) : limit;
    const response = await this.fetch(url, { ...request, signal });
    const body = await this.bytes(response, API_MAX + 1, signal);
    if (body.length > API_MAX) {
      throw new HubError(
        'bad_answer',
        `The answer of ${this.host} is larger than any of the hub's.`,
      );
    }
    return { body, headers: response.headers };
  }

  /**
   * The first bytes of an answer, at most `max`.
   * @throws HubError
   */
  async bytes(
    response: NetworkResponse,
    max: number,
    signal: AbortSignal | null,
  ): Promise<Uint8Array<ArrayBuffer>> {
    try {
      return await firstBytes(response, max);
    } catch (error) {
      throw this.failed(error, signal);
    }
  }

  /**
   * An answer of the API as the schema has it.
   * @throws HubError
   */
  async json<T>(url: string, schema: z.ZodType<T>, request: HubRequest = {}): Promise<T> {
    const { body } = await this.api(url, request);
    return this.parsed(schema, () => JSON.parse(new TextDecoder().decode(body)));
  }

  /** @throws HubError where it is not what the hub's API has. */
  parsed<T>(schema: z.ZodType<T>, read: () => unknown): T {
    try {
      return schema.parse(read());
    } catch {
      throw new HubError('bad_answer', `${this.host} answers, and not as Hugging Face's hub does.`);
    }
  }

  /**
   * For Hugging Face's libraries: requests of theirs go to the endpoint, whoever they name. A mirror may name the
   * original as the address of the next page.
   */
  readonly libraryFetch = async (
    input: string | URL | Request,
    init: RequestInit = {},
  ): Promise<Response> => {
    const asked = new URL(input instanceof Request ? input.url : String(input));
    const isOther = asked.origin !== new URL(this.endpoint).origin;
    const url = isOther ? `${this.endpoint}${asked.pathname}${asked.search}` : asked.href;
    const { body, headers } = await this.api(url, {
      headers: { accept: 'application/json' },
      signal: init.signal ?? null,
    });
    return new Response(body, { headers: [...headers] });
  };

  /** Where the person has not set another one. */
  #ownEndpoint(): string {
    const given = (this.#options.env.HF_ENDPOINT ?? '').trim();
    return /^https?:\/\//.test(given) && URL.canParse(given) ? given : HUB;
  }

  async #follow(
    url: string,
    request: HubRequest,
  ): Promise<{ response: NetworkResponse; hasToken: boolean }> {
    const credentials = await this.#credentials();
    let at = new URL(url);
    try {
      for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
        const init = toRequest(at, request, credentials);
        const response = await this.#options.network.fetch(at, init);
        const next = REDIRECTS.includes(response.status) ? response.headers.get('location') : null;
        if (next === null) return { response, hasToken: credentials.token !== null };
        await response.body?.cancel();
        at = this.#next(at, next);
      }
      throw new HubError('bad_answer', `${this.host} sends from one address to the next.`);
    } catch (error) {
      throw this.failed(error, request.signal);
    }
  }

  async #credentials(): Promise<Credentials> {
    const { origin } = new URL(this.endpoint);
    if (!this.isPrivate) return { origin, token: null };
    return { origin, token: this.environmentToken() ?? (await this.#options.token(origin)) };
  }

  #next(from: URL, location: string): URL {
    const next = URL.canParse(location, from.href) ? new URL(location, from.href) : null;
    const isWeb = next?.protocol === 'https:' || next?.protocol === 'http:';
    const isWorse = from.protocol === 'https:' && next?.protocol === 'http:';
    if (next === null || !isWeb || isWorse) {
      throw new HubError('bad_answer', `${this.host} sends to an address that is not followed.`);
    }
    return next;
  }

  #subject(name: string | undefined, hasToken: boolean): HubSubject {
    const repo = name === undefined ? null : { name, url: this.pageOf(name) };
    return { host: this.host, repo, hasToken };
  }
}

interface Credentials {
  /** The only one that gets the token. */
  origin: string;
  token: string | null;
}

function toRequest(url: URL, request: HubRequest, { origin, token }: Credentials): NetworkRequest {
  const { method = 'GET', body, signal = null, headers } = request;
  return {
    method,
    ...(body === undefined ? {} : { body }),
    signal,
    headers: {
      // Bytes as they are: lengths and ranges are those of the file.
      'accept-encoding': 'identity',
      'user-agent': 'pilotlight',
      ...headers,
      ...(url.origin === origin && token !== null ? { authorization: `Bearer ${token}` } : {}),
    },
  };
}

async function firstBytes(
  response: NetworkResponse,
  max: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early gives up the rest.
  for await (const chunk of response.body ?? []) {
    const wanted = chunk.subarray(0, max - size);
    chunks.push(wanted);
    size += wanted.length;
    if (size >= max) break;
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

function trimmed(endpoint: string): string {
  return endpoint.replace(/\/+$/, '');
}
