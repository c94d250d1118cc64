/** How much of a model's context a question takes, with all that comes before it. */
import type { Attachment, QuestionCount } from '../../protocol/attachments.js';
import type { ChatSettings } from '../../protocol/chat-settings.js';
import type { Ask, ChatMessage } from '../../protocol/chats.js';
import { capabilitiesOf } from '../capabilities.js';
import type { EnginePool } from '../engine/pool.js';
import type { Library } from '../library/library.js';
import type { LibraryModel } from '../library/model.js';
import { parseChatRequest } from '../openai/request.js';
import { withSystemPrompt } from '../request/defaults.js';
import type { Settings } from '../store/settings.js';
import type { Upstreams } from '../upstreams/upstreams.js';
import { type AttachedFiles, fencedFile } from './attached.js';
import { requestBody, type Tools } from './prompt.js';

/** Counts that are remembered: a file's does not change as long as its model is the same. */
const REMEMBERED = 1_000;

export interface CountingOptions {
  library: Library;
  pool: EnginePool;
  upstreams: Pick<Upstreams, 'find'>;
  settings: Pick<Settings, 'modelSettings'>;
  /** What the model is told of tools, as far as it is known without waiting for a server of them. */
  toolsOf: (model: string, settings: ChatSettings) => Tools;
}

export interface Counted {
  model: string;
  settings: ChatSettings;
  /** To the question. */
  branch: readonly ChatMessage[];
  /** Of the question. */
  attachments: readonly Attachment[];
  /** Of the whole branch. */
  files: AttachedFiles;
  /** Whoever asked has gone. */
  signal: AbortSignal;
}

export class Counting {
  readonly #remembered = new Map<string, number>();

  constructor(private readonly options: CountingOptions) {}

  /** Whether the model can be shown pictures. One of another server is asked, and says no itself. */
  sees(model: string): boolean {
    const local = this.#localOf(model);
    return (
      local === null || capabilitiesOf(local, this.options.pool.info(local)).includes('vision')
    );
  }

  /** Counts nothing where that would have to load a model. @throws GenerationError, ApiError */
  async count(counted: Counted): Promise<QuestionCount> {
    const { pool } = this.options;
    const { model, attachments } = counted;
    const local = this.#localOf(model);
    const info = local === null ? null : pool.info(local);
    const sees = this.sees(model);
    if (local === null || info === null) {
      return { tokens: null, context_size: null, attachments: {}, sees };
    }
    const tokens: Record<string, number> = {};
    for (const attachment of attachments) {
      if (attachment.kind === 'text') {
        tokens[attachment.id] = await this.#ofFile(local, attachment, counted);
      }
    }
    return {
      tokens: await this.#ofPrompt(local, counted),
      context_size: info.contextLength,
      attachments: tokens,
      sees,
    };
  }

  async #ofPrompt(model: LibraryModel, counted: Counted): Promise<number> {
    const { pool, settings, toolsOf } = this.options;
    // A picture is counted by the model that sees it, as it is asked.
    const files = { ...counted.files, sees: false };
    const tools = toolsOf(model.id, counted.settings);
    const body = requestBody({ ...counted, isLocal: true, tools, files });
    const { prompt } = parseChatRequest(body).input;
    if (prompt.kind !== 'chat') throw new TypeError('expected a chat');
    const whole = withSystemPrompt(prompt, settings.modelSettings(model.id));
    const { promptTokens } = await pool.call(model, 'apply-template', whole, counted.signal);
    return promptTokens;
  }

  async #ofFile(
    model: LibraryModel,
    attachment: Attachment,
    { files, signal }: Pick<Counted, 'files' | 'signal'>,
  ): Promise<number> {
    const key = JSON.stringify([model.id, attachment.id]);
    const known = this.#remembered.get(key);
    if (known !== undefined) return known;
    const request = {
      ...{ text: fencedFile(attachment, files), addSpecial: false },
      ...{ parseSpecial: false, withPieces: false },
    };
    const { tokenIds } = await this.options.pool.call(model, 'tokenize', request, signal);
    this.#remembered.set(key, tokenIds.length);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    return tokenIds.length;
  }

  /** Null: another server has it, or nobody. */
  #localOf(model: string): LibraryModel | null {
    const { library, upstreams } = this.options;
    return upstreams.find(model) === null ? library.find(model) : null;
  }
}

/** What a question would be that is not asked yet. */
export function questionOf(
  { parent_id, text }: Pick<Ask, 'parent_id' | 'text'>,
  attachments: Attachment[],
): ChatMessage {
  return {
    ...{ id: 'question', parent_id, created_at: 0, edited_at: null },
    ...{ role: 'user', text, attachments },
  };
}
