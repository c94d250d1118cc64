/** What is asked of a chat, and done with its messages. */

import type { z } from 'zod';
import type { countSchema, QuestionCount } from '../../protocol/attachments.js';
import type { ChatSettings } from '../../protocol/chat-settings.js';
import type {
  AnswerMessage,
  Ask,
  Asked,
  Chat,
  ChatMessage,
  UserMessage,
} from '../../protocol/chats.js';
import type { ToolDecision } from '../../protocol/mcp.js';
import type { CurrentModel } from '../current-model.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { createId } from '../http/ids.js';
import type { Answers } from './answers.js';
import type { Chats } from './chats.js';
import { type Counting, questionOf } from './counting.js';
import type { MessageStore } from './message-store.js';
import { notFound, stillRunning } from './refusals.js';
import { textOf } from './rows.js';
import { firstWords } from './titles.js';
import type { ToolCalls } from './tool-calls.js';
import { pathTo } from './tree.js';

export interface MessagesOptions {
  chats: Pick<
    Chats,
    'find' | 'feed' | 'store' | 'tellSummary' | 'tellState' | 'attachmentsOf' | 'filesOf'
  >;
  counting: Counting;
  answers: Answers;
  toolCalls: ToolCalls;
  store: MessageStore;
  current: CurrentModel;
  /** The lock of this server, for answers that run. */
  owner: () => string;
}

export class Messages {
  readonly #chats: MessagesOptions['chats'];
  readonly #answers: Answers;
  readonly #toolCalls: ToolCalls;
  readonly #store: MessageStore;
  readonly #current: CurrentModel;
  readonly #counting: Counting;
  readonly #owner: () => string;

  constructor({ chats, answers, toolCalls, store, current, counting, owner }: MessagesOptions) {
    this.#chats = chats;
    this.#answers = answers;
    this.#toolCalls = toolCalls;
    this.#store = store;
    this.#current = current;
    this.#counting = counting;
    this.#owner = owner;
  }

  /** @throws ApiError 400, 404, 409 */
  ask(id: string, { parent_id, text, attachments = [], models }: Ask): Asked {
    const chat = this.#chats.find(id);
    const files = this.#chats.attachmentsOf(attachments, 'attachments');
    if (text.trim() === '' && files.length === 0) {
      throw invalidRequest('text is empty: there is nothing to ask.', 'text');
    }
    const parent = parent_id === null ? null : messageIn(chat, parent_id);
    if (parent?.role === 'user') {
      throw invalidRequest('parent_id must be an answer, or null.', 'parent_id');
    }
    if (parent?.status === 'running') throw stillRunning();
    const question: UserMessage = {
      ...newMessage(parent_id),
      ...{ role: 'user', text, attachments: files },
    };
    const asked = this.#begin(chat, question, this.#modelsFor(chat.settings, models), true);
    if (chat.title === '')
      this.#chats.store.giveTitle(id, firstWords(text) || (files[0]?.name ?? ''), null);
    this.#chats.tellSummary(id);
    return asked;
  }

  /** What a question would take of its model's context. @throws ApiError 400, 404; GenerationError */
  async count(
    id: string,
    question: z.output<typeof countSchema>,
    signal: AbortSignal,
  ): Promise<QuestionCount> {
    const chat = this.#chats.find(id);
    const attachments = this.#chats.attachmentsOf(question.attachments ?? [], 'attachments');
    const [model = ''] = question.model
      ? [question.model]
      : this.#modelsFor(chat.settings, undefined);
    const branch = [
      ...pathTo(chat.messages, question.parent_id),
      questionOf(question, attachments),
    ];
    const files = await this.#chats.filesOf(branch, false);
    const { settings } = chat;
    return this.#counting.count({ model, settings, branch, attachments, files, signal });
  }

  /** One more answer to a question. @throws ApiError 400, 404, 409 */
  askAgain(id: string, messageId: string, models: readonly string[] | undefined): Asked {
    const chat = this.#chats.find(id);
    const message = messageIn(chat, messageId);
    const question =
      message.role === 'user' ? message : messageIn(chat, message.parent_id ?? message.id);
    if (question.role !== 'user') {
      throw invalidRequest('Only a question can be answered.', 'message');
    }
    const asked = this.#begin(chat, question, this.#modelsFor(chat.settings, models), false);
    this.#chats.tellSummary(id);
    return asked;
  }

