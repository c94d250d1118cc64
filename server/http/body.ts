/** JSON request bodies: one content type, one size limit, and a clear word on everything else. */
import express, {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { ApiError, invalidRequest } from './errors.js';

/** Largest request body in bytes. A conversation of 32 MB is beyond any context; more would only be memory lost. */
const BODY_LIMIT = 32 * 1024 * 1024;

/**
 * Deepest nesting of arrays and objects in a body. Schemas stay far below. Serializing and checking such values is
 * recursive, and a body of nothing but brackets takes a hundred times its size in memory: so it is refused unparsed.
 */
const DEPTH_LIMIT = 256;

/** Middleware for a route with a JSON body; `req.body` is then the parsed value. */
export function jsonBody(limit = BODY_LIMIT) {
  return [requireJson, ...untypedJsonBody(limit)];
}

/**
 * The same for an API whose documentation shows requests without a content type. That a browser sends such ones for any
 * page without asking first is no danger: the guard refuses foreign origins.
 */
export function untypedJsonBody(limit = BODY_LIMIT) {
  return [requireEncoding, express.raw({ limit, type: () => true }), parseJson];
}

/** As jsonBody, for a route whose body may be left out; `req.body` is then {}. */
export function optionalJsonBody(limit = BODY_LIMIT): RequestHandler[] {
  return jsonBody(limit).map(
    (handler): RequestHandler =>
      (req, res, next) => {
        const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
        if (encoding !== undefined || Number(length ?? 0) > 0) return handler(req, res, next);
        req.body = {};
        next();
      },
  );
}

function requireJson(req: Request, _res: Response, next: NextFunction): void {
  const type = req.headers['content-type'];
  if (type === undefined || !req.is(['application/json', 'application/*+json'])) {
    // With no body at all, `is` answers null; that is told by parseJson.
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
  next();
}

function requireEncoding(req: Request, _res: Response, next: NextFunction): void {
  const type = req.headers['content-type'];
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(type ?? '')?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new ApiError(
      415,
      `JSON is UTF-8; the charset "${charset.slice(0, 100)}" is not supported.`,
      {
        code: 'unsupported_charset',
      },
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

function parseJson(req: Request, _res: Response, next: NextFunction): void {
  // Absent where the request says that it has no body.
  const bytes: unknown = req.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) {
    throw invalidRequest('The request has no body: a JSON object is needed.', null);
  }
  if (isDeeperThan(DEPTH_LIMIT, bytes)) {
    throw invalidRequest(
      `The request body is nested more than ${DEPTH_LIMIT} levels deep.`,
      null,
      'nested_too_deeply',
    );
  }
  try {
    req.body = JSON.parse(decoder.decode(bytes));
    sources.set(req, bytes);
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it is not UTF-8';
    throw invalidRequest(`The request body is not valid JSON: ${why}.`, null, 'invalid_json');
  }
  next();
}

const decoder = new TextDecoder('utf-8', { fatal: true });

const sources = new WeakMap<Request, Buffer>();

/** The bytes of a body that has been parsed, unpacked; once, so that they do not stay for as long as their request. */
export function takeBodyBytes(req: Request): Buffer | null {
  const bytes = sources.get(req) ?? null;
  sources.delete(req);
  return bytes;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** "[" and "{", "]" and "}" differ in this bit only. */
const BRACKET_OR_BRACE = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** Looks at brackets outside of strings; whether it is JSON at all is the parser's business. */
export function isDeeperThan(limit: number, text: Buffer): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text[i] as number;
    if (byte === QUOTE) {
      i = endOfString(text, i);
    } else if ((byte | BRACKET_OR_BRACE) === OPENING) {
      if (++depth > limit) return true;
    } else if ((byte | BRACKET_OR_BRACE) === CLOSING) {
      depth--;
    }
  }
  return false;
}

/** @returns the place of the quote that ends the string which begins at `start`. */
function endOfString(text: Buffer, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf(QUOTE, end + 1);
    if (end < 0) return text.length;
    let before = end;
    while (text[before - 1] === BACKSLASH) before--;
    if ((end - before) % 2 === 0) return end;
  }
}
