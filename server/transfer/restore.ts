/** Puts a backup in the place of what is here, in one step: whoever is killed in it finds all of the old or all of the new. */
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { chatSchema } from '../../protocol/chats.js';
import { mcpServerConfigSchema } from '../../protocol/mcp.js';
import { preferencesSchema } from '../../protocol/preferences.js';
import { modelSettingsSchema } from '../../protocol/settings.js';
import type { RestorePreview, RestoreResult } from '../../protocol/transfer.js';
import type { Chats } from '../chats/chats.js';
import { ChatStore } from '../chats/store.js';
import { createId } from '../http/ids.js';
import type { ToolServers } from '../mcp/tool-servers.js';
import { type Connection, Database } from '../store/database.js';
import type { Settings } from '../store/settings.js';
import { UnreadableFileError } from './archive.js';
import { type BackupParts, writeBackup } from './backup.js';
import type { IncomingFile } from './incoming.js';
import { damaged, type OpenBackup, unpackBackup } from './open-backup.js';

/** What is the person's in the database, in the order in which rows name each other. The ledger is this machine's own. */
const TABLES = [
  ...['chat_folders', 'chats', 'chat_messages', 'presets'],
  ...['attachments', 'message_attachments', 'draft_attachments'],
] as const;

export interface RestoreParts extends BackupParts {
  chats: Chats;
  settings: Settings;
  toolServers: ToolServers;
}

export class Restores {
  constructor(private readonly parts: RestoreParts) {}

  /** @throws UnreadableFileError, NoSpaceError */
  async preview(file: IncomingFile): Promise<RestorePreview> {
    return this.#open(file, async ({ manifest }, backup) => ({
      id: file.id,
      created_at: manifest.created_at,
      program: manifest.program,
      chats: countOf(backup, 'chats'),
      messages: countOf(backup, 'chat_messages'),
      chats_now: countOf(this.parts.database, 'chats'),
    }));
  }

  /**
   * What was here is kept aside as a backup first. Answers that are being written end.
   * @throws UnreadableFileError, NoSpaceError, StorageError, the file system's error; nothing has changed then.
   */
  async run(file: IncomingFile, now: number): Promise<RestoreResult> {
    const { chats, database, dataDir } = this.parts;
    return this.#open(file, async ({ folder }, backup) => {
      const stamp = new Date(now).toISOString().replace(/[:.]/g, '-');
      const aside = path.join(dataDir, 'backups', `before-restore-${stamp}.zip`);
      await chats.answers.stop(() => true);
      await writeBackup(this.parts, aside, now);
      const attachments = path.join(folder, 'attachments');
      // Named by their content: what is there already is the same.
      await copyFolder(attachments, path.join(dataDir, 'attachments'));
      backup.read((from) => database.write((to) => replaceAll(from, to)));
      await this.#restoreSettings(folder);
      chats.feed.renew();
      return { chats: countOf(database, 'chats'), kept_aside: aside };
    });
  }

  async #open<T>(
    file: IncomingFile,
    use: (backup: OpenBackup, database: Database) => Promise<T>,
  ): Promise<T> {
    // Two windows may look at it at once.
    const backup = await unpackBackup(file.path, `${file.path}-${createId('unpacked_')}`);
    try {
      // Brings an older one to the newest version.
      const database = new Database(backup.folder);
      try {
        const [problem] = database.notices();
        if (problem !== undefined)
          throw new UnreadableFileError(`This backup is damaged: ${problem}`);
        await checkContent(database, this.parts.database);
        return await use(backup, database);
      } finally {
        database.close();
      }
    } finally {
      await rm(backup.folder, { recursive: true, force: true });
    }
  }

  /** Those of the person, not of the machine: folders, ports and memory stay as they are here. */
  async #restoreSettings(folder: string): Promise<void> {
    const { settings, toolServers } = this.parts;
    const kept = storedSchema.parse(await jsonIn(path.join(folder, 'settings.json')));
    await settings.change({ preferences: kept.preferences });
    for (const [id, value] of Object.entries(kept.models))
      await settings.setModelSettings(id, value);
    const { mcpServers } = toolsSchema.parse(await jsonIn(path.join(folder, 'mcp.json')));
    const here = new Set(toolServers.list().map(({ id }) => id));
    const missing = Object.entries(mcpServers).filter(([id]) => !here.has(id));
    // They come switched off; their secrets have to be entered again.
    if (missing.length > 0) await toolServers.put(Object.fromEntries(missing));
  }
}

const storedSchema = z
  .object({
    preferences: preferencesSchema.partial().catch({}),
    models: z.record(z.string(), modelSettingsSchema).catch({}),
  })
  .catch({ preferences: {}, models: {} });
const toolsSchema = z
  .object({ mcpServers: z.record(z.string(), mcpServerConfigSchema).catch({}) })
  .catch({ mcpServers: {} });

/** {} where there is none, or no JSON. */
async function jsonIn(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return {};
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(from, { recursive: true });
  await mkdir(to, { recursive: true, mode: 0o700 });
  await cp(from, to, { recursive: true, force: false });
}

function countOf(database: Database, table: 'chats' | 'chat_messages'): number {
  return database.read((connection) => {
    const row = connection
      .prepare(`SELECT count(*) AS count FROM ${table} WHERE deleted_at IS NULL`)
      .get() as { count: number };
    return row.count;
  });
}

/** Chats that are looked at before others get their turn. */
const CHATS_A_TURN = 20;

const storedChatSchema = chatSchema.omit({ answering: true });

/** What could not be read here later must not take the place of what can. @throws UnreadableFileError */
async function checkContent(backup: Database, here: Database): Promise<void> {
  for (const table of TABLES) {
    if (columnsOf(backup, table) !== columnsOf(here, table)) {
      throw damaged(`its table ${table} is not as it should be`);
    }
  }
  const store = new ChatStore(backup);
  for (const [index, { id, title }] of store.list().chats.entries()) {
    if (!canBeRead(store, id)) throw damaged(`its chat "${title.slice(0, 100)}" cannot be read`);
    if (index % CHATS_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

function canBeRead(store: ChatStore, id: string): boolean {
  try {
    return storedChatSchema.safeParse(store.find(id)).success;
  } catch {
    // Its text is no JSON.
    return false;
  }
}

function columnsOf(database: Database, table: string): string {
  return database.read((connection) =>
    connection
      .prepare('SELECT name FROM pragma_table_info(?) ORDER BY name')
      .all(table)
      .map((row) => String((row as { name: unknown }).name))
      .join(),
  );
}

function replaceAll(from: Connection, to: Connection): void {
  // Those that come back with the backup stay.
  to.exec('INSERT OR IGNORE INTO attachment_erasures SELECT sha256 FROM attachments');
  for (const table of TABLES.toReversed()) to.exec(`DELETE FROM ${table}`);
  for (const table of TABLES) {
    const columns = from
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map((row) => String((row as { name: unknown }).name));
    const insert = to.prepare(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    for (const row of from.prepare(`SELECT ${columns.join(', ')} FROM ${table}`).iterate()) {
      const values = row as Record<string, string | number | null>;
      insert.run(...columns.map((column) => values[column] ?? null));
    }
  }
  // Their server is gone.
  to.exec("UPDATE chat_messages SET owner = NULL, status = 'interrupted' WHERE owner IS NOT NULL");
}
