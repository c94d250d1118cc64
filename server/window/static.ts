/** The built chat window at /, and the description of the API at /docs. */
import path from 'node:path';
import express, { type NextFunction, type Request, type Response } from 'express';

/**
 * Only our own files may run or be loaded, and only our own server may be asked: what a model writes is shown in this
 * page, and must not be able to send anything anywhere.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers for every answer, of the window and of the API alike. */
export function securityHeaders(_req: Request, res: Response, next: NextFunction): void {
  res.set({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  });
  next();
}

/** Serves GET and HEAD of files that exist; all else goes on to the next handler. */
export function staticWindow(rendererDir: string) {
  return express.static(rendererDir, {
    dotfiles: 'ignore',
    // /docs is docs.html.
    extensions: ['html'],
    redirect: false,
    setHeaders(res, file) {
      res.setHeader('content-security-policy', CONTENT_SECURITY_POLICY);
      // The bundler puts a hash of the content into the names of assets; the page itself must be asked for anew.
      const hashed = path.basename(path.dirname(file)) === 'assets';
      res.setHeader('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
}
