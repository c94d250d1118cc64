import type { z } from 'zod';
import { errorBodySchema } from '../../protocol/openai.js';
import { t } from '../i18n/i18n.js';
import { ApiError } from './error.js';
import { errorSentence } from './error-words.js';
import { fitting } from './json.js';
import { currentKey } from './key.js';

/** The base URL for programs: at the address by which this window was reached, which is one that works. */
export const apiBase = (): string => `${location.origin}/v1`;

/**
 * Sends a request to the server this window came from, with the key if one is known.
 * @throws ApiError when nothing answers or the status is not 2xx; the AbortError of `init.signal` passes through.
 */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const key = await currentKey();
  const headers = new Headers(init.headers);
  if (key) headers.set('authorization', `Bearer ${key}`);
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers, credentials: 'omit', cache: 'no-store' });
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new ApiError('unreachable', t('errors.no_answer'));
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

/** A request with a JSON body; see request. */
export function sendJson(
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  body: unknown,
  signal?: AbortSignal,
): Promise<Response> {
  return request(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
}

/**
 * The body of an answer.
 * @throws ApiError when it is not what the schema describes.
 */
export async function readJson<S extends z.ZodType>(
  schema: S,
  response: Response,
): Promise<z.output<S>> {
  return fitting(schema, await response.json().catch(() => null));
}

/** What an answer that is no success says. */
export async function refusal(response: Response): Promise<ApiError> {
  const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
  const retryAfter = Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
  try {
    const { error } = errorBodySchema.parse(await response.json());
    return new ApiError(
      'refused',
      errorSentence(error.code, error.message),
      response.status,
      error.code,
      retryAfter,
    );
  } catch {
    const message = t('errors.no_explanation', { status: response.status });
    return new ApiError('refused', message, response.status, null, retryAfter);
  }
}
