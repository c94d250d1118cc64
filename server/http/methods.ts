/** What a route says to methods that it does not have. */
import type { RequestHandler } from 'express';
import { ApiError } from './errors.js';

/** 405 for every method that the route's handlers before it did not take. */
export function only(methods: string): RequestHandler {
  return (req) => {
    throw new ApiError(405, `${req.method} is not possible here; use ${methods}.`, {
      code: 'method_not_allowed',
      headers: { allow: methods },
    });
  };
}
