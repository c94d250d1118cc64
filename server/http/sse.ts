/**
 * Server-sent events over better-sse, framed as clients expect: `data: {…}` and a blank line, with an `event:` line only
 * where the dialect names its events, no id or retry lines. The keep-alive is a comment that carries news.
 */

import { createEventBuffer, createSession, type EventBuffer, type Session } from 'better-sse';
import type { Request, Response } from 'express';
import { type Payload, ResponseStream } from './response-stream.js';

/** Lines are built from JSON and from our own words, which hold no line breaks; the space is what clients look for. */
const EVENT_OPTIONS = {
  serializer: (data: unknown) => ` ${String(data)}`,
  sanitizer: (text: string) => text,
};

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

export class EventStream extends ResponseStream {
  private readonly buffer: EventBuffer = createEventBuffer(EVENT_OPTIONS);

  private constructor(
    res: Response,
    private readonly session: Session,
    news: () => string | null,
  ) {
    super(res, news);
  }

  /**
   * Sends the headers at once.
   * @param news See ResponseStream.
   */
  static async open(
    this: void,
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

  protected override write(payloads: readonly Payload[]): void {
    for (const payload of payloads) {
      if (typeof payload === 'string') this.buffer.data(payload).dispatch();
      else this.buffer.event(` ${payload.event}`).data(payload.data).dispatch();
    }
    this.flush();
  }

  protected override writeComment(text: string): void {
    this.buffer.comment(` ${text}`).dispatch();
    this.flush();
  }

  private flush(): void {
    // An EventBuffer is written before `batch` returns its promise.
    void this.session.batch(this.buffer);
    this.buffer.clear();
  }
}
