// A reader that does not read: real sockets, sixteen streams, more text than a connection holds on its way.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { PLAIN_TEMPLATE } from '../../scripts/test-models/chat-templates.js';
import { wiredModel } from '../../scripts/test-models/wired-model.js';
import { startTestServer, type TestServer } from '../test-server.js';
import { ask, DIALECTS, type Dialect, readAll } from './test-dialects.js';
import { Wiretap } from './test-wiretap.js';

/** One token each, so that few of them fill the sockets' buffers. */
const PIECES = ['a', 'b', 'c'].map((letter) => letter.repeat(4_000));
/** 20 MB of text, which no system takes into its buffers. */
const TOKENS = 5_000;
const said = (tokens: number) =>
  PIECES.join('')
    .repeat(TOKENS)
    .slice(0, tokens * 4_000);
const question = { model: 'wordy', text: 'Go.', stream: true };

const tap = new Wiretap();
let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({
    wrap: tap.wrap,
    config: { parallel: 16, contextLength: TOKENS + 100 },
  });
  const model = wiredModel({
    name: 'wordy',
    chains: [{ pieces: PIECES, ending: 'repeat', start: 'always' }],
    template: PLAIN_TEMPLATE,
    shape: { context: 8192 },
  });
  await writeFile(path.join(test.modelsDir, 'wordy.gguf'), model);
  await test.until(({ models }) => models.some(({ id }) => id === 'wordy'));
});
afterAll(() => test.close());
beforeEach(() => tap.clear());

async function fifteenOthers(dialect: Dialect): Promise<void> {
  const texts = await Promise.all(
    Array.from({ length: 15 }, async () =>
      dialect.streamed(await readAll(await ask(test, dialect, { ...question, maxTokens: 20 }))),
    ),
  );
  expect(new Set(texts)).toEqual(new Set([said(20)]));
}

it.each(Object.entries(DIALECTS))(
  '%s: pauses itself only, and gets all when it reads on',
  async (_, dialect) => {
    const response = await ask(test, dialect, { ...question, maxTokens: TOKENS });
    await tap.until(() => tap.sequences('pause').length > 0);
    const [seq = -1] = tap.sequences('pause');
    // Systems let a connection's buffers grow while they fill, so it may go on a few times before it rests.
    let held = -1;
    for (let round = 0; round < 6 && tap.tokens(seq) !== held; round++) {
      held = tap.tokens(seq);
      await fifteenOthers(dialect);
    }
    expect(tap.tokens(seq)).toBe(held);
    expect(held).toBeGreaterThan(0);
    expect(held).toBeLessThan(TOKENS);

    expect(dialect.streamed(await readAll(response))).toBe(said(TOKENS));
    expect(tap.sequences('resume')).toContain(seq);
    await test.idle();
  },
);
