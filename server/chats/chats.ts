/** The person's chats: the list, each one's settings and place, and what everybody who shows them is told. */
import type { Logger } from 'pino';
import type { Attachment } from '../../protocol/attachments.js';
import type {
  Chat,
  ChatEvent,
  ChatList,
  ChatMessage,
  ChatPatch,
  ChatSummary,
} from '../../protocol/chats.js';
import type { Attachments } from '../attachments/attachments.js';
import { capabilitiesOf } from '../capabilities.js';
import type { CurrentModel } from '../current-model.js';
import type { EnginePool } from '../engine/pool.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { isHeld, ProcessLock } from '../ledger/process-lock.js';
import type { Library } from '../library/library.js';
import type { ToolServers } from '../mcp/tool-servers.js';
import type { StateFeed } from '../state.js';
import type { Database } from '../store/database.js';
import type { Settings } from '../store/settings.js';
import type { Upstreams } from '../upstreams/upstreams.js';
import { Answers } from './answers.js';
import { type AttachedFiles, picturesWithRoom } from './attached.js';
import { Counting } from './counting.js';
import { ChatFeed } from './feed.js';
import { MessageStore } from './message-store.js';
import { Messages } from './messages.js';
import { NO_TOOLS } from './prompt.js';
import { noAttachment, notFound } from './refusals.js';
import type { StoredSummary } from './rows.js';
import { ChatStore, type NewChat } from './store.js';
import { Titles } from './title-maker.js';
import { ToolCalls } from './tool-calls.js';

/** How often what was deleted is looked through, in milliseconds. */
const PURGE_MS = 10 * 60 * 1000;

export interface ChatsOptions {
  dataDir: string;
  database: Database;
  library: Library;
  pool: EnginePool;
  upstreams: Upstreams;
  current: CurrentModel;
  settings: Settings;
  attachments: Attachments;
  toolServers: ToolServers;
  state: StateFeed;
  /** Of this server; see Answers. */
  url: () => string;
  key: string;
  /** Of new chats. */
  defaults: () => NonNullable<ChatPatch['settings']>;
  log: Logger;
}

export class Chats {
  readonly feed = new ChatFeed();
  readonly store: ChatStore;
  readonly answers: Answers;
  readonly messages: Messages;
  readonly toolCalls: ToolCalls;
  readonly #defaults: ChatsOptions['defaults'];
  readonly #attachments: Attachments;
  readonly #titles: Titles;
  readonly #lock: ProcessLock;
  readonly #purge: NodeJS.Timeout;
  /** See Database.foreignStamp. */
  #stamp = '';

