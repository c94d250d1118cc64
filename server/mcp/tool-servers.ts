/** The person's tool servers: what is set up, what runs, and the calls that models make. */
import {
  MCP_SECRET,
  type McpCheck,
  type McpServer,
  type McpServerConfig,
  type McpServerPatch,
  type ToolConsent,
} from '../../protocol/mcp.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { FileChangeError } from '../store/file-change.js';
import { SecretError, type SecretStore } from '../store/secrets.js';
import { nameProblem, readEntry } from './config-entry.js';
import { type StoredServer, ToolServerFile } from './config-file.js';
import { checkText } from './config-text.js';
import { engineNames } from './tool-names.js';
import type { ToolAnswer } from './tool-result.js';
import { TOOL_TIMES, ToolCallError, ToolServer, type ToolTimes } from './tool-server.js';

/** More than anybody has. */
const SERVERS_MAX = 100;

/** Tools that a model is told of at once: their words are a part of every prompt. */
export const OFFERED_MAX = 512;

/** Words of the log, and other small things, are told together, in milliseconds. */
const GATHER_MS = 500;

interface ToolServersOptions {
  dataDir: string;
  secrets: SecretStore;
  version: string;
  onChange: () => void;
  times?: Partial<ToolTimes>;
}

/** A tool as a model is told of it. */
export interface ToolOffer {
  /** For the model; see engineNames. */
  name: string;
  server: string;
  tool: string;
  description: string;
  schema: Record<string, unknown>;
}

