/** A JSON answer that is too long to be made in one piece. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/** Sends the pieces of one JSON text, each once the client has taken the one before; resolves at the end or when it has gone. */
export async function sendJsonParts(res: Response, parts: Iterable<string>): Promise<void> {
  res.type('application/json');
  try {
    await pipeline(Readable.from(parts), res);
  } catch (error) {
    if (!res.destroyed) throw error;
  }
}
