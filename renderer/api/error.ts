import { t } from '../i18n/i18n.js';

/** Where a request failed: nothing answered, the server refused, or an answer broke off. */
export type ApiErrorKind = 'unreachable' | 'refused' | 'broken';

/** A failed request; `message` is a sentence for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly kind: ApiErrorKind,
    message: string,
    /** HTTP status; null where there was none. */
    readonly status: number | null = null,
    /** The server's code, such as context_length_exceeded. */
    readonly code: string | null = null,
    /** Seconds after which the server asks to try again. */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }
}

/** What a failure is called before people. */
export function messageOf(cause: unknown): string {
  return cause instanceof ApiError ? cause.message : t('errors.failed');
}