export class ToolServers {
  readonly #file: ToolServerFile;
  readonly #running = new Map<string, ToolServer>();
  /** By server and tool: why an engine did not take it. */
  readonly #refused = new Map<string, string>();
  readonly #listeners = new Set<(id: string) => void>();
  /** Changes happen one after the other. */
  #changing: Promise<unknown> = Promise.resolve();
  #changes = 0;
  #gathering: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(private readonly options: ToolServersOptions) {
    this.#file = new ToolServerFile(options.dataDir, options.secrets);
  }

  /** Starts those that are switched on. */
  start(): void {
    // Where they cannot be moved they stay in the file, as the person wrote it.
    void this.#change(() => this.#file.adopt()).catch(() => {});
    for (const stored of this.#file.servers) if (stored.enabled) this.#runningOf(stored).start();
  }

  /** Grows with every change of what list() tells. */
  get changes(): number {
    return this.#changes;
  }

  notices(): string[] {
    return this.#file.notice === null ? [] : [this.#file.notice];
  }

  list(): McpServer[] {
    return this.#file.servers.map((stored) => this.#told(stored));
  }

  check(text: string): McpCheck {
    return checkText(text, (name) => this.#file.servers.some(({ id }) => id === name));
  }

  /** @throws ApiError 400 that names the server; 500 where it cannot be saved. */
  put(configs: Readonly<Record<string, McpServerConfig>>): Promise<void> {
    return this.#change(async () => {
      const known = new Map(this.#file.servers.map((stored) => [stored.id, stored]));
      const entries = Object.entries(configs).map(([id, config]) => {
        const problem = problemOf(id, config, known.get(id)?.config ?? null);
        if (problem !== null) throw invalidRequest(`"${id}": ${problem}`, `mcpServers.${id}`);
        return [id, config] as const;
      });
      const count = new Set([...known.keys(), ...entries.map(([id]) => id)]).size;
      if (count > SERVERS_MAX) {
        throw invalidRequest(`There can be at most ${SERVERS_MAX} tool servers.`, 'mcpServers');
      }
      for (const [id, config] of entries) await this.#put(id, config, known.get(id) ?? null);
    });
  }

  async #put(id: string, config: McpServerConfig, before: StoredServer | null): Promise<void> {
    const isSame = before !== null && launchOf(before.config) === launchOf(config);
    await this.#file.put({
      ...{ id, config, enabled: isSame && before.enabled },
      // What the person allowed, they allowed to the one that was there.
      consent: isSame ? before.consent : new Map([...(before?.consent ?? [])].filter(isRefusal)),
    });
    await this.#forget(id, isSame);
    const stored = this.#find(id);
    if (stored.enabled) this.#runningOf(stored).start();
  }

  /** @throws ApiError 404; 500 where it cannot be saved. */
  patch(id: string, { enabled, consent }: McpServerPatch): Promise<void> {
    return this.#change(async () => {
      const stored = this.#find(id);
      const next: StoredServer = {
        ...stored,
        enabled: enabled ?? stored.enabled,
        consent: new Map([...stored.consent, ...Object.entries(consent ?? {})]),
      };
      await this.#file.put(next);
      if (next.enabled === stored.enabled) return;
      const server = this.#runningOf(next);
      if (next.enabled) server.start();
      else void server.stop();
    });
  }

  /** @throws ApiError 404; 500 where it cannot be saved. */
  remove(id: string): Promise<void> {
    return this.#change(async () => {
      this.#find(id);
      await this.#file.remove(id);
      await this.#forget(id, false);
    });
  }

  /** Calls `listener` with the name of each that is gone, or would start something else from now on. */
  onReplaced(listener: (id: string) => void): void {
    this.#listeners.add(listener);
  }

  /** Once more, now. @throws ApiError 404; 409 while it is switched off. */
  restart(id: string): void {
    const stored = this.#find(id);
    if (!stored.enabled) {
      throw new ApiError(409, `"${id}" is switched off, so it is not started.`, {
        code: 'tool_server_disabled',
      });
    }
    this.#runningOf(stored).start();
  }

  /** Resolves when those that are being started have started, or cannot be. @param ids Null: all. */
  async settled(ids: readonly string[] | null, signal: AbortSignal): Promise<void> {
    const wanted = [...this.#running].filter(([id]) => ids === null || ids.includes(id));
    await Promise.all(wanted.map(([, server]) => server.settled(signal)));
  }

  /** The tools that a model may call, in a fixed order. @param ids Of servers; null: of all that are switched on. */
  offers(ids: readonly string[] | null): ToolOffer[] {
    const offered = this.#file.servers
      .filter(({ id, enabled }) => enabled && (ids === null || ids.includes(id)))
      .flatMap((stored) => {
        const server = this.#running.get(stored.id);
        const tools = server?.status === 'ready' ? server.tools : [];
        return tools
          .filter(({ name, unusable }) => {
            const isRefused = this.#refused.has(toolKey(stored.id, name));
            return unusable === null && !isRefused && consentOf(stored, name) !== 'never';
          })
          .map((tool) => ({ server: stored.id, tool }));
      })
      .slice(0, OFFERED_MAX);
    const names = engineNames(
      offered.map(({ server, tool }) => ({
        ...{ server, tool: tool.name, arguments: argumentsOf(tool.input_schema) },
      })),
    );
    return offered.map(({ server, tool }, i) => ({
      ...{ name: names[i] ?? '', server, tool: tool.name, schema: tool.input_schema },
      description: tool.description === '' ? (tool.title ?? '') : tool.description,
    }));
  }

  /** An engine does not take it: it is offered no more until its server is started anew. */
  refuse({ server, tool }: ToolOffer, reason: string): void {
    this.#refused.set(toolKey(server, tool), reason);
    this.#changed();
  }

  consent(server: string, tool: string): ToolConsent {
    const stored = this.#file.servers.find(({ id }) => id === server);
    return stored?.enabled ? consentOf(stored, tool) : 'never';
  }

  /** @throws ToolCallError; the reason of `signal` where it is aborted. */
  async call(
    server: string,
    tool: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<ToolAnswer> {
    const running = this.#running.get(server);
    const isKnown = running?.tools.some(({ name }) => name === tool) === true;
    if (!isKnown || this.consent(server, tool) === 'never') {
      throw new ToolCallError('unknown', 'This tool is not there any more, or is switched off.');
    }
    await running.settled(signal);
    return running.call(tool, args, signal);
  }

  /** Ends all of them; resolves when they are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    await this.#changing;
    await Promise.all([...this.#running.values()].map((server) => server.stop()));
  }

  #change<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#changing.then(work).catch((error: unknown) => {
      if (error instanceof FileChangeError || error instanceof SecretError) {
        throw new ApiError(500, error.message, { code: 'not_saved' });
      }
      throw error;
    });
    this.#changing = done.catch(() => {}).then(() => this.#changed());
    return done;
  }

  /** @throws ApiError 404 */
  #find(id: string): StoredServer {
    const stored = this.#file.servers.find((each) => each.id === id);
    if (stored !== undefined) return stored;
    throw new ApiError(404, `There is no tool server "${id.slice(0, 100)}".`, {
      code: 'tool_server_not_found',
    });
  }

  #runningOf({ id }: StoredServer): ToolServer {
    const known = this.#running.get(id);
    if (known !== undefined) return known;
    const server = new ToolServer({
      id,
      config: () => this.#file.whole(this.#find(id)),
      version: this.options.version,
      times: { ...TOOL_TIMES, ...this.options.times },
      onChange: () => this.#gather(),
      onStart: () => this.#unrefuse(id),
    });
    this.#running.set(id, server);
    return server;
  }

  async #forget(id: string, isSame: boolean): Promise<void> {
    if (!isSame) for (const listener of this.#listeners) listener(id);
    const server = this.#running.get(id);
    this.#running.delete(id);
    this.#unrefuse(id);
    await server?.stop();
  }

  #unrefuse(id: string): void {
    for (const key of this.#refused.keys()) {
      if (key.startsWith(toolKey(id, ''))) this.#refused.delete(key);
    }
  }

  #told(stored: StoredServer): McpServer {
    const server = this.#running.get(stored.id);
    const off = { status: 'off' as const, problem: null, retry_at: null, log: [] };
    return {
      ...{ id: stored.id, enabled: stored.enabled, config: hidden(stored.config) },
      ...(server?.told() ?? off),
      tools: (server?.tools ?? []).map((tool) => ({
        ...tool,
        consent: consentOf(stored, tool.name),
        unusable: tool.unusable ?? this.#refused.get(toolKey(stored.id, tool.name)) ?? null,
      })),
    };
  }

  #gather(): void {
    if (this.#isClosed) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = null;
      this.#changed();
    }, GATHER_MS).unref();
  }

  #changed(): void {
    this.#changes += 1;
    this.options.onChange();
  }
}

