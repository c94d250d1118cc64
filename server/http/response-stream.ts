/**
 * What every streamed answer needs beside its framing: backpressure, a keep-alive while there is nothing to say, and an
 * end to readers that take nothing.
 */
import type { Response } from 'express';

/** Silence after which something is sent. Clients and proxies give up on a silent stream; 10 s is the promise. */
export const KEEP_ALIVE_MS = 8_000;

/** How often the keep-alive looks whether there is something new to tell, such as another percent of loading. */
const NEWS_MS = 1_000;

/** A reader that takes nothing for this long is gone: its sequence would hold a slot for ever. */
const STALL_MS = 2 * 60_000;

/** JSON text (or a format's own word, such as "[DONE]") without line breaks, alone or under an event's name. */
export type Payload = string | { event: string; data: string };

export abstract class ResponseStream {
  private readonly keepAlive: NodeJS.Timeout;
  private lastWrite = performance.now();
  private lastNews: string | null = null;

  /** @param news What to say while nothing else is sent, such as "loading 42 %"; null: nothing new. */
  protected constructor(
    protected readonly res: Response,
    private readonly news: () => string | null,
  ) {
    this.keepAlive = setInterval(this.tell, NEWS_MS);
    res.once('close', () => clearInterval(this.keepAlive));
  }

  /** Writes all payloads in one go. */
  protected abstract write(payloads: readonly Payload[]): void;

  /** Writes what clients pass over, with `text` in it where the format has room for it. */
  protected abstract writeComment(text: string): void;

  get closed(): boolean {
    return this.res.destroyed || this.res.writableEnded;
  }

  /** True while the client is behind: what is sent now waits in memory. */
  get behind(): boolean {
    return this.res.writableNeedDrain;
  }

  /** Writes all payloads in one go, then waits until the client has room for more or is gone. */
  async send(payloads: readonly Payload[]): Promise<void> {
    if (this.closed || payloads.length === 0) return;
    this.write(payloads);
    this.lastWrite = performance.now();
    if (this.behind) await drained(this.res);
  }

  /** Ends the stream after a last write of `payloads`. */
  async end(payloads: readonly Payload[] = []): Promise<void> {
    clearInterval(this.keepAlive);
    await this.send(payloads);
    if (!this.closed) this.res.end();
  }

  private readonly tell = (): void => {
    if (this.closed || this.behind) return;
    const news = this.news();
    const isNew = news !== null && news !== this.lastNews;
    if (!isNew && performance.now() - this.lastWrite < KEEP_ALIVE_MS) return;
    this.lastNews = news ?? this.lastNews;
    this.writeComment(news ?? 'keep-alive');
    this.lastWrite = performance.now();
  };
}

/** Resolves when the client has taken what waits for it, or is gone: one that takes nothing for minutes is cut off. */
export function drained(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(stall);
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    const stall = setTimeout(() => res.destroy(), STALL_MS);
    res.once('drain', done);
    res.once('close', done);
  });
}
