// What every dialect says about an answer's length and end, against what the engine has sampled.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestModelName } from '../../scripts/test-models/catalogue.js';
import { BROKEN_UTF8_PIECES } from '../../scripts/test-models/scripts.js';
import { startTestServer, type TestServer } from '../test-server.js';
import { ask, DIALECTS, type Dialect, readAll } from './test-dialects.js';
import { ENDINGS, toldIn } from './test-endings.js';
import { Wiretap } from './test-wiretap.js';

const tap = new Wiretap();
let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({
    models: ['scripted', 'broken-utf8', 'thinking', 'random'],
    wrap: tap.wrap,
  });
});
afterAll(() => test.close());
beforeEach(() => tap.clear());

interface Case {
  model: TestModelName;
  maxTokens: number;
  output: number;
  reason: 'stop' | 'length';
}

const CASES: Readonly<Record<string, Case>> = {
  'one token': { model: 'scripted', maxTokens: 1, output: 1, reason: 'length' },
  'as many as there are': { model: 'scripted', maxTokens: 22, output: 22, reason: 'length' },
  'the end where the last token might come': {
    ...{ model: 'scripted', maxTokens: 23, output: 22, reason: 'stop' },
  },
  'a last token that begins a character': {
    ...{ model: 'broken-utf8', maxTokens: 2, output: 2, reason: 'length' },
  },
  'tokens without text': {
    ...{ model: 'broken-utf8', maxTokens: 100, output: BROKEN_UTF8_PIECES.length, reason: 'stop' },
  },
  'a last token that is no text of the answer': {
    ...{ model: 'thinking', maxTokens: 1, output: 1, reason: 'length' },
  },
};

describe.each(Object.entries(CASES))('%s', (_, { model, maxTokens, output, reason }) => {
  describe.each([true, false])('stream: %s', (stream) => {
    it.each(Object.entries(ENDINGS))('%s', async (name, { more, ending }) => {
      const dialect = DIALECTS[name] as Dialect;
      const body: Dialect['body'] = (question) => ({
        ...dialect.body(question),
        ...(stream ? more : {}),
      });
      // Behind this text, the models say the same as in a chat.
      const question = { model, text: 'Hi', maxTokens, stream };
      const told = toldIn(await readAll(await ask(test, { ...dialect, body }, question)));
      const [done] = tap.ends();
      expect(ending(told)).toEqual({ prompt: done?.promptTokens, output, reason });
      expect(tap.tokens()).toBe(output);
    });
  });
});

it('every dialect is among them', () => {
  expect(Object.keys(ENDINGS).sort()).toEqual(Object.keys(DIALECTS).sort());
});
