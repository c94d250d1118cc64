/** How servers of several kinds say in a body what is wrong. */
import { z } from 'zod';
import { jsonOf } from './event-data.js';

const withCode = z.object({ message: z.string(), code: z.unknown().optional() });
const errorSchema = z.union([
  z.object({ error: withCode }),
  z.object({ error: z.string() }),
  withCode,
  z.object({ detail: z.string() }),
]);

export interface ServerError {
  message: string;
  /** Empty: none. */
  code: string;
}

/** @param contentType of the body; a web page says nothing to a program */
export function serverError(body: string, contentType: string | null): ServerError {
  if (contentType?.includes('html')) return { message: 'a web page', code: '' };
  const parsed = errorSchema.safeParse(jsonOf(body));
  if (!parsed.success) return { message: body, code: '' };
  const said = 'error' in parsed.data ? parsed.data.error : parsed.data;
  if (typeof said === 'string') return { message: said, code: '' };
  if ('detail' in said) return { message: said.detail, code: '' };
  return { message: said.message, code: typeof said.code === 'string' ? said.code : '' };
}
