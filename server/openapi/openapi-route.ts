/** GET /openapi.json: the same for everybody, and made once. */
import type { Request, Response } from 'express';
import type { Services } from '../services.js';
import { createDocument } from './document.js';

export function openapi({ version }: Services) {
  let text: string | null = null;
  return (_req: Request, res: Response): void => {
    text ??= JSON.stringify(createDocument(version));
    res.type('json').set('cache-control', 'no-cache').send(text);
  };
}
