/** JSON request bodies: one content type, one size limit, and a clear word on everything else. */
import express, { type NextFunction, type Request, type Response } from 'express';
import { ApiError, invalidRequest } from './errors.js';

/** Largest request body in bytes. A conversation of 32 MB is beyond any context; more would only be memory lost. */
const BODY_LIMIT = 32 * 1024 * 1024;

/** Middleware for a route with a JSON body; `req.body` is then the parsed value. */
export function jsonBody(limit = BODY_LIMIT) {
  const parse = express.json({ limit, strict: false, type: () => true });
  return [requireJson, parse, requireBody];
}

function requireJson(req: Request, _res: Response, next: NextFunction): void {
  const type = req.headers['content-type'];
  if (type === undefined || !req.is(['application/json', 'application/*+json'])) {
    // With no body at all, `is` answers null; that is told by requireBody.
    if (req.is('*/*') === null) {
      next();
      return;
    }
    throw invalidRequest(
      `The body must be JSON with the header "content-type: application/json"; received ${
        type === undefined ? 'no content type' : `"${type.slice(0, 100)}"`
      }.`,
      null,
      'invalid_content_type',
    );
  }
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (!['identity', 'gzip', 'deflate', 'br'].includes(encoding.toLowerCase())) {
    throw new ApiError(415, `The content encoding "${encoding.slice(0, 100)}" is not supported.`, {
      code: 'unsupported_encoding',
    });
  }
  next();
}

function requireBody(req: Request, _res: Response, next: NextFunction): void {
  if (req.body === undefined) {
    throw invalidRequest('The request has no body: a JSON object is needed.', null);
  }
  next();
}
