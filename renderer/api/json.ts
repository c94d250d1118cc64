import type { z } from 'zod';
import { t } from '../i18n/i18n.js';
import { ApiError } from './error.js';

/**
 * What stands in JSON text.
 * @throws ApiError when it is not what the schema describes.
 */
export function parseJson<S extends z.ZodType>(schema: S, text: string): z.output<S> {
  let json: unknown = null;
  try {
    json = JSON.parse(text);
  } catch {
    // Refused below like all that does not fit.
  }
  return fitting(schema, json);
}

/** @throws ApiError when it is not what the schema describes. */
export function fitting<S extends z.ZodType>(schema: S, json: unknown): z.output<S> {
  const body = schema.safeParse(json);
  if (body.success) return body.data;
  throw new ApiError('broken', t('errors.other_version'));
}
