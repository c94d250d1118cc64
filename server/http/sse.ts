/**
 * Server-sent events over better-sse, framed as clients expect: `data: {…}` and a blank line, with an `event:` line only
 * where the dialect names its events, no id or retry lines. Adds what better-sse leaves to its users: backpressure and a
 * keep-alive that carries news.
 */

import { createEventBuffer, createSession, type EventBuffer, type Session } from 'better-sse';
import type { Request, Response } from 'express';

/** Silence after which a comment is sent. Clients and proxies give up on a silent stream; 10 s is the promise. */
const KEEP_ALIVE_MS = 8_000;

/** How often the keep-alive looks whether there is something new to tell, such as another percent of loading. */
const NEWS_MS = 1_000;

/** A reader that takes nothing for this long is gone: its sequence would hold a slot for ever. */
const STALL_MS = 2 * 60_000;

/** Lines are built from JSON and from our own words, which hold no line breaks; the space is what clients look for. */
const EVENT_OPTIONS = {
  serializer: (data: unknown) => ` ${String(data)}`,
  sanitizer: (text: string) => text,
};

/** One event: JSON text (or "[DONE]") without line breaks, alone or under the event's name. */
export type Payload = string | { event: string; data: string };

/** Aborts when the client goes away before its answer is complete. Safe to ask at any time of a request's life. */
export function clientGone(res: Response): AbortSignal {
  const controller = new AbortController();
  if (res.destroyed) controller.abort();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort();
  });
  // A write that crosses with the client's leaving; the signal above tells it.
  res.on('error', () => {});
  return controller.signal;
}

export class EventStream {
  private readonly buffer: EventBuffer = createEventBuffer(EVENT_OPTIONS);
  private readonly keepAlive: NodeJS.Timeout;
  private lastWrite = performance.now();
  private lastNews: string | null = null;

  private constructor(
    private readonly res: Response,
    private readonly session: Session,
    private readonly news: () => string | null,
  ) {
    this.keepAlive = setInterval(this.tell, NEWS_MS);
    res.once('close', () => clearInterval(this.keepAlive));
  }

  /**
   * Sends the headers at once.
   * @param news What to say while nothing else is sent, such as "loading 42 %"; null: nothing new.
   */
  static async open(
    req: Request,
    res: Response,
    news: () => string | null = () => null,
  ): Promise<EventStream> {
    const session = await createSession(req, res, {
      ...EVENT_OPTIONS,
      retry: null,
      keepAlive: null,
      trustClientEventId: false,
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
        // Node writes these itself, and truly keeps the connection.
        connection: undefined,
        pragma: undefined,
      },
    });
    return new EventStream(res, session, news);
  }

  get closed(): boolean {
    return this.res.destroyed || this.res.writableEnded;
  }

  /** Writes all payloads in one go, then waits until the client has room for more or is gone. */
  async send(payloads: readonly Payload[]): Promise<void> {
    if (this.closed || payloads.length === 0) return;
    for (const payload of payloads) {
      if (typeof payload === 'string') this.buffer.data(payload).dispatch();
      else this.buffer.event(` ${payload.event}`).data(payload.data).dispatch();
    }
    this.write();
    if (this.res.writableNeedDrain) await this.drained();
  }

  /** Ends the stream after a last write of `payloads`. */
  async end(payloads: readonly Payload[] = []): Promise<void> {
    clearInterval(this.keepAlive);
    await this.send(payloads);
    if (!this.closed) this.res.end();
  }

  /** True while the client is behind: what is sent now waits in memory. */
  get behind(): boolean {
    return this.res.writableNeedDrain;
  }

  private comment(text: string): void {
    this.buffer.comment(` ${text}`).dispatch();
    this.write();
  }

  private write(): void {
    // An EventBuffer is written before `batch` returns its promise.
    void this.session.batch(this.buffer);
    this.buffer.clear();
    this.lastWrite = performance.now();
  }

  private readonly tell = (): void => {
    if (this.closed || this.behind) return;
    const news = this.news();
    if (news !== null && news !== this.lastNews) {
      this.lastNews = news;
      this.comment(news);
    } else if (performance.now() - this.lastWrite >= KEEP_ALIVE_MS) {
      this.comment(news ?? 'keep-alive');
    }
  };

  private drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(stall);
        this.res.off('drain', done);
        this.res.off('close', done);
        resolve();
      };
      const stall = setTimeout(() => this.res.destroy(), STALL_MS);
      this.res.once('drain', done);
      this.res.once('close', done);
    });
  }
}
