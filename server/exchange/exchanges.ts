/** The requests to models that are under way, and the middleware that makes one of a request of HTTP. */
import type { NextFunction, RequestHandler, Response } from 'express';
import { RECEIPT_HEADER } from '../../protocol/ledger.js';
import type { LiveRequest } from '../../protocol/models.js';
import { createId } from '../http/ids.js';
import { factsOf } from '../http/request-log.js';
import { Exchange, type ExchangeObserver } from './exchange.js';

/** Longest name of a client, in characters: user agents come from strangers. */
const CLIENT_LIMIT = 200;

/** More than anybody looks through in a menu or on a page. */
const LISTED = 50;

export class Exchanges {
  readonly #live = new Set<Exchange>();

  /** @param observers Called in this order. */
  constructor(private readonly observers: readonly ExchangeObserver[] = []) {}

  /** Oldest first. */
  get live(): ReadonlySet<Exchange> {
    return this.#live;
  }

  /** Those whose model is known, for people: oldest first, at most LISTED. */
  list(): LiveRequest[] {
    const open = [...this.#live].flatMap(({ model, head, counts, upstream }) =>
      model === null
        ? []
        : [
            {
              id: head.requestId,
              model,
              route: head.route,
              state:
                counts.outputTokens > 0 || upstream !== null
                  ? ('running' as const)
                  : ('waiting' as const),
              started_at: Math.floor(head.beganAt / 1000),
            },
          ],
    );
    return open.slice(0, LISTED);
  }

  /**
   * @param requestId Null: all of them. One that is over is passed over.
   * @returns whether there was one.
   */
  cancel(requestId: string | null): boolean {
    const meant = [...this.#live].filter(
      ({ head, over }) => !over.aborted && (requestId === null || head.requestId === requestId),
    );
    for (const exchange of meant) exchange.cancel();
    return meant.length > 0;
  }

  /** To come after the guards and before the body is read: a body that is refused ends one too. */
  readonly middleware: RequestHandler = (req, res, next: NextFunction): void => {
    const facts = factsOf(res);
    const exchange = new Exchange(
      {
        id: createId('rcpt_'),
        requestId: facts.requestId,
        method: req.method,
        // Express takes it with a slash at its end too.
        route: req.path.replace(/(.)\/$/, '$1'),
        client: (facts.client ?? req.headers['user-agent'] ?? '').slice(0, CLIENT_LIMIT),
        isOwner: facts.isOwner === true,
        beganAt: Date.now(),
      },
      () => req.body,
      [...this.observers, { ended: () => this.#live.delete(exchange) }],
    );
    facts.exchange = exchange;
    this.#live.add(exchange);
    res.set(RECEIPT_HEADER, exchange.head.id);
    followAnswer(res, exchange);
    exchange.begin();
    next();
  };
}

/** @throws TypeError on a route without the middleware. */
export function exchangeOf(res: Response): Exchange {
  const { exchange } = factsOf(res);
  if (exchange === undefined) throw new TypeError('this route has no exchange');
  return exchange;
}

/** Sees every byte of the body on its way, and the end before the last ones leave. */
function followAnswer(res: Response, exchange: Exchange): void {
  const { write, end } = res;
  const see = (chunk: unknown, encoding: unknown): void => {
    if (typeof chunk === 'string') {
      exchange.send(
        Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'),
      );
    } else if (chunk instanceof Uint8Array) {
      exchange.send(chunk);
    }
  };
  const close = (complete: boolean) =>
    exchange.close({
      status: res.headersSent || complete ? res.statusCode : 0,
      complete,
      errorCode: factsOf(res).errorCode ?? null,
    });
  const seeing =
    <Original extends (...args: never[]) => unknown>(original: Original, isEnd: boolean) =>
    (...args: Parameters<Original>): ReturnType<Original> => {
      // What is written to a connection that is gone goes nowhere.
      if (!res.destroyed && !res.writableEnded) {
        see(args[0], args[1]);
        if (isEnd) close(true);
      }
      return Reflect.apply(original, res, args) as ReturnType<Original>;
    };
  res.write = seeing(write, false) as typeof write;
  res.end = seeing(end, true) as typeof end;
  res.once('close', () => close(false));
  // A write that crosses with the client's leaving; the close above tells it.
  res.on('error', () => {});
}
