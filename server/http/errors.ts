/**
 * Errors as clients see them. The one place that turns a failure, ours or a library's, into a status and OpenAI's
 * error object of four keys. A failure that a retry cannot mend is never a 5xx: clients retry those by themselves.
 */
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { ErrorBody } from '../../protocol/openai.js';
import { GenerationError, type GenerationErrorCode } from '../generation/generation.js';
import { factsOf } from './request-log.js';

interface ApiErrorDetails {
  /** The request parameter at fault; null: none in particular. */
  param?: string | null;
  /** Stable, for programs. */
  code?: string | null;
  headers?: Record<string, string>;
}

/** An answer other than success. `message` is a sentence for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly param: string | null;
  readonly code: string | null;
  readonly headers: Record<string, string>;

  constructor(
    readonly status: number,
    message: string,
    details: ApiErrorDetails = {},
  ) {
    super(message);
    this.param = details.param ?? null;
    this.code = details.code ?? null;
    this.headers = details.headers ?? {};
  }

  body(): ErrorBody {
    return {
      error: {
        message: this.message,
        type: typeOf(this.status),
        param: this.param,
        code: this.code,
      },
    };
  }
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

/** 400: a parameter is missing, malformed, out of range or not available. */
export function invalidRequest(message: string, param: string | null, code?: string): ApiError {
  return new ApiError(400, message, { param, code: code ?? null });
}

/** 404 for a model id (null: none was named and none is current), naming what there is. */
export function modelNotFound(id: string | null, available: readonly string[]): ApiError {
  const shown = available.slice(0, 20).map((known) => `"${known}"`);
  if (available.length > shown.length) shown.push('…');
  const what = id === null ? 'There is no current model.' : `There is no model "${shorten(id)}".`;
  const rest =
    shown.length > 0
      ? `Available: ${shown.join(', ')}.`
      : 'Put a GGUF file into the models folder.';
  return new ApiError(404, `${what} ${rest}`, { param: 'model', code: 'model_not_found' });
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

interface Mapping {
  status: number;
  param: string | null;
  code: string;
}

const MODEL_INVALID: Mapping = { status: 400, param: 'model', code: 'model_invalid' };

const BY_GENERATION_CODE: Record<GenerationErrorCode, Mapping> = {
  context_length_exceeded: { status: 400, param: 'messages', code: 'context_length_exceeded' },
  invalid_prompt: { status: 400, param: 'messages', code: 'invalid_prompt' },
  invalid_image: { status: 400, param: 'messages', code: 'invalid_image' },
  no_vision: { status: 400, param: 'messages', code: 'unsupported_content' },
  invalid_logit_bias: { status: 400, param: 'logit_bias', code: 'invalid_logit_bias' },
  too_many_prompt_logprobs: {
    ...{ status: 400, param: 'prompt_logprobs', code: 'too_many_prompt_logprobs' },
  },
  no_draft_model: { status: 400, param: 'speculation', code: 'no_draft_model' },
  template_failed: { status: 400, param: 'messages', code: 'template_failed' },
  invalid_tool: { status: 400, param: 'tools', code: 'invalid_tool' },
  invalid_tool_choice: { status: 400, param: 'tool_choice', code: 'invalid_tool_choice' },
  invalid_grammar: { status: 400, param: 'response_format', code: 'invalid_grammar' },
  model_invalid: MODEL_INVALID,
  not_a_gguf: MODEL_INVALID,
  not_a_model: MODEL_INVALID,
  missing_part: MODEL_INVALID,
  not_a_projector: MODEL_INVALID,
  projector_mismatch: MODEL_INVALID,
  truncated: MODEL_INVALID,
  unsupported_architecture: MODEL_INVALID,
  bad_chat_template: MODEL_INVALID,
  not_generative: { status: 400, param: 'model', code: 'not_generative' },
  not_embedding: { status: 400, param: 'model', code: 'not_embedding' },
  not_rerank: { status: 400, param: 'model', code: 'not_rerank' },
  file_unreadable: MODEL_INVALID,
  invalid_options: { status: 400, param: 'model', code: 'invalid_options' },
  queue_full: { status: 429, param: null, code: 'queue_full' },
  engine_failed: { status: 500, param: null, code: 'engine_failed' },
  memory_busy: { status: 503, param: null, code: 'memory_busy' },
  out_of_memory: { status: 503, param: null, code: 'out_of_memory' },
  engine_crashed: { status: 503, param: null, code: 'engine_crashed' },
  // Why it failed is not known, so a retry is as likely to help as not: never a status that clients retry by themselves.
  load_failed: { status: 400, param: 'model', code: 'load_failed' },
  // A client that tries again by itself would undo it, as many do after 409 and 5xx.
  request_cancelled: { status: 400, param: null, code: 'request_cancelled' },
  cancelled: { status: 503, param: 'model', code: 'load_cancelled' },
  shutting_down: { status: 503, param: null, code: 'shutting_down' },
};

/**
 * How a generation's failure is told on the wire, before the first byte (status) or in a stream (body only).
 * @param promptParam The request parameter that holds what the model was to read.
 * @param grammarParam The one that holds the schema of the answer.
 */
export function fromGenerationError(
  error: GenerationError,
  promptParam = 'messages',
  grammarParam = 'response_format',
): ApiError {
  const { status, param: named, code } = BY_GENERATION_CODE[error.code];
  const own: Record<string, string> = { messages: promptParam, response_format: grammarParam };
  const told = named === null ? null : (own[named] ?? named);
  const param =
    error.param ??
    (told === null || error.input === null || code === 'invalid_image'
      ? told
      : `${told}[${error.input}]`);
  // A full queue always says when to come back, so that clients do not hammer.
  const retryAfter = error.retryAfter ?? (code === 'queue_full' ? 1 : null);
  const headers =
    retryAfter === null ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfter))) };
  return new ApiError(status, error.message, { param, code, headers });
}

