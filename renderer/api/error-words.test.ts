import { afterEach, expect, it } from 'vitest';
import { setLanguage } from '../i18n/i18n.js';
import { errorSentence } from './error-words.js';

afterEach(() => setLanguage('en'));

it('is the server’s own sentence in English', () => {
  expect(errorSentence('out_of_memory', 'It needs 9 GB.')).toBe('It needs 9 GB.');
});

it('is one for its code in another language, and the server’s where the code is not known', async () => {
  await setLanguage('de');
  expect(errorSentence('out_of_memory', 'It needs 9 GB.')).toMatch(/reicht der Speicher nicht/);
  expect(errorSentence('invalid_grammar', 'The grammar is wrong.')).toBe('The grammar is wrong.');
  expect(errorSentence('failed', 'No.')).toBe('No.');
  expect(errorSentence(null, 'No.')).toBe('No.');
});
