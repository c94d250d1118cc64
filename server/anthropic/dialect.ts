/** Which requests speak Anthropic's dialect, and how an error is told to them. */
import type { Request, RequestHandler } from 'express';
import type { AnthropicError } from '../../protocol/anthropic.js';
import type { GenerationError } from '../generation/generation.js';
import { type ApiError, errorFormat, fromGenerationError } from '../http/errors.js';
import { factsOf } from '../http/request-log.js';

/** All requests to the Messages API, and those to shared paths from a client that names the API's version. */
export function speaksAnthropic(req: Request): boolean {
  return req.headers['anthropic-version'] !== undefined || /^\/v1\/messages(\/|$)/.test(req.path);
}

const tellErrors = errorFormat(toAnthropicError);

/** To come right after the request has its id: refusals of the guards are told in the dialect too. */
export const anthropicDialect: RequestHandler = (req, res, next) => {
  if (!speaksAnthropic(req)) {
    next();
    return;
  }
  // Where the official clients look for the id.
  res.set('request-id', factsOf(res).requestId);
  tellErrors(req, res, next);
};

/** A generation's failure, with this dialect's name for the parameter at fault. */
export function toMessageError(error: GenerationError): ApiError {
  return fromGenerationError(error, 'messages', 'output_config.format');
}

/** What the official client takes as the word to go on without threads. */
export const THREADS_UNSUPPORTED = 'thread_unsupported_request';

/** The dialect has no field for the parameter at fault, so the message names it. */
export function toAnthropicError(error: ApiError, requestId: string): AnthropicError {
  const { param, message, code } = error;
  return {
    type: 'error',
    error: {
      type: typeOf(error.status),
      message: param === null || message.includes(param) ? message : `${param}: ${message}`,
      ...(code === THREADS_UNSUPPORTED ? { details: { error_code: code } } : {}),
    },
    request_id: requestId,
  };
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  529: 'overloaded_error',
};

function typeOf(status: number): string {
  return TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}
