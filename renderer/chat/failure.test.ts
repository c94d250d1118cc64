import { expect, it } from 'vitest';
import { failureWords } from './failure.js';

it.each([
  ['context_length_exceeded', 'This chat is too long for the model', 'new-chat'],
  ['model_not_found', 'This model is no longer there', 'models'],
  ['template_failed', 'This file cannot run as a model', 'models'],
  ['load_failed', 'The model could not be loaded', 'models'],
  ['engine_crashed', 'The model stopped unexpectedly', null],
  ['queue_full', 'The server is busy', null],
  ['constructor', 'The answer failed', null],
])('%s: %s', (code, title, remedy) => {
  const words = failureWords(code);
  expect(words).toMatchObject({ title, remedy });
  expect(words.advice).toMatch(/\.$/);
});
