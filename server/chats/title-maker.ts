/** Has a chat's model make its title: after everything else, and without being missed where it cannot. */
import type { Logger } from 'pino';
import type { AnswerMessage, Chat, ChatMessage } from '../../protocol/chats.js';
import { createId } from '../http/ids.js';
import { AskError, ask } from './asking.js';
import type { Chats } from './chats.js';
import { messagesOf } from './prompt.js';
import { firstWords, TITLE_QUESTION, TITLE_TOKENS, titleFrom } from './titles.js';
import { pathTo } from './tree.js';

interface TitlesOptions {
  chats: Pick<Chats, 'find' | 'store' | 'tellSummary'>;
  /** Of this server; see Answers. */
  url: () => string;
  key: string;
  isLocal: (model: string) => boolean;
  /** False: it would have to be loaded first, and others might leave memory for it. */
  isReady: (model: string) => boolean;
  log: Logger;
}

/** Nothing here rejects: a chat without a title is called by its question's first words. */
export class Titles {
  readonly #closing = new AbortController();

  constructor(private readonly options: TitlesOptions) {}

  /** The first answer of a chat that is whole gives it a title. */
  async answered(chatId: string, { id, status }: AnswerMessage): Promise<void> {
    // Nearly always there is one already, and the messages need not be read.
    if (status !== 'complete' || this.options.chats.store.summary(chatId)?.title_by !== null)
      return;
    await this.#name(chatId, (chat) => {
      const isFirst = chat.messages.every((each) => each.id === id || !isWhole(each));
      return isFirst ? pathTo(chat.messages, id) : [];
    });
  }

  /** The title is left to the model again. */
  async nameAnew(chatId: string): Promise<void> {
    await this.#name(chatId, ({ messages, leaf_id }) => {
      const path = pathTo(messages, leaf_id);
      const [question] = path;
      if (question?.role === 'user') {
        this.options.chats.store.giveTitle(chatId, firstWords(question.text), null);
      }
      return path.slice(0, path.findLastIndex(isWhole) + 1);
    });
  }

  close(): void {
    this.#closing.abort();
  }

  async #name(chatId: string, branchOf: (chat: Chat) => readonly ChatMessage[]): Promise<void> {
    const { chats, log } = this.options;
    try {
      const chat = chats.find(chatId);
      const title = await this.#ask(branchOf(chat), chat.settings.system_prompt);
      if (title !== null && chats.store.giveTitle(chatId, title, 'model'))
        chats.tellSummary(chatId);
    } catch (error) {
      log.warn({ err: error }, 'a chat got no title');
    }
  }

  /** @param branch From the first question to an answer, whose model is asked. */
  async #ask(branch: readonly ChatMessage[], systemPrompt: string | null): Promise<string | null> {
    const { url, key, isLocal, isReady, log } = this.options;
    const [question] = branch;
    const answer = branch.at(-1);
    if (question?.role !== 'user' || answer?.role !== 'assistant') return null;
    const { model } = answer;
    if (!isReady(model)) return null;
    const body = {
      model,
      stream: true,
      messages: [...messagesOf(branch, systemPrompt), { role: 'user', content: TITLE_QUESTION }],
      max_tokens: TITLE_TOKENS,
      ...(isLocal(model) ? { priority: 'background', reasoning_effort: 'none' } : {}),
    };
    const requestId = createId('title_');
    const { signal } = this.#closing;
    let text = '';
    try {
      for await (const events of ask({ url: url(), key, requestId, body, signal })) {
        for (const event of events) if (event.type === 'delta') text += event.content;
      }
    } catch (error) {
      if (!(error instanceof AskError)) throw error;
      log.debug({ model, code: error.failure.code }, 'a model made no title');
      return null;
    }
    return signal.aborted ? null : titleFrom(text, question.text);
  }
}

const isWhole = (message: ChatMessage): boolean =>
  message.role === 'assistant' && message.status === 'complete';
