/**
 * Hugging Face's hub for tests: two real servers on this machine, one that speaks the hub's API and one to which it
 * sends those who want the bytes of large files. Misbehaves where a test asks for it.
 */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ByteFault, sendBytes } from './test-hub-bytes.js';
import {
  gitOid,
  isLarge,
  type TestContent,
  TestRepo,
  type TestRepoOptions,
} from './test-hub-repos.js';

export type TestFault =
  | ByteFault
  /** An answer without the bytes; `retryAfter` is the header's text. */
  | { kind: 'status'; status: number; retryAfter?: string }
  /** The connection is closed without an answer. */
  | { kind: 'hang-up' }
  | { kind: 'redirect-loop' }
  /** No JSON, or other JSON than the API has. */
  | { kind: 'body'; body: string };

/**
 * `api`: /api/…; `resolve`: the redirect to the bytes, or a small file's bytes themselves; `bytes`: a large file's, from
 * the second server.
 */
export type TestPlace = 'api' | 'resolve' | 'bytes';

interface PlannedFault {
  fault: TestFault;
  place: TestPlace;
  /** What the path must have in it. */
  path: string;
  times: number;
}

export interface TestRequest {
  place: TestPlace;
  method: string;
  /** With its query. */
  url: string;
  headers: http.IncomingHttpHeaders;
}

/** Lets in to the gated repos, unless its name says otherwise. */
export const TEST_TOKEN = 'hf_letmein';
/** Known to the hub, without access to gated repos. */
export const STRANGER_TOKEN = 'hf_stranger';
const USERS: Readonly<Record<string, string>> = {
  [TEST_TOKEN]: 'ada',
  [STRANGER_TOKEN]: 'stranger',
};

export class TestHub {
  /** All that came, in order. */
  readonly requests: TestRequest[] = [];
  readonly #repos = new Map<string, TestRepo>();
  readonly #faults: PlannedFault[] = [];
  readonly #hub = http.createServer((req, res) => this.#serve(req, res));
  readonly #cdn = http.createServer((req, res) => void this.#serveBytes(req, res));

