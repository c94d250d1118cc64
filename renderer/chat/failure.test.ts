import { expect, it } from 'vitest';
import { ApiError } from '../api/error.js';
import { failureOf } from './failure.js';

it.each([
  [
    new ApiError('refused', '9 tokens, 8 fit.', 400, 'context_length_exceeded'),
    'This chat is too long for the model',
    'new-chat',
  ],
  [new ApiError('refused', 'No.', 401, 'invalid_api_key'), 'A key is needed', 'key'],
  [
    new ApiError('refused', 'No.', 404, 'model_not_found'),
    'This model is no longer there',
    'retry',
  ],
  [new ApiError('refused', 'No.', 503), 'The model could not be loaded', 'retry'],
  [new ApiError('refused', 'No.', 418), 'The server refused this', 'retry'],
  [new ApiError('unreachable', 'No.'), 'The server is not answering', 'retry'],
  [new ApiError('broken', 'No.'), 'The answer broke off', 'retry'],
  [
    new ApiError('broken', 'No.', null, 'engine_crashed'),
    'The model stopped unexpectedly',
    'retry',
  ],
  [new Error('Odd.'), 'Something went wrong', 'retry'],
])('%s: %s', (cause, title, remedy) => {
  expect(failureOf(cause)).toMatchObject({ title, remedy });
});

it('keeps the server’s own words and says when to try again', () => {
  const full = new ApiError('refused', 'The queue is full.', 429, 'queue_full', 5);
  expect(failureOf(full).message).toBe('The queue is full. Try again in 5 seconds.');
});
