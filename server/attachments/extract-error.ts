import type { ExtractErrorCode } from '../../protocol/extract.js';

/** Why nothing can be taken out of a file; the message is a sentence for people. */
export class ExtractError extends Error {
  override readonly name = 'ExtractError';

  constructor(
    readonly code: ExtractErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