  /** Ends the answers of servers that are gone. Never throws. */
  constructor({
    database,
    dataDir,
    library,
    pool,
    upstreams,
    current,
    state,
    ...rest
  }: ChatsOptions) {
    const { toolServers, url, key, defaults, log, settings, attachments } = rest;
    this.#defaults = defaults;
    this.#attachments = attachments;
    const knowsTools = (model: string) => {
      const local = library.find(model);
      return local === null || capabilitiesOf(local, pool.info(local)).includes('tools');
    };
    const counting = new Counting({
      ...{ library, pool, upstreams, settings },
      toolsOf: (model, settings) =>
        knowsTools(model)
          ? { offers: this.toolCalls.offersNow(settings), areKnown: true }
          : NO_TOOLS,
    });
    const store = new MessageStore(database);
    this.store = new ChatStore(database);
    this.#lock = new ProcessLock(dataDir);
    this.toolCalls = new ToolCalls(toolServers);
    toolServers.onReplaced((id) => this.toolCalls.forget(id));
    const owner = () => {
      this.#lock.take();
      return this.#lock.name;
    };
    const isLocal = (model: string) => upstreams.find(model) === null;
    this.answers = new Answers({
      ...{ database, messages: store, feed: this.feed, url, key, owner, isLocal, state, log },
      toolCalls: this.toolCalls,
      filesOf: (branch, model) => this.filesOf(branch, counting.sees(model)),
      knowsTools,
      contextOf: (model) => pool.info(model)?.contextLength ?? null,
      onEnd: (chatId, answer) => {
        this.tellSummary(chatId);
        void this.#titles.answered(chatId, answer);
      },
    });
    this.messages = new Messages({
      ...{ chats: this, answers: this.answers, toolCalls: this.toolCalls, store, current },
      ...{ counting, owner },
    });
    this.#titles = new Titles({
      ...{ chats: this, url, key, isLocal, log },
      isReady: (model) => {
        const local = library.find(model);
        return local === null || pool.info(local) !== null;
      },
    });
    try {
      store.interrupt((name) => isHeld(dataDir, name));
    } catch (error) {
      log.warn({ err: error }, 'chats cannot be read');
    }
    this.#purge = setInterval(() => this.#empty(), PURGE_MS).unref();
    this.#empty();
  }

  #empty(): void {
    this.store.purge();
    void this.#attachments.purge();
  }

  /** In their order, each once. @throws ApiError 400 */
  attachmentsOf(ids: readonly string[], param: string): Attachment[] {
    return [...new Set(ids)].map((id) => {
      if (!this.#attachments.has(id)) throw noAttachment(param);
      const { sha256: _, ...attachment } = this.#attachments.find(id);
      return attachment;
    });
  }

  /** What the files of a branch say. @param sees Whether its model is shown pictures. */
  async filesOf(branch: readonly ChatMessage[], sees: boolean): Promise<AttachedFiles> {
    const attachments = branch.flatMap((each) => (each.role === 'user' ? each.attachments : []));
    const withRoom = picturesWithRoom(attachments);
    const contents = new Map<string, string>();
    for (const { id, kind } of attachments) {
      if (kind === 'image' && !(sees && withRoom.has(id))) continue;
      try {
        const files = this.#attachments;
        contents.set(id, await (kind === 'image' ? files.dataUrl(id) : files.text(id)));
      } catch (error) {
        // Its name is told all the same.
        if (!(error instanceof ApiError)) throw error;
      }
    }
    return { contents, sees };
  }

  list(): ChatList {
    const { chats, folders } = this.store.list();
    return { chats: chats.map((chat) => this.#summary(chat)), folders };
  }

  /** @throws ApiError 404 */
  find(id: string): Chat {
    const chat = this.store.find(id);
    if (chat === null) throw notFound('chat', id);
    return {
      ...chat,
      answering: this.answers.isAnswering(id),
      messages: chat.messages.map((message) => this.answers.latest(message)),
    };
  }

  /** @throws ApiError 404 */
  summary(id: string): ChatSummary {
    const chat = this.store.summary(id);
    if (chat === null) throw notFound('chat', id);
    return this.#summary(chat);
  }

  /**
   * What a stream of events begins with.
   * @param open Id of a chat; null: none.
   * @param known Version of the list that the reader has; null: none.
   */
  snapshot(open: string | null, known: number | null): ChatEvent[] {
    const list = this.#listUnless(known);
    if (open === null) return [list];
    const isThere = this.store.summary(open) !== null;
    return [list, { type: 'open', chat: isThere ? this.find(open) : null }];
  }

  /** @throws ApiError 400 */
  create(given: NewChat): Chat {
    this.#checkFolder(given.folder_id);
    const settings = { ...this.#defaults(), ...given.settings };
    const chat = this.find(this.store.create({ ...given, settings }));
    this.tellSummary(chat.id);
    return chat;
  }

  /** @throws ApiError 400, 404 */
  patch(id: string, patch: ChatPatch): ChatSummary {
    this.#checkFolder(patch.folder_id ?? null);
    const { leaf_id: leaf } = patch;
    if (leaf != null && !this.store.hasMessage(id, leaf)) {
      throw invalidRequest(`There is no message "${leaf}" in this chat.`, 'leaf_id');
    }
    const files = patch.draft_attachments;
    const draft_attachments =
      files && this.attachmentsOf(files, 'draft_attachments').map((file) => file.id);
    if (!this.store.patch(id, { ...patch, draft_attachments })) throw notFound('chat', id);
    if (patch.title === '') void this.#titles.nameAnew(id);
    const { settings, draft, leaf_id } = patch;
    if ([settings, draft, leaf_id, files].some((value) => value !== undefined)) this.tellState(id);
    const { title, folder_id, pinned, archived } = patch;
    if ([title, folder_id, pinned, archived].some((value) => value !== undefined)) {
      this.tellSummary(id);
    }
    return this.summary(id);
  }

  /** What runs in it ends. @throws ApiError 404 */
  async delete(id: string): Promise<void> {
    await this.answers.stop((_answer, chatId) => chatId === id);
    if (!this.store.delete(id)) throw notFound('chat', id);
    this.feed.tellList({ type: 'chat-deleted', id });
  }

  /** @throws ApiError 404 */
  restore(id: string): ChatSummary {
    if (!this.store.restore(id)) throw notFound('chat', id);
    this.tellSummary(id);
    this.feed.tell({ type: 'open', chat: this.find(id) }, id);
    return this.summary(id);
  }

  /** @throws ApiError 404 */
  deleteFolder(id: string): void {
    const inside = this.store.deleteFolder(id);
    if (inside === null) throw notFound('folder', id);
    this.tellFolders();
    for (const chatId of inside) this.tellSummary(chatId);
  }

  tellFolders(): void {
    this.feed.tellList({ type: 'folders', folders: this.store.folders() });
  }

  /** Ends what runs, with what has come. */
  async close(): Promise<void> {
    clearInterval(this.#purge);
    this.#titles.close();
    await this.answers.close();
    this.#lock.release();
  }

  #listUnless(known: number | null): ChatEvent {
    const stamp = this.store.database.foreignStamp();
    // Of changes by other processes nobody is told.
    if (stamp !== this.#stamp) this.feed.skipVersion();
    this.#stamp = stamp;
    const version = this.feed.listVersion;
    return version === known ? { type: 'list-same' } : { type: 'list', version, ...this.list() };
  }

  #checkFolder(id: string | null): void {
    if (id === null || this.store.hasFolder(id)) return;
    throw invalidRequest(`There is no folder "${id}".`, 'folder_id', 'folder_not_found');
  }

  #summary(chat: StoredSummary): ChatSummary {
    return { ...chat, answering: this.answers.isAnswering(chat.id) };
  }

  tellSummary(id: string): void {
    const chat = this.store.summary(id);
    if (chat !== null) this.feed.tellList({ type: 'chat', chat: this.#summary(chat) });
  }

  tellState(id: string): void {
    const state = this.store.state(id);
    if (state !== null) this.feed.tell({ type: 'state', ...state }, id);
  }
}