  /** @throws ApiError 404, 409 */
  continue(id: string, messageId: string): Asked {
    const chat = this.#chats.find(id);
    const message = messageIn(chat, messageId);
    if (message.role !== 'assistant') {
      throw invalidRequest('Only an answer can go on.', 'message');
    }
    if (message.status === 'running') throw stillRunning();
    if (message.status === 'complete') {
      throw new ApiError(409, 'This answer has come to its end: ask for another one.', {
        code: 'answer_complete',
      });
    }
    const goesOn =
      textOf(message).trim() !== '' || message.parts.some(({ type }) => type === 'tool_call');
    const answer: AnswerMessage = {
      ...message,
      ...{ status: 'running', failure: null },
      ...(goesOn ? {} : { parts: [], measure: null }),
    };
    this.#answers.save();
    this.#store.goOn(id, answer, this.#owner);
    this.#chats.feed.tell({ type: 'message', message: answer }, id);
    const branch = pathTo(chat.messages, messageId);
    this.#answers.start({
      chatId: id,
      answer,
      settings: chat.settings,
      // What it has said already is in the prompt, as it was when it began.
      branch: goesOn ? branch : branch.slice(0, -1),
    });
    this.#chats.tellSummary(id);
    return { question_id: message.parent_id ?? '', answer_ids: [messageId] };
  }

  /** @param messageId Null: all of the chat. @returns ids of the answers that ran. */
  stop(id: string, messageId: string | null = null): Promise<string[]> {
    return this.#answers.stop(
      (answer, chatId) => chatId === id && (messageId === null || answer.id === messageId),
    );
  }

  /** @throws ApiError 404, 409 */
  edit(id: string, messageId: string, text: string): ChatMessage {
    const message = messageIn(this.#chats.find(id), messageId);
    if (this.#answers.isRunning(messageId)) throw stillRunning();
    // What could not be written yet would take the place of these words.
    this.#answers.save();
    const edited: ChatMessage = {
      ...(message.role === 'user' ? { ...message, text } : withText(message, text)),
      edited_at: Date.now(),
    };
    this.#store.edit(edited);
    this.#chats.feed.tell({ type: 'message', message: edited }, id);
    return edited;
  }

  /** The person's word on a call that waits. @throws ApiError 404, 409 */
  async decide(
    id: string,
    place: { messageId: string; callId: string },
    decision: ToolDecision['decision'],
  ): Promise<ChatMessage> {
    messageIn(this.#chats.find(id), place.messageId);
    await this.#toolCalls.decide({ chatId: id, ...place }, decision);
    return messageIn(this.#chats.find(id), place.messageId);
  }

  /** With all that follows it; what runs there ends. @throws ApiError 404 */
  async delete(id: string, messageId: string): Promise<string[]> {
    const chat = this.#chats.find(id);
    messageIn(chat, messageId);
    await this.#answers.stop(({ id: each }) =>
      pathTo(chat.messages, each).some((message) => message.id === messageId),
    );
    const ids = this.#store.delete(id, messageId);
    this.#chats.feed.tell({ type: 'messages-deleted', ids }, id);
    this.#chats.tellState(id);
    return ids;
  }

  /** @throws ApiError 404 */
  restore(id: string, messageId: string): string[] {
    const restored = this.#store.restore(id, messageId);
    if (restored.length === 0) throw notFound('message', messageId);
    for (const message of restored) this.#chats.feed.tell({ type: 'message', message }, id);
    this.#chats.tellState(id);
    return restored.map((message) => message.id);
  }

  #begin(chat: Chat, question: UserMessage, models: readonly string[], isNew: boolean): Asked {
    // Of one moment, by which the window knows that they belong beside each other.
    const now = Date.now();
    const answers = models.map(
      (model): AnswerMessage => ({
        ...newMessage(question.id, now),
        ...{ role: 'assistant', model, parts: [], status: 'running', failure: null, measure: null },
      }),
    );
    this.#store.begin(chat.id, isNew ? question : null, answers, this.#owner);
    const told = isNew ? [question, ...answers] : answers;
    for (const message of told) this.#chats.feed.tell({ type: 'message', message }, chat.id);
    this.#chats.tellState(chat.id);
    const branch = [...pathTo(chat.messages, question.parent_id), question];
    const { settings, id: chatId } = chat;
    for (const answer of answers) this.#answers.start({ chatId, answer, settings, branch });
    return { question_id: question.id, answer_ids: answers.map(({ id }) => id) };
  }

  /** @throws ApiError 404 where there is no model at all. */
  #modelsFor(settings: ChatSettings, models: readonly string[] | undefined): readonly string[] {
    if (models !== undefined) return models;
    const current = this.#current;
    return [settings.model ?? current.id ?? current.resolve(null).id];
  }
}

function newMessage(parent_id: string | null, created_at = Date.now()) {
  return { id: createId('msg_'), parent_id, created_at, edited_at: null };
}

/** @throws ApiError 404 */
function messageIn(chat: Chat, id: string): ChatMessage {
  const found = chat.messages.find((message) => message.id === id);
  if (found === undefined) throw notFound('message', id);
  return found;
}

/** Its words; what was thought and called stays. */
function withText(answer: AnswerMessage, text: string): AnswerMessage {
  const first = answer.parts.findIndex((part) => part.type === 'text');
  const others = answer.parts.filter((part) => part.type !== 'text');
  const at = first === -1 ? others.length : first;
  const parts = [...others.slice(0, at), { type: 'text' as const, text }, ...others.slice(at)];
  return { ...answer, parts };
}
