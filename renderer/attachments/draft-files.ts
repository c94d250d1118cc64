import type { Attachment } from '../../protocol/attachments.js';
import type { Upload } from '../api/attachments.js';
import { messageOf } from '../api/error.js';
import { Store } from '../shell/store.js';

export interface DraftFilesParts {
  /** Id of the chat that is shown, which is made where there is none yet. */
  place(): Promise<string>;
  upload: Upload;
  save(chat: string, ids: string[]): Promise<void>;
  firstPages(id: string, first: number): Promise<Attachment>;
  /** It is attached already. */
  onKnown(attachment: Attachment): void;
}

/** A file that is coming in, or could not. */
export interface Incoming {
  key: number;
  name: string;
  bytes: number;
  /** 0..1, of what has been sent; 1: it is being read. */
  share: number;
  /** A sentence for people; null: it is coming in. */
  failure: string | null;
}

interface DraftFilesState {
  attached: readonly Attachment[];
  incoming: readonly Incoming[];
  /** That came in last; null: none has been brought since the chat is shown. */
  latest: Attachment | null;
}

const EMPTY: DraftFilesState = { attached: [], incoming: [], latest: null };

/** Files that go with what is being written in the chat that is shown; kept on the server like the words. */
export class DraftFiles extends Store<DraftFilesState> {
  readonly #parts: DraftFilesParts;
  /** Null: a new chat, which the server does not know yet. */
  #chat: string | null = null;
  #uploads = new Map<number, AbortController>();
  #keys = 0;
  /** Saves that are not answered yet: what the server tells meanwhile is older. */
  #saves = 0;
  #saving: Promise<void> = Promise.resolve();
  /** Files are read one after the other, so that they stay in their order. */
  #sending: Promise<void> = Promise.resolve();

  constructor(parts: DraftFilesParts) {
    super(EMPTY);
    this.#parts = parts;
  }

  /** Shows another chat, with the files that the server tells of it. What was coming in for the one before ends. */
  show(chat: string | null): void {
    if (chat === this.#chat) return;
    this.#chat = chat;
    this.#abandon();
    this.update(EMPTY);
  }

  /** The server tells what goes with the draft of the chat that is shown: perhaps another window has changed it. */
  told(chat: string, attached: readonly Attachment[]): void {
    if (chat !== this.#chat || this.#saves > 0) return;
    this.update({ attached });
  }

  get isEmpty(): boolean {
    const { attached, incoming } = this.snapshot();
    return attached.length === 0 && incoming.length === 0;
  }

  add(files: readonly File[]): void {
    for (const file of files) {
      const key = ++this.#keys;
      const abort = new AbortController();
      this.#uploads.set(key, abort);
      const { name, size: bytes } = file;
      const item: Incoming = { key, name, bytes, share: 0, failure: null };
      this.update({ incoming: [...this.snapshot().incoming, item] });
      this.#sending = this.#sending.then(() => this.#send(key, file, abort.signal));
    }
  }

  /** One that is coming in, or could not. */
  drop(key: number): void {
    this.#uploads.get(key)?.abort();
    this.#uploads.delete(key);
    this.update({ incoming: this.snapshot().incoming.filter((each) => each.key !== key) });
  }

  remove(id: string): void {
    this.#attach((attached) => attached.filter((each) => each.id !== id));
  }

  /** Only its first pages go to the model. @throws ApiError */
  async takeFirstPages(id: string, first: number): Promise<void> {
    const part = await this.#parts.firstPages(id, first);
    this.#attach((attached) => attached.map((each) => (each.id === id ? part : each)));
  }

  /** Takes the files away, to be asked with. What could not come in goes too. */
  take(): Attachment[] {
    const { attached } = this.snapshot();
    this.#abandon();
    this.update(EMPTY);
    return [...attached];
  }

  /** What was not asked with is there again. */
  giveBack(taken: readonly Attachment[]): void {
    if (taken.length > 0) this.#attach((newer) => [...taken, ...newer]);
  }

  async #send(key: number, file: File, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const onProgress = (share: number) => this.#change(key, { share });
    try {
      const chat = await this.#parts.place();
      if (signal.aborted) return;
      // A chat that was made for this file is the one that is shown.
      this.#chat ??= chat;
      const attachment = await this.#parts.upload(file, { onProgress, signal });
      if (signal.aborted) return;
      this.drop(key);
      if (this.snapshot().attached.some(({ id }) => id === attachment.id)) {
        this.#parts.onKnown(attachment);
      } else {
        this.#attach((attached) => [...attached, attachment]);
        this.update({ latest: attachment });
      }
    } catch (cause) {
      if (!signal.aborted) this.#change(key, { failure: messageOf(cause) });
    }
  }

  #attach(change: (attached: readonly Attachment[]) => Attachment[]): void {
    const attached = change(this.snapshot().attached);
    const chat = this.#chat;
    this.update({ attached });
    if (chat === null) return;
    this.#saves += 1;
    const ids = attached.map(({ id }) => id);
    this.#saving = this.#saving
      .then(() => this.#parts.save(chat, ids))
      // They are sent with the question all the same.
      .catch(() => {})
      .finally(() => {
        this.#saves -= 1;
      });
  }

  #change(key: number, change: Partial<Incoming>): void {
    const incoming = this.snapshot().incoming.map((each) =>
      each.key === key ? { ...each, ...change } : each,
    );
    this.update({ incoming });
  }

  #abandon(): void {
    for (const abort of this.#uploads.values()) abort.abort();
    this.#uploads.clear();
  }
}
