import type { Request } from 'express';

/** The fields behind the question mark. */
export function queryOf(req: Request): URLSearchParams {
  return new URL(req.url, 'http://localhost').searchParams;
}
