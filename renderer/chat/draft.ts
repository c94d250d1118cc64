import { Store } from '../shell/store.js';

interface DraftParts {
  /** Makes an empty chat on the server and gives its id. */
  create(): Promise<string>;
  save(chat: string, draft: string): Promise<void>;
  /** The chat that was made for what is written in a new one. */
  created(chat: string): void;
  /** Deletes a chat that was made for a draft and never used. */
  discard(chat: string): void;
  /** Whether something else than words is being kept in the chat that is shown. */
  holds(): boolean;
  /** Calls back after a moment; gives what calls that off. */
  later(callback: () => void): () => void;
}

interface DraftState {
  text: string;
}

/** Of what was saved lately: when the server tells it, it is an echo, and the person may have written on since. */
const ECHOES_MAX = 32;

/**
 * What the person is writing in the chat that is shown, kept on the server. A new chat is made there when the first words
 * are written, and goes again when it is left empty.
 */
export class Draft extends Store<DraftState> {
  readonly #parts: DraftParts;
  /** Null: a new chat, which the server does not know yet. */
  #chat: string | null = null;
  #creating: Promise<string> | null = null;
  /** Chats made here that nothing was asked in. */
  #unused = new Set<string>();
  #changed = false;
  #cancel: (() => void) | null = null;
  /** Saves follow each other, so that an older text never comes after a newer one. */
  #saving: Promise<void> = Promise.resolve();
  #echoes: string[] = [];
  #firstWords = '';

  constructor(parts: DraftParts) {
    super({ text: '' });
    this.#parts = parts;
  }

  /** Shows another chat, with the draft that it has. What was being written in the one before is saved at once. */
  show(chat: string | null, text: string): void {
    if (chat === this.#chat) return;
    void this.save();
    const left = this.#chat;
    const isEmpty = this.snapshot().text.trim() === '' && !this.#parts.holds();
    if (left !== null && this.#unused.has(left) && isEmpty) {
      this.#unused.delete(left);
      void this.#saving.then(() => this.#parts.discard(left));
    }
    this.#chat = chat;
    this.#creating = null;
    this.#changed = false;
    this.#echoes = [];
    this.update({ text });
    const first = chat === null ? this.#firstWords : '';
    this.#firstWords = '';
    if (first !== '') this.write(first);
  }

  /** The new chat that is shown next begins with these words. */
  startNew(text: string): void {
    this.#firstWords = text;
  }

  /** The person writes. */
  write(text: string): void {
    if (text === this.snapshot().text) return;
    this.#changed = true;
    this.update({ text });
    this.#cancel ??= this.#parts.later(() => void this.save());
  }

  /** The server tells the draft of the chat that is shown: perhaps it was written in another window. */
  told(text: string): void {
    if (this.#changed || text === this.snapshot().text || this.#echoes.includes(text)) return;
    this.update({ text });
  }

  /** Id of the chat that is shown, which is made where there is none yet; it goes again when it is left empty. */
  place(): Promise<string> {
    return this.#ensure();
  }

  /** Takes the text away, to be asked; the id is that of a chat which is made where there is none yet. */
  async take(): Promise<{ chat: string; text: string }> {
    const { text } = this.snapshot();
    this.#stopWaiting();
    this.#changed = false;
    this.#remember(text);
    this.update({ text: '' });
    try {
      await this.#saving;
      const chat = await this.#ensure();
      this.#unused.delete(chat);
      return { chat, text };
    } catch (cause) {
      this.giveBack(text);
      throw cause;
    }
  }

  /** What could not be asked is there again, unless something else has been written meanwhile. */
  giveBack(text: string): void {
    if (this.snapshot().text === '') this.write(text);
  }

  /** Saves what has not been yet. Settles when that is done, or has failed: then it is tried again with the next words. */
  save(): Promise<void> {
    this.#stopWaiting();
    if (!this.#changed) return this.#saving;
    const { text } = this.snapshot();
    const known = this.#chat;
    if (known === null && text.trim() === '') return this.#saving;
    this.#changed = false;
    this.#remember(text);
    const chat = known === null ? this.#ensure() : Promise.resolve(known);
    this.#saving = this.#saving
      .then(async () => this.#parts.save(await chat, text))
      .catch(() => {
        if (this.#chat === known) this.#changed = true;
      });
    return this.#saving;
  }

  #ensure(): Promise<string> {
    if (this.#chat !== null) return Promise.resolve(this.#chat);
    if (this.#creating) return this.#creating;
    const creating = this.#parts.create().then(
      (chat) => {
        this.#unused.add(chat);
        if (this.#creating === creating) {
          this.#chat = chat;
          this.#parts.created(chat);
        }
        return chat;
      },
      (cause: unknown) => {
        if (this.#creating === creating) this.#creating = null;
        throw cause;
      },
    );
    this.#creating = creating;
    return creating;
  }

  #stopWaiting(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #remember(text: string): void {
    this.#echoes = [...this.#echoes.slice(1 - ECHOES_MAX), text, ''];
  }
}
