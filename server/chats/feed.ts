/** Tells whoever has chats on a screen what changes of them. */
import { randomInt } from 'node:crypto';
import type { ChatEvent } from '../../protocol/chats.js';

/** Changes of the list, which have a version each. */
type ListEvent = Extract<ChatEvent, { type: 'chat' | 'chat-deleted' | 'folders' }>;
/** What is told of a chat to those who have it open. */
export type OpenChatEvent = Exclude<ChatEvent, ListEvent | { type: 'list' | 'list-same' }>;
type Unnumbered<E> = E extends unknown ? Omit<E, 'version'> : never;

export interface ChatListener {
  /**
   * @param chatId Null: of the list; else of this chat.
   * @param text The event as JSON, written once for all who send it.
   */
  told(chatId: string | null, text: () => string): void;
  /** So much has changed that all is to be read anew. */
  renewed(): void;
}

export class ChatFeed {
  readonly #listeners = new Set<ChatListener>();
  /** Begins anywhere: what somebody knows from a server before this one is no version of this one's. */
  #listVersion = randomInt(2 ** 47);

  /** Of the list as it is now. */
  get listVersion(): number {
    return this.#listVersion;
  }

  /** @returns a function that ends the subscription. */
  subscribe(listener: ChatListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** To those who have this chat open. */
  tell(event: OpenChatEvent, chatId: string): void {
    this.#tell(event, chatId);
  }

  /** To everybody. */
  tellList(event: Unnumbered<ListEvent>): void {
    this.#listVersion++;
    this.#tell({ ...event, version: this.#listVersion }, null);
  }

  /** In place of many events. */
  renew(): void {
    this.#listVersion++;
    for (const listener of [...this.#listeners]) listener.renewed();
  }

  /** The list has changed, and nobody can say how: no version that somebody knows is the newest. */
  skipVersion(): void {
    this.#listVersion++;
  }

  #tell(event: ChatEvent, chatId: string | null): void {
    let written: string | null = null;
    const text = () => {
      written ??= JSON.stringify(event);
      return written;
    };
    for (const listener of [...this.#listeners]) listener.told(chatId, text);
  }
}
