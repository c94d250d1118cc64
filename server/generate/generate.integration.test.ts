// An event for each token: a real server, engine and socket.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type GenerateAnswer,
  type GenerateEvent,
  generateAnswerSchema,
  generateEventSchema,
} from '../../protocol/generate.js';
import {
  BROKEN_UTF8_PIECES,
  BROKEN_UTF8_TEXT,
  SCRIPTED_SENTENCE,
} from '../../scripts/test-models/scripts.js';
import { Wiretap } from '../dialects/test-wiretap.js';
import { failure, payloads, startTestServer, type TestServer, user } from '../test-server.js';

const PATH = '/v1/generate';

const tap = new Wiretap();
let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({
    models: ['scripted', 'random', 'scripted-long', 'broken-utf8', 'thinking'],
    wrap: tap.wrap,
  });
});
afterAll(() => test.close());
beforeEach(() => tap.clear());

async function collected(body: object): Promise<GenerateAnswer> {
  return generateAnswerSchema.parse(await (await test.post(PATH, body)).json());
}

const eventsOf = (text: string): GenerateEvent[] =>
  payloads(text).map((payload) => generateEventSchema.parse(JSON.parse(payload)));

/** The tokens, whose places must have no gaps, and the end, which must count them. */
async function streamed(body: object) {
  const events = eventsOf(await (await test.post(PATH, { ...body, stream: true })).text());
  const end = events.pop();
  if (end?.type !== 'done') throw new Error(`the last event is ${JSON.stringify(end)}`);
  const tokens = events.map((event, i) => {
    if (event.type !== 'token' || event.index !== i) throw new Error(JSON.stringify(event));
    return event;
  });
  expect(end.output_tokens).toBe(tokens.length);
  return {
    end,
    ids: tokens.map(({ token_id }) => token_id),
    texts: tokens.map(({ text }) => text),
  };
}

describe('tokens', () => {
  it.each<[string, object]>([
    ['a text', { prompt: 'Once' }],
    ['token ids', { token_ids: [300, 301, 302] }],
    ['a chat', { messages: [user('Hi.')] }],
  ])('of what follows %s are the same streamed and collected', async (_, prompt) => {
    const body = { model: 'random', ...prompt, max_tokens: 40, temperature: 1, seed: 5 };
    const { end, ids, texts } = await streamed(body);
    const answer = await collected(body);
    expect(answer.token_ids).toEqual(ids);
    expect(answer.text).toBe(texts.join(''));
    const { finish_reason, prompt_tokens, output_tokens } = answer;
    expect({ finish_reason, prompt_tokens, output_tokens }).toEqual({
      finish_reason: end.finish_reason,
      prompt_tokens: end.prompt_tokens,
      output_tokens: ids.length,
    });
    const again = await collected({ ...body, seed: 6 });
    expect(again.token_ids).not.toEqual(ids);
  });

  it('are those of /v1/completions and /inference/v1/generate at the same seed', async () => {
    // What they leave open they do not fill in alike.
    const neutral = { temperature: 1, top_p: 1, top_k: 0, min_p: 0 };
    const params = { max_tokens: 30, seed: 5, ...neutral };
    const token_ids = [300, 301, 302];
    const answer = await collected({ model: 'random', token_ids, ...params });
    const completion = await test.client.completions.create({
      ...{ model: 'random', prompt: token_ids, ...params },
    });
    expect(answer.text).toBe(completion.choices[0]?.text);
    const inference = await test.post('/inference/v1/generate', {
      ...{ model: 'random', token_ids, sampling_params: params },
    });
    expect(await inference.json()).toMatchObject({ choices: [{ token_ids: answer.token_ids }] });
  });

  it('without text are events all the same', async () => {
    const { end, texts } = await streamed({ model: 'broken-utf8', messages: [user('Hi.')] });
    expect(texts).toHaveLength(BROKEN_UTF8_PIECES.length);
    expect(texts.filter((text) => text === '').length).toBeGreaterThan(5);
    expect(texts.join('')).toBe(BROKEN_UTF8_TEXT);
    expect(end.finish_reason).toBe('stop');
  });

  it('of the reasoning are told as well', async () => {
    const { text } = await collected({ model: 'thinking', messages: [user('Hi.')] });
    expect(text).toMatch(/^<think>\n.+\n<\/think>\n\n\S/);
  });
});