  static async start(): Promise<TestHub> {
    const hub = new TestHub();
    await Promise.all([listening(hub.#hub), listening(hub.#cdn)]);
    return hub;
  }

  /** Such as "http://127.0.0.1:1234". */
  get endpoint(): string {
    return originOf(this.#hub);
  }

  /** Origin of the second server. */
  get cdn(): string {
    return originOf(this.#cdn);
  }

  addRepo(name: string, options: TestRepoOptions = {}): TestRepo {
    const repo = new TestRepo(name, options);
    this.#repos.set(name, repo);
    return repo;
  }

  /** Changes or adds a file, which changes its repo's commit and the file's ETag. */
  putFile(repo: string, path: string, content: TestContent): void {
    this.#repos.get(repo)?.put(path, content);
  }

  /**
   * The next `times` requests for this place fail so; faults for the same place come one after the other.
   * @param path Only requests whose path has this in it.
   */
  misbehave(
    fault: TestFault,
    { place = 'bytes', times = 1, path = '' }: Partial<Omit<PlannedFault, 'fault'>> = {},
  ): void {
    this.#faults.push({ fault, place, times, path });
  }

  behave(): void {
    this.#faults.length = 0;
  }

  async close(): Promise<void> {
    for (const server of [this.#hub, this.#cdn]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  #fault(place: TestPlace, path: string): TestFault | null {
    const planned = this.#faults.find((each) => each.place === place && path.includes(each.path));
    if (planned === undefined) return null;
    planned.times -= 1;
    if (planned.times <= 0) this.#faults.splice(this.#faults.indexOf(planned), 1);
    return planned.fault;
  }

  #record(place: TestPlace, { method = 'GET', url = '/', headers }: IncomingMessage): void {
    this.requests.push({ place, method, url, headers });
  }

  #serve(req: IncomingMessage, res: ServerResponse): void {
    const url = new URL(req.url ?? '/', this.endpoint);
    const place = url.pathname.startsWith('/api/') ? 'api' : 'resolve';
    this.#record(place, req);
    res.setHeader('x-request-id', `Root=${this.requests.length}`);
    const fault = this.#fault(place, decodeURIComponent(url.pathname));
    if (fault !== null && misbehaves(req, res, fault)) return;
    if (place === 'resolve') void this.#resolve(req, res, url, fault);
    else if (url.pathname === '/api/whoami-v2') this.#whoAmI(req, res);
    else if (url.pathname === '/api/models') this.#search(req, res, url);
    else void this.#model(req, res, url);
  }

  #whoAmI(req: IncomingMessage, res: ServerResponse): void {
    const name = USERS[tokenOf(req) ?? ''];
    if (name === undefined) refuse(res, 401, null, 'Invalid username or password.');
    else json(res, { type: 'user', id: gitOid(name), name, auth: { type: 'access_token' } });
  }

  #search(req: IncomingMessage, res: ServerResponse, url: URL): void {
    const wanted = (url.searchParams.get('search') ?? '').toLowerCase();
    const filters = url.searchParams.getAll('filter');
    const author = url.searchParams.get('author');
    const sort = url.searchParams.get('sort');
    const limit = Number(url.searchParams.get('limit') ?? 1000);
    const offset = Number(url.searchParams.get('cursor') ?? 0);
    const key = sort === 'lastModified' || sort === 'likes' ? sort : 'downloads';
    const found = [...this.#repos.values()]
      .filter((repo) => !repo.options.private || tokenOf(req) === TEST_TOKEN)
      .filter(({ name }) => name.toLowerCase().includes(wanted))
      .filter(({ name }) => author === null || name.startsWith(`${author}/`))
      .filter(({ tags }) => filters.every((tag) => tags.includes(tag)))
      .map((repo) => repo.info())
      .sort((a, b) => compare(b[key], a[key]));
    if (found.length > offset + limit) {
      const next = new URL(url);
      next.searchParams.set('cursor', String(offset + limit));
      res.setHeader('link', `<${next.href}>; rel="next"`);
    }
    json(res, found.slice(offset, offset + limit));
  }

  /** /api/models/OWNER/NAME and what is below it. */
  async #model(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
    const [owner, name, what, ...rest] = url.pathname.split('/').slice(3).map(decodeURIComponent);
    const repo = this.#known(req, res, `${owner}/${name}`);
    if (repo === null) return;
    const revision = rest[0] ?? 'main';
    if (!repo.hasRevision(revision)) {
      refuse(res, 404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
    } else if (what === undefined || what === 'revision') {
      json(res, repo.info());
    } else if (what === 'tree') {
      const page = Number(url.searchParams.get('limit') ?? 1000);
      const offset = Number(url.searchParams.get('cursor') ?? 0);
      const tree = repo.tree();
      if (tree.length > offset + page) {
        const next = new URL(url);
        next.searchParams.set('cursor', String(offset + page));
        res.setHeader('link', `<${next.href}>; rel="next"`);
      }
      json(res, tree.slice(offset, offset + page));
    } else if (what === 'paths-info') {
      const { paths } = JSON.parse(await textOf(req)) as { paths: string[] };
      const files = paths.flatMap((path) => {
        const file = repo.files.get(path);
        return file === undefined ? [] : [repo.entry(path, file)];
      });
      json(res, files);
    } else {
      refuse(res, 404, null, 'Not Found');
    }
  }

  /** /OWNER/NAME/resolve/REVISION/PATH */
  async #resolve(
    req: IncomingMessage,
    res: ServerResponse,
    url: URL,
    fault: TestFault | null,
  ): Promise<void> {
    const parts = url.pathname.split('/').slice(1).map(decodeURIComponent);
    const [owner, name, , revision = '', ...rest] = parts;
    const path = rest.join('/');
    const repo = this.#known(req, res, `${owner}/${name}`);
    if (repo === null || !letsIn(req, res, repo)) return;
    if (!repo.hasRevision(revision)) {
      refuse(res, 404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
      return;
    }
    const file = repo.files.get(path);
    if (file === undefined) {
      refuse(res, 404, 'EntryNotFound', 'Entry not found');
      return;
    }
    res.setHeader('x-repo-commit', repo.commit);
    if (!isLarge(path)) {
      await sendBytes(req, res, file, byteFault(fault));
      return;
    }
    res.setHeader('x-linked-etag', `"${file.sha256}"`);
    res.setHeader('x-linked-size', file.size);
    res.setHeader('etag', `"${gitOid(file.sha256)}"`);
    const signature = gitOid(`${file.sha256}${repo.commit}`);
    const query = new URLSearchParams({ repo: repo.name, path, signature });
    res.writeHead(302, { location: `${this.cdn}/${file.sha256}?${query}` }).end();
  }

  async #serveBytes(req: IncomingMessage, res: ServerResponse): Promise<void> {
    this.#record('bytes', req);
    const { searchParams } = new URL(req.url ?? '/', this.cdn);
    const path = searchParams.get('path') ?? '';
    const fault = this.#fault('bytes', path);
    if (fault !== null && misbehaves(req, res, fault)) return;
    // As storage does: an address that is signed takes no other credentials.
    if (req.headers.authorization !== undefined) {
      refuse(res, 400, null, 'Two credentials.');
      return;
    }
    const file = this.#repos.get(searchParams.get('repo') ?? '')?.files.get(path);
    if (file === undefined) refuse(res, 403, null, 'Request has expired');
    else await sendBytes(req, res, file, byteFault(fault));
  }

  /** Strangers cannot tell a private repo from none, as on the hub. */
  #known(req: IncomingMessage, res: ServerResponse, name: string): TestRepo | null {
    const token = tokenOf(req);
    if (token !== null && USERS[token] === undefined) {
      refuse(res, 401, null, 'Invalid credentials in Authorization header');
      return null;
    }
    const repo = this.#repos.get(name);
    if (repo !== undefined && (!repo.options.private || token === TEST_TOKEN)) return repo;
    if (token === null) refuse(res, 401, 'RepoNotFound', 'Invalid username or password.');
    else refuse(res, 404, 'RepoNotFound', 'Repository not found');
    return null;
  }
}

function letsIn(req: IncomingMessage, res: ServerResponse, { name, options }: TestRepo): boolean {
  const token = tokenOf(req);
  if (!options.gated || token === TEST_TOKEN) return true;
  const [status, rest] =
    token === null
      ? [401, 'You must have access to it and be authenticated to access it. Please log in.']
      : [403, 'You are not in the authorized list. Visit its page to ask for access.'];
  refuse(res, status, 'GatedRepo', `Access to model ${name} is restricted. ${rest}`);
  return false;
}

/** @returns false where the fault is one of bytes. */
function misbehaves(req: IncomingMessage, res: ServerResponse, fault: TestFault): boolean {
  switch (fault.kind) {
    case 'status':
      if (fault.retryAfter !== undefined) res.setHeader('retry-after', fault.retryAfter);
      refuse(res, fault.status, null, http.STATUS_CODES[fault.status] ?? 'Failure');
      return true;
    case 'hang-up':
      res.destroy();
      return true;
    case 'redirect-loop':
      res.writeHead(302, { location: req.url }).end();
      return true;
    case 'body':
      res.writeHead(200, { 'content-type': 'application/json' }).end(fault.body);
      return true;
    default:
      return false;
  }
}

function byteFault(fault: TestFault | null): ByteFault | null {
  switch (fault?.kind) {
    case undefined:
    case 'status':
    case 'hang-up':
    case 'redirect-loop':
    case 'body':
      return null;
    default:
      return fault ?? null;
  }
}

function refuse(res: ServerResponse, status: number, code: string | null, message: string): void {
  if (code !== null) res.setHeader('x-error-code', code);
  res.setHeader('x-error-message', message);
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  res.end(JSON.stringify({ error: message }));
}

function json(res: ServerResponse, body: unknown): void {
  res.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
  res.end(JSON.stringify(body));
}

function tokenOf(req: IncomingMessage): string | null {
  return /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1] ?? null;
}

function compare(a: unknown, b: unknown): number {
  return typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b));
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function listening(server: http.Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
}

function originOf(server: http.Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
