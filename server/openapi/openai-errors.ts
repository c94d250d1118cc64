/** How failures are told, in OpenAI's shape unless a dialect has its own. */
import { errorBodySchema } from '../../protocol/openai.js';
import type { ErrorDescription, Named } from './operation.js';

export const errorBody: Named = { name: 'Error', schema: errorBodySchema };

/** Of every route, whatever it does. */
export const PLAIN_STATUSES = {
  400: 'A parameter is missing, malformed, out of range or not available; the answer names it.',
  401: 'No key that the server knows.',
  403: 'A foreign Host or Origin.',
};

/** Of routes that name something that may not be there. */
export const NAMED_STATUSES = { ...PLAIN_STATUSES, 404: 'There is nothing of this name.' };

/** Of routes with a body. */
export const BODY_STATUSES = {
  413: 'The body is larger than 32 MB.',
  415: 'The body has a charset or an encoding that is not supported.',
};

/** Of routes where a model works, and of no other. */
export const WORK_STATUSES = {
  ...NAMED_STATUSES,
  ...BODY_STATUSES,
  429: 'Too many requests wait; Retry-After says when to come back.',
  500: 'Something went wrong inside.',
  503: 'The model ran out of memory, its engine was lost, or the server stops.',
};

export const PLAIN_ERRORS: ErrorDescription = { bodies: [errorBody], statuses: PLAIN_STATUSES };
export const NAMED_ERRORS: ErrorDescription = { bodies: [errorBody], statuses: NAMED_STATUSES };
export const WORK_ERRORS: ErrorDescription = { bodies: [errorBody], statuses: WORK_STATUSES };
