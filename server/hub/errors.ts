/** Why the hub did not give what was asked for, in words for people and for the program that asked. */
import { ApiError } from '../http/errors.js';

/**
 * `offline`: the network or the hub's name is out of reach. `refused`: a status that nothing here explains. `bad_answer`:
 * what came is not what the hub's API has. `range`: the file has no such bytes (416).
 */
export type HubErrorKind =
  | 'offline'
  | 'timeout'
  | 'tls'
  | 'proxy'
  | 'gated'
  | 'token'
  | 'not_found'
  | 'rate_limited'
  | 'server'
  | 'range'
  | 'refused'
  | 'bad_answer'
  | 'cancelled';

export class HubError extends Error {
  override readonly name = 'HubError';
  /** The hub's, where it answered. */
  readonly status: number | null;
  /** Seconds after which the hub wants to be asked again; null: it does not say. */
  readonly retryAfter: number | null;

  /** @param message A sentence for people; without what strangers wrote, and without any token. */
  constructor(
    readonly kind: HubErrorKind,
    message: string,
    {
      status = null,
      retryAfter = null,
    }: { status?: number | null; retryAfter?: number | null } = {},
  ) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }

  /** The same request may well succeed a little later. */
  get isPassing(): boolean {
    return ['offline', 'timeout', 'proxy', 'rate_limited', 'server'].includes(this.kind);
  }
}

/** What was asked of the hub, for the sentence. */
export interface HubSubject {
  /** Host of the endpoint, such as "huggingface.co". */
  host: string;
  /** Page of the repo for people, and its name; null: no repo in particular. */
  repo: { name: string; url: string } | null;
  hasToken: boolean;
}

/** An answer other than success. */
export function fromStatus(
  status: number,
  headers: { get(name: string): string | null },
  subject: HubSubject,
): HubError {
  const { host, repo, hasToken } = subject;
  const code = headers.get('x-error-code');
  const error = (kind: HubErrorKind, message: string, retryAfter: number | null = null) =>
    new HubError(kind, message, { status, retryAfter });
  const what = repo === null ? `What was asked of ${host}` : `The model ${repo.name}`;
  if (code === 'GatedRepo') {
    return error(
      'gated',
      hasToken
        ? `${what} is gated, and your account on ${host} may not have it. Ask for access at ${repo?.url ?? host}.`
        : `${what} is gated. Accept its terms at ${repo?.url ?? host}, then set a token of your account, on the Models page or as HF_TOKEN in the environment.`,
    );
  }
  if (status === 404 || code === 'RepoNotFound') {
    if (code === 'RevisionNotFound') return error('not_found', `${what} has no such revision.`);
    if (code === 'EntryNotFound') return error('not_found', `${what} has no such file.`);
    const rest = hasToken ? 'or your account may not see it' : 'or it is private and needs a token';
    return error(
      'not_found',
      repo === null
        ? `${what} is not there.`
        : `There is no model ${repo.name} on ${host}, ${rest}.`,
    );
  }
  switch (status) {
    case 401:
      return error(
        'token',
        hasToken
          ? `${host} does not accept the token. Set another one.`
          : `${host} wants a token for that. Set one of your account.`,
      );
    case 403:
      return error('refused', `${host} does not allow that${hasToken ? ' with this token' : ''}.`);
    case 407:
      return error('proxy', `The proxy on the way to ${host} wants a user and a password.`);
    case 416:
      return error('range', `${what} has no such bytes.`);
    case 429: {
      const wait = secondsOf(headers.get('retry-after'));
      const when = wait === null ? 'Try again later' : `Try again in ${wait} seconds`;
      const hint = hasToken ? '' : ' With a token it allows more of them.';
      return error('rate_limited', `${host} has had too many requests. ${when}.${hint}`, wait);
    }
    default:
      if (status >= 500) {
        const wait = secondsOf(headers.get('retry-after'));
        return error('server', `${host} is in trouble (${status}). Try again later.`, wait);
      }
      return error('refused', `${host} refused the request (${status}).`);
  }
}

/** Retry-After is seconds or a date. */
function secondsOf(header: string | null): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

const OFFLINE = [
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTUNREACH',
  'EADDRNOTAVAIL',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
];
const TIMEOUT = [
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
];
const TLS = /^(CERT_|ERR_TLS_|ERR_SSL_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

/** Whatever a request, or the reading of its answer, has thrown. */
export function fromFailure(failure: unknown, host: string): HubError {
  if (failure instanceof HubError) return failure;
  const causes = causesOf(failure);
  const code = causes.map((cause) => cause.code).find((each) => typeof each === 'string') ?? '';
  if (causes.some(({ name }) => name === 'TimeoutError') || TIMEOUT.includes(code)) {
    return new HubError('timeout', `${host} did not answer in time. Try again later.`);
  }
  if (causes.some(({ message }) => /^Proxy (response|Authentication)/.test(message ?? ''))) {
    return new HubError('proxy', `The proxy on the way to ${host} refuses the connection.`);
  }
  if (causes.some(({ name }) => name === 'AbortError')) {
    return new HubError('cancelled', `The request to ${host} was cancelled.`);
  }
  if (['ENOTFOUND', 'EAI_AGAIN'].includes(code)) {
    return new HubError(
      'offline',
      `The address of ${host} cannot be found (${code}). Is this machine online?`,
    );
  }
  if (OFFLINE.includes(code)) {
    return new HubError(
      'offline',
      `${host} cannot be reached (${code}). Check the network, and the proxy where there is one.`,
    );
  }
  if (TLS.test(code) || code === 'UND_ERR_PRX_TLS') {
    return new HubError(
      'tls',
      `The certificate of ${host} is not trusted (${code}). Where a proxy or a virus scanner looks into connections, ` +
        'start Pilotlight with NODE_EXTRA_CA_CERTS and the file of its certificate.',
    );
  }
  return new HubError('bad_answer', `The answer of ${host} cannot be understood.`);
}

interface Cause {
  name?: string;
  message?: string;
  code?: string;
}

/** An error with those that it came of, the innermost first: those say what happened. */
function causesOf(failure: unknown): Cause[] {
  const found: Cause[] = [];
  const visit = (error: unknown, depth: number) => {
    if (!(error instanceof Error) || depth > 5) return;
    const { errors, cause } = error as Error & { errors?: unknown };
    visit(cause, depth + 1);
    if (Array.isArray(errors)) for (const each of errors) visit(each, depth + 1);
    found.push(error);
  };
  visit(failure, 0);
  return found;
}

const STATUS: Readonly<Record<HubErrorKind, number>> = {
  offline: 503,
  timeout: 503,
  proxy: 503,
  server: 503,
  rate_limited: 429,
  gated: 403,
  // 401 would mean the key of this server.
  token: 403,
  refused: 403,
  not_found: 404,
  range: 400,
  tls: 400,
  bad_answer: 400,
  cancelled: 400,
};

/** As our own clients see it. */
export function hubApiError(error: HubError): ApiError {
  const { kind, message, retryAfter } = error;
  return new ApiError(STATUS[kind], message, {
    code: `hub_${kind}`,
    headers: retryAfter === null ? {} : { 'retry-after': String(Math.max(1, retryAfter)) },
  });
}