describe('the end', () => {
  const body = { model: 'scripted', messages: [user('Hi.')] };

  it('is no token, also where the last token might come', async () => {
    const whole = await streamed(body);
    expect(whole.texts.join('')).toBe(SCRIPTED_SENTENCE);
    const length = whole.ids.length;
    const reasons = [length - 1, length, length + 1].map(async (max_tokens) => {
      const { end, ids } = await streamed({ ...body, max_tokens });
      return [ids.length, end.finish_reason];
    });
    expect(await Promise.all(reasons)).toEqual([
      [length - 1, 'length'],
      [length, 'length'],
      [length, 'stop'],
    ]);
  });

  it('may be a token without text where it is passed over', async () => {
    const { ids } = await streamed(body);
    const max_tokens = ids.length + 1;
    const beyond = await streamed({ ...body, ignore_eos: true, max_tokens });
    expect(beyond.end.finish_reason).toBe('length');
    expect(beyond.ids.slice(0, -1)).toEqual(ids);
    expect(beyond.texts.at(-1)).toBe('');
    const stop_token_ids = beyond.ids.slice(-1);
    const stopped = await streamed({ ...body, ignore_eos: true, stop_token_ids });
    expect(stopped.end.finish_reason).toBe('stop');
    expect(stopped.ids).toEqual(beyond.ids);
    expect(stopped.texts.join('')).toBe(SCRIPTED_SENTENCE);
  });

  it('comes with a stop string, whose text is held back, and no token is lost', async () => {
    const long = { model: 'scripted-long', messages: [user('Go.')], max_tokens: 20 };
    const stop = 'gamma del';
    const { end, texts, ids } = await streamed({ ...long, stop });
    expect(end.finish_reason).toBe('stop');
    expect(texts.join('')).toBe('alpha beta ');
    expect(await collected({ ...long, stop })).toMatchObject({
      ...{ token_ids: ids, text: 'alpha beta ', output_tokens: ids.length },
    });
  });

  it('tells times that fit together, on one clock', async () => {
    const { end } = await streamed({ ...body, token_ids: [300], messages: null });
    expect(end.ttft_ms).toBeGreaterThanOrEqual(end.prefill_ms);
    expect(end.ttft_ms).toBeGreaterThanOrEqual(end.queue_ms);
    expect(end.total_ms).toBeGreaterThanOrEqual(end.ttft_ms);
    expect(end.tokens_per_s).toBeGreaterThan(0);
  });

  it('is an error where the engine is lost in the middle', async () => {
    const long = { model: 'scripted-long', messages: [user('Go.')], stream: true };
    const asked = test.post(PATH, long);
    await tap.until(() => tap.tokens() > 0);
    process.kill(test.engines.at(-1)?.pid ?? 0, 'SIGKILL');
    const events = eventsOf(await (await asked).text());
    expect(events.pop()).toMatchObject({ type: 'error', code: 'engine_crashed' });
    expect(events.every(({ type }) => type === 'token')).toBe(true);
    expect(events.length).toBeGreaterThan(0);
  });
});

it.each([true, false])('refuses before the first byte, stream: %s', async (stream) => {
  const refuse = async (body: object) => failure(await test.post(PATH, { ...body, stream }));
  expect(await refuse({ prompt: 'a', foo: 1 })).toMatchObject({ status: 400, param: 'foo' });
  expect(await refuse({ prompt: 'a', model: 'nobody' })).toMatchObject({
    ...{ status: 404, param: 'model' },
  });
  expect(await refuse({ token_ids: [9e8] })).toMatchObject({ status: 400, param: 'token_ids' });
  for (const [param, prompt] of Object.entries({
    prompt: 'a '.repeat(5000),
    token_ids: Array.from({ length: 5000 }, () => 40),
    messages: [user('a '.repeat(5000))],
  })) {
    expect(await refuse({ [param]: prompt })).toMatchObject({
      ...{ status: 400, param, code: 'context_length_exceeded' },
    });
  }
});
