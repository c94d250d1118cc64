import { ApiError, invalidRequest } from '../http/errors.js';

export function notFound(what: 'chat' | 'message' | 'folder' | 'preset', id: string): ApiError {
  return new ApiError(404, `There is no ${what} "${id.slice(0, 100)}".`, {
    code: `${what}_not_found`,
  });
}

export function stillRunning(): ApiError {
  return new ApiError(409, 'The answer is still being written.', { code: 'answer_running' });
}

export function noAttachment(param: string): ApiError {
  return invalidRequest('There is no attachment of this id.', param, 'attachment_not_found');
}
