// What every dialect says about an answer's length and end, against what the engine has sampled.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TURN_START } from '../../scripts/test-models/bpe-vocab.js';
import type { TestModelName } from '../../scripts/test-models/catalogue.js';
import { PLAIN_TEMPLATE } from '../../scripts/test-models/chat-templates.js';
import { BROKEN_UTF8_PIECES } from '../../scripts/test-models/scripts.js';
import { wiredModel } from '../../scripts/test-models/wired-model.js';
import { startTestServer, type TestServer } from '../test-server.js';
import { ask, DIALECTS, readAll } from './test-dialects.js';
import { ENDINGS, toldIn, withUsage } from './test-endings.js';
import { Wiretap } from './test-wiretap.js';

const tap = new Wiretap();
let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({ models: ['scripted', 'broken-utf8', 'thinking'], wrap: tap.wrap });
  const model = wiredModel({
    name: 'control',
    chains: [{ pieces: ['One', TURN_START, ' two'], ending: 'turn-end', start: 'always' }],
    template: PLAIN_TEMPLATE,
  });
  await writeFile(path.join(test.modelsDir, 'control.gguf'), model);
  await test.until(({ models }) => models.some(({ id }) => id === 'control'));
});
afterAll(() => test.close());
beforeEach(() => tap.clear());

interface Case {
  /** A test model, or one that writes a control token between two words. */
  model: TestModelName | 'control';
  maxTokens: number;
  output: number;
  reason: 'stop' | 'length';
  /** Of the last token. */
  lastText?: string;
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
  'a last token without text': {
    ...{ model: 'control', maxTokens: 2, output: 2, reason: 'length', lastText: '' },
  },
  'a last token behind one without text': {
    ...{ model: 'control', maxTokens: 3, output: 3, reason: 'length', lastText: ' two' },
  },
  'a last token that is no text of the answer': {
    ...{ model: 'thinking', maxTokens: 1, output: 1, reason: 'length' },
  },
};

describe.each(Object.entries(CASES))('%s', (_, wanted) => {
  const { model, maxTokens, output, reason, lastText } = wanted;
  describe.each([true, false])('stream: %s', (stream) => {
    it.each(Object.entries(ENDINGS))('%s', async (name, { ending }) => {
      // Behind this text, the models say the same as in a chat.
      const question = { model, text: 'Hi', maxTokens, stream };
      const told = toldIn(await readAll(await ask(test, withUsage(name), question)));
      const [done] = tap.ends();
      expect(ending(told)).toEqual({ prompt: done?.promptTokens, output, reason });
      expect(tap.tokens()).toBe(output);
      if (lastText !== undefined) expect(tap.texts().at(-1)).toBe(lastText);
    });
  });
});

it('every dialect is among them', () => {
  expect(Object.keys(ENDINGS).sort()).toEqual(Object.keys(DIALECTS).sort());
});
