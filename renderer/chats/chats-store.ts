import { type ChatEvent, chatEventSchema } from '../../protocol/chats.js';
import { parseJson } from '../api/json.js';
import type { Connection, LiveStream } from '../api/live-stream.js';
import { Store } from '../shell/store.js';
import { type ChatsState, gathered, noChats, reduceChats } from './chats-state.js';

interface StreamParts {
  path: () => string | null;
  receive: (data: string) => void;
  connection: (connection: Connection) => void;
}

interface ChatsStoreParts {
  /** The stream of events; another one in tests. */
  stream(parts: StreamParts): Pick<LiveStream, 'start' | 'stop' | 'retry' | 'reconnect'>;
  /** Calls back before the next paint, or soon where nothing is painted. `load`: characters that the paint may cost. */
  nextFrame(callback: () => void, load: number): void;
}

export interface ChatsSnapshot extends ChatsState {
  connection: Connection;
}

/** The person's chats, as the server has them: the list, and the chat that is open. One for the window. */
export class ChatsStore extends Store<ChatsSnapshot> {
  readonly #stream;
  readonly #nextFrame: ChatsStoreParts['nextFrame'];
  /** Since the last frame. */
  #arrived: ChatEvent[] = [];

  constructor({ stream, nextFrame }: ChatsStoreParts) {
    super({ ...noChats, connection: { state: 'connecting' } });
    this.#nextFrame = nextFrame;
    this.#stream = stream({
      path: () => {
        const open = this.#openId();
        const { listVersion: list } = this.snapshot();
        const query = new URLSearchParams({
          ...(open === null ? {} : { open }),
          ...(list === null ? {} : { list: String(list) }),
        });
        return `/pilotlight/chats/events?${query}`;
      },
      receive: (data) => this.#receive(parseJson(chatEventSchema, data)),
      connection: (connection) => {
        if (connection.state !== this.snapshot().connection.state) this.update({ connection });
      },
    });
  }

  start(): void {
    this.#stream.start();
  }

  stop(): void {
    this.#stream.stop();
  }

  /** Starts over, with another key. */
  reconnect(): void {
    this.#stream.reconnect();
  }

  /** Shows this chat, or none. What was open before is forgotten at once. */
  open(id: string | null): void {
    if (id === this.#openId()) return;
    this.#flush();
    this.update({ opened: id === null ? { state: 'none' } : { state: 'loading', id } });
    this.#stream.reconnect();
  }

  #openId(): string | null {
    const { opened } = this.snapshot();
    if (opened.state === 'none') return null;
    return opened.state === 'here' ? opened.chat.id : opened.id;
  }

  #receive(event: ChatEvent): void {
    this.#arrived.push(event);
    if (this.#arrived.length > 1) return;
    this.#nextFrame(() => this.#flush(), this.#load(event));
  }

  /** Everything that came since the last frame, as one change. */
  #flush(): void {
    if (this.#arrived.length === 0) return;
    const before = this.snapshot();
    const after = gathered(this.#arrived).reduce<ChatsState>(reduceChats, before);
    this.#arrived = [];
    if (after !== before) this.update(after);
  }

  /** Characters of the answer that grows. */
  #load(event: ChatEvent): number {
    const { opened } = this.snapshot();
    if (event.type !== 'delta' || opened.state !== 'here') return 0;
    const message = opened.chat.messages.get(event.message_id);
    const part = message?.role === 'assistant' ? message.parts[event.part] : undefined;
    return part === undefined || part.type === 'tool_call' ? 0 : part.text.length;
  }
}
