/** One log line a request, when it ends: what was asked and how it went, never what was said. */
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import type { Exchange } from '../exchange/exchange.js';
import { requestId } from './ids.js';

/** What handlers add to the line; also carries the id to the error handler. */
export interface RequestFacts {
  requestId: string;
  /** The name of the key that the request came with. */
  client?: string;
  /** It is a key of the person whose machine this is. */
  isOwner?: boolean;
  model?: string;
  /** Name of the server that answers in place of this one. */
  upstream?: string;
  /** Of an answer without a generation. */
  finishReason?: string;
  errorCode?: string | null;
  /** On routes that ask a model. */
  exchange?: Exchange;
}

export function factsOf(res: Response): RequestFacts {
  return res.locals as RequestFacts;
}

/** Gives each request its id, first of all, and logs it at its end. */
export function requestLog(log: Logger) {
  return (req: Request, res: Response, next: NextFunction): void => {
    const started = performance.now();
    const facts = factsOf(res);
    facts.requestId = requestId(req.headers['x-request-id']);
    res.set('x-request-id', facts.requestId);
    // Without the query, which is nobody's business here.
    const [path] = req.url.split('?', 1);
    res.once('close', () => {
      const ms = Math.round(performance.now() - started);
      const complete = res.writableFinished;
      const { exchange, isOwner: _, ...told } = facts;
      const counts = exchange?.counts;
      log.info(
        {
          ...told,
          ...counts,
          receipt: exchange?.head.id,
          method: req.method,
          path,
          status: res.statusCode,
          ms,
          complete,
        },
        'request',
      );
    });
    next();
  };
}
