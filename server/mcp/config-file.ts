/**
 * mcp.json in the data folder: tool servers in the shape that other apps use, so that it can be taken there and back, and
 * beside it what only we know of them. Values of env and headers are kept apart, as secrets.
 */
import { readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import {
  MCP_SECRET,
  type McpServerConfig,
  type ToolConsent,
  toolConsentSchema,
} from '../../protocol/mcp.js';
import { changeFile, fileStamp } from '../store/file-change.js';
import type { SecretStore } from '../store/secrets.js';
import { nameProblem, readEntry } from './config-entry.js';
import { ToolServerError } from './problem.js';

export interface StoredServer {
  id: string;
  /** With dots for its secrets. */
  config: McpServerConfig;
  enabled: boolean;
  consent: ReadonlyMap<string, ToolConsent>;
}

const ownSchema = z.object({
  enabled: z.boolean().catch(false),
  consent: z.record(z.string(), toolConsentSchema).catch({}),
});

const fileSchema = z.looseObject({
  mcpServers: z.record(z.string(), z.unknown()),
  pilotlight: z.record(z.string(), z.unknown()).catch({}),
});

const secretsSchema = z.record(z.string(), z.string());

export class ToolServerFile {
  readonly #file: string;
  #stamp: string | null = null;
  #servers: readonly StoredServer[] = [];
  /** Entries of the file that cannot be used: they stay there. */
  #unread: readonly (readonly [string, unknown])[] = [];
  #notice: string | null = null;

  constructor(
    dataDir: string,
    private readonly secrets: SecretStore,
  ) {
    this.#file = path.join(dataDir, 'mcp.json');
    this.#read();
  }

  /** Null, or a sentence for people about what is damaged. */
  get notice(): string | null {
    return this.#notice;
  }

  /** In the file's order. */
  get servers(): readonly StoredServer[] {
    return this.#servers;
  }

  /** @throws FileChangeError, SecretError */
  async put(server: StoredServer): Promise<void> {
    const { config, secrets } = takeSecrets(server.config);
    const kept = new Map(await this.#secretsOf(server.id));
    const wanted = new Map<string, string>();
    for (const [name, value] of secrets) {
      const known = value === MCP_SECRET ? kept.get(name) : value;
      if (known !== undefined) wanted.set(name, known);
    }
    await this.#keep(server.id, kept, wanted);
    await this.#write((all) => {
      const isKnown = all.some(({ id }) => id === server.id);
      const next = { ...server, config };
      return isKnown ? all.map((each) => (each.id === server.id ? next : each)) : [...all, next];
    });
  }

  /** A keychain is asked only where there is something new: some wait for a password. */
  async #keep(
    id: string,
    before: ReadonlyMap<string, string>,
    wanted: ReadonlyMap<string, string>,
  ): Promise<void> {
    const text = (values: ReadonlyMap<string, string>) =>
      JSON.stringify(Object.fromEntries([...values].sort()));
    if (text(before) === text(wanted)) return;
    if (wanted.size > 0) await this.secrets.set(secretName(id), text(wanted));
    else await this.secrets.delete(secretName(id));
  }

  /** Also its secrets. @throws FileChangeError, SecretError */
  async remove(id: string): Promise<void> {
    await this.#write((all) => all.filter((each) => each.id !== id));
    await this.secrets.delete(secretName(id));
  }

  /** @throws ToolServerError where its secrets cannot be read, or are gone. */
  async whole({ id, config }: StoredServer): Promise<McpServerConfig> {
    let kept: ReadonlyMap<string, string>;
    try {
      kept = await this.#secretsOf(id);
    } catch (error) {
      throw new ToolServerError('secrets', error instanceof Error ? error.message : '');
    }
    return withSecrets(config, (name, value) => {
      // Written into the file by hand.
      if (value !== MCP_SECRET) return value;
      const secret = kept.get(name);
      if (secret !== undefined) return secret;
      throw new ToolServerError('secrets', `The value of ${name} is lost: give it once more.`);
    });
  }

  async #secretsOf(id: string): Promise<ReadonlyMap<string, string>> {
    const text = (await this.secrets.get(secretName(id)))?.secret ?? '{}';
    const read = secretsSchema.safeParse(JSON.parse(text));
    return new Map(Object.entries(read.success ? read.data : {}));
  }

  /** Secrets that a person has written into the file by hand are moved to where they belong. */
  async adopt(): Promise<void> {
    for (const server of this.#servers) {
      const { secrets } = takeSecrets(server.config);
      if ([...secrets.values()].some((value) => value !== MCP_SECRET)) await this.put(server);
    }
  }

  async #write(change: (all: readonly StoredServer[]) => readonly StoredServer[]): Promise<void> {
    await changeFile(this.#file, 'The tool servers', () => {
      // Another process, or a person, may have changed it.
      if (this.#look() !== this.#stamp) this.#read();
      const servers = change(this.#servers);
      const content = {
        mcpServers: Object.fromEntries([
          ...this.#unread,
          ...servers.map(({ id, config }) => [id, config] as const),
        ]),
        pilotlight: Object.fromEntries(
          servers.map(({ id, enabled, consent }) => [
            id,
            { enabled, consent: Object.fromEntries(consent) },
          ]),
        ),
      };
      this.#servers = servers;
      return `${JSON.stringify(content, null, 2)}\n`;
    });
    this.#stamp = this.#look();
  }

  /** Null also where it cannot be seen; a notice then says so. */
  #look(): string | null {
    try {
      return fileStamp(this.#file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Below what is no folder there is no file.
      if (code !== 'ENOTDIR') {
        this.#notice = `The tool servers in ${this.#file} cannot be read (${code}).`;
      }
      return null;
    }
  }

  #read(): void {
    this.#stamp = this.#look();
    if (this.#stamp === null) return;
    let file: z.infer<typeof fileSchema>;
    try {
      file = fileSchema.parse(JSON.parse(readFileSync(this.#file, 'utf8')));
    } catch {
      this.#keepAside();
      return;
    }
    const own = new Map(Object.entries(file.pilotlight));
    const unread: (readonly [string, unknown])[] = [];
    this.#servers = Object.entries(file.mcpServers).flatMap(([id, value]) => {
      const { config } = readEntry(value);
      if (config === null || nameProblem(id) !== null) {
        unread.push([id, value]);
        return [];
      }
      const { enabled, consent } = ownSchema.parse(own.get(id) ?? {});
      return [{ id, config, enabled, consent: new Map(Object.entries(consent)) }];
    });
    this.#unread = unread;
    const names = unread.map(([id]) => JSON.stringify(id)).join(', ');
    this.#notice =
      names === '' ? null : `In ${this.#file} some tool servers cannot be used: ${names}.`;
  }

  #keepAside(): void {
    const stamp = new Date().toISOString().replace(/[:.]/g, '-');
    const aside = this.#file.replace(/\.json$/, `.damaged-${stamp}.json`);
    try {
      renameSync(this.#file, aside);
      this.#notice = `The tool servers in ${this.#file} were damaged, so there are none. The file is kept as ${aside}.`;
    } catch {
      this.#notice = `The tool servers in ${this.#file} cannot be read, so there are none.`;
    }
    this.#stamp = this.#look();
  }
}

const secretName = (id: string) => `secrets of the tool server ${id}`;

/** A configuration with dots for its secrets, and those. */
function takeSecrets(config: McpServerConfig): {
  config: McpServerConfig;
  secrets: ReadonlyMap<string, string>;
} {
  const secrets = new Map<string, string>();
  const hidden = withSecrets(config, (name, value) => {
    secrets.set(name, value);
    return MCP_SECRET;
  });
  return { config: hidden, secrets };
}

function withSecrets(
  config: McpServerConfig,
  secretOf: (name: string, value: string) => string,
): McpServerConfig {
  const fill = (values: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, secretOf(name, value)]),
    );
  if ('command' in config) return config.env ? { ...config, env: fill(config.env) } : config;
  return config.headers ? { ...config, headers: fill(config.headers) } : config;
}
