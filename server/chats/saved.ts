/** A change that could not be written is told in words. */
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ApiError } from '../http/errors.js';
import { StorageError } from '../store/database.js';

type Handler<Params> = (req: Request<Params>, res: Response) => void | Promise<void>;

export function saved<Params>(handler: Handler<Params>): RequestHandler<Params> {
  return async (req, res, next: NextFunction) => {
    try {
      await handler(req, res);
    } catch (error) {
      next(error instanceof StorageError ? notSaved(error) : error);
    }
  };
}

/** 503: room can be made, and what holds the database lets go of it. */
function notSaved({ message }: StorageError): ApiError {
  return new ApiError(503, `This could not be saved, so that nothing has changed: ${message}.`, {
    code: 'not_saved',
  });
}