const consentOf = ({ consent }: StoredServer, tool: string) => consent.get(tool) ?? 'ask';

const isRefusal = ([, consent]: [string, ToolConsent]) => consent === 'never';

const toolKey = (server: string, tool: string) => `${server}\n${tool}`;

/** What decides who is asked; other secrets are only another key for the same one. */
function launchOf(config: McpServerConfig): string {
  if ('url' in config) return JSON.stringify([config.url]);
  return JSON.stringify([config.command, config.args ?? [], config.cwd ?? null]);
}

function argumentsOf({ properties }: Record<string, unknown>): string[] {
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

/** As it is told: a secret that a person has written into the file by hand is one too. */
function hidden(config: McpServerConfig): McpServerConfig {
  const dots = (values: Record<string, string>) =>
    Object.fromEntries(Object.keys(values).map((name) => [name, MCP_SECRET]));
  if ('command' in config) return config.env ? { ...config, env: dots(config.env) } : config;
  return config.headers ? { ...config, headers: dots(config.headers) } : config;
}

/** A sentence for people; null where it can be used. */
function problemOf(
  id: string,
  config: McpServerConfig,
  before: McpServerConfig | null,
): string | null {
  const { problem, detail } = readEntry(config);
  if (nameProblem(id) !== null) return 'A name has at most 64 printable characters.';
  if (problem !== null) return `${problem} cannot be used${detail === null ? '' : `: ${detail}`}.`;
  const secrets = 'command' in config ? config.env : config.headers;
  const kept = before === null ? {} : (('command' in before ? before.env : before.headers) ?? {});
  const lost = Object.entries(secrets ?? {}).find(
    ([name, value]) => value === MCP_SECRET && !Object.hasOwn(kept, name),
  );
  if (lost !== undefined) return `The value of ${lost[0]} is not known: give it.`;
  const isKept = Object.values(secrets ?? {}).includes(MCP_SECRET);
  const isElsewhere =
    before !== null &&
    'url' in config &&
    'url' in before &&
    new URL(config.url).origin !== new URL(before.url).origin;
  return isKept && isElsewhere
    ? 'Its headers belong to the former address: give them for the new one.'
    : null;
}