/** The shape of errors from body-parser and Express: an HTTP status and a stable type. */
interface HttpError extends Error {
  status: number;
  type?: string;
  limit?: number;
}

function isHttpError(error: unknown): error is HttpError {
  return error instanceof Error && typeof (error as Partial<HttpError>).status === 'number';
}

function fromHttpError(error: HttpError): ApiError {
  switch (error.type) {
    case 'entity.too.large':
      return new ApiError(
        413,
        `The request body is larger than the limit of ${(error.limit ?? 0).toLocaleString('en-US')} bytes.`,
        { code: 'request_too_large' },
      );
    case 'request.size.invalid':
      return invalidRequest(
        'The request body is shorter or longer than content-length says.',
        null,
      );
    default: {
      const status = error.status >= 400 && error.status < 600 ? error.status : 500;
      const message = status < 500 ? error.message : 'The server could not handle this request.';
      return new ApiError(status, sentence(message));
    }
  }
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

/** Any thrown value as an answer. What nobody expected is a 500 that tells nothing about the inside. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof GenerationError) return fromGenerationError(error);
  if (isHttpError(error)) return fromHttpError(error);
  return new ApiError(500, 'Something went wrong inside Pilotlight. Its log has the details.', {
    code: 'internal_error',
  });
}

/** How a dialect tells an error in its body. */
export type ErrorFormat = (error: ApiError, requestId: string) => unknown;

const formats = new WeakMap<Response, ErrorFormat>();

/**
 * Middleware for a dialect with errors of its own; OpenAI's is used where none is named. To come before everything that
 * may refuse, the guards included.
 */
export function errorFormat(format: ErrorFormat): RequestHandler {
  return (_req, res, next) => {
    formats.set(res, format);
    next();
  };
}

/** Writes the error as JSON; closes the connection instead where the answer has already begun. */
function sendError(res: Response, error: ApiError): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const format = formats.get(res);
  const body = format === undefined ? error.body() : format(error, factsOf(res).requestId);
  res.status(error.status).set(error.headers).json(body);
}

/** The last handler of the app. Express knows it by its four parameters. */
export function errorHandler(log: Logger) {
  return (error: unknown, _req: Request, res: Response, _next: NextFunction): void => {
    const answer = toApiError(error);
    const facts = factsOf(res);
    facts.errorCode = answer.code;
    // A client that left before its answer is no failure of ours.
    if (answer.status >= 500 && !res.destroyed) {
      log.error({ err: error, requestId: facts.requestId, code: answer.code }, 'request failed');
    }
    sendError(res, answer);
  };
}
