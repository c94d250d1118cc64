// How likely the tokens of a prompt were: a real server, engine and socket.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type InferenceAnswer, inferenceAnswerSchema } from '../../protocol/inference.js';
import { Wiretap } from '../dialects/test-wiretap.js';
import { failure, startTestServer, type TestServer } from '../test-server.js';

const PATH = '/inference/v1/generate';

const tap = new Wiretap();
let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({
    models: ['random', 'slow'],
    wrap: tap.wrap,
    config: { contextLength: 4096, parallel: 4 },
  });
});
afterAll(() => test.close());
beforeEach(() => tap.clear());

/** As many tokens, of which no two prompts of a test have the same. */
const tokens = (count: number, seed: number) =>
  Array.from({ length: count }, (_, i) => 40 + ((i * i + seed * 31 + i * seed) % 200));

const ask = (token_ids: number[], sampling_params: object, more: object = {}) => ({
  ...{ model: 'random', token_ids, sampling_params: { max_tokens: 1, ...sampling_params } },
  ...more,
});

async function answerTo(body: object): Promise<InferenceAnswer> {
  const response = await test.post(PATH, body);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return inferenceAnswerSchema.strict().parse(await response.json());
}

type Maps = NonNullable<InferenceAnswer['prompt_logprobs']>;

async function mapsOf(body: object): Promise<Maps> {
  return (await answerTo(body)).prompt_logprobs ?? [];
}

describe('the list', () => {
  it('has a map for each token of the prompt, and null for the first', async () => {
    const prompt = tokens(50, 1);
    const [first, ...maps] = await mapsOf(ask(prompt, { prompt_logprobs: 3 }));
    expect(first).toBeNull();
    expect(maps).toHaveLength(prompt.length - 1);
    for (const [i, map] of maps.entries()) {
      const own = map?.[`${prompt[i + 1]}`];
      const entries = Object.values(map ?? {}).sort((a, b) => a.rank - b.rank);
      expect(entries).toHaveLength((own?.rank ?? 0) > 3 ? 4 : 3);
      expect(entries.slice(0, 3).map(({ rank }) => rank)).toEqual([1, 2, 3]);
      const logprobs = entries.map(({ logprob }) => logprob);
      expect(logprobs).toEqual([...logprobs].sort((a, b) => b - a));
      expect(logprobs.every((logprob) => logprob <= 0)).toBe(true);
    }
  });

  it("has the prompt's own token alone where no others are asked for, with its text", async () => {
    const prompt = [...tokens(9, 2), ...tokens(9, 2)];
    const [, ...maps] = await mapsOf(ask(prompt, { prompt_logprobs: 0 }));
    expect(maps.map((map) => Object.keys(map ?? {}))).toEqual(
      prompt.slice(1).map((id) => [`${id}`]),
    );
    for (const [id, entry] of maps.flatMap((map) => Object.entries(map ?? {}))) {
      const said = await test.post('/detokenize', { model: 'random', tokens: [Number(id)] });
      expect(await said.json()).toMatchObject({ content: entry.decoded_token });
    }
  });

  it("has the prompt's own token first in each map, by which clients find it", async () => {
    const prompt = tokens(60, 3);
    const response = await test.post(PATH, ask(prompt, { prompt_logprobs: 5 }));
    const [, list = ''] = (await response.text()).split('"prompt_logprobs":[');
    const firsts = [...list.matchAll(/(?:^null|\}),\{"(\d+)":\{"logprob"/g)];
    expect(firsts.map(([, id]) => Number(id))).toEqual(prompt.slice(1));
  });

  it('has the whole vocabulary where that is asked for, in messages that stay small', async () => {
    const prompt = tokens(160, 4);
    const [, ...maps] = await mapsOf(ask(prompt, { prompt_logprobs: -1 }));
    for (const map of maps) {
      const entries = Object.values(map ?? {});
      expect(entries.length).toBeGreaterThan(1000);
      expect(new Set(entries.map(({ rank }) => rank)).size).toBe(entries.length);
      const sum = entries.reduce((total, { logprob }) => total + Math.exp(logprob), 0);
      expect(sum).toBeCloseTo(1, 3);
    }
    const told = tap.promptLogprobs();
    expect(told.length).toBeGreaterThan(1);
    for (const { tokenIds } of told) expect(tokenIds.length).toBeLessThanOrEqual(65_536);
  });

  it('is null where nothing was asked for, and [null] of a single token', async () => {
    expect((await answerTo(ask([300], { prompt_logprobs: null }))).prompt_logprobs).toBeNull();
    expect(await mapsOf(ask([300], { prompt_logprobs: 2 }))).toEqual([null]);
  });
});

describe('the values', () => {
  it('are those of the same tokens as an answer', async () => {
    const prompt = tokens(30, 5);
    const { choices } = await answerTo(
      ask(prompt, { max_tokens: 40, temperature: 0, ignore_eos: true, logprobs: 5 }),
    );
    const [choice] = choices;
    const maps = await mapsOf(
      ask([...prompt, ...(choice?.token_ids ?? [])], { prompt_logprobs: 5 }),
    );
    const told = maps.slice(prompt.length);
    expect(told).toHaveLength(40);
    for (const [i, expected] of (choice?.logprobs?.content ?? []).entries()) {
      const [, id = ''] = expected.token.split(':');
      // Kernels for one and for many tokens round differently.
      expect(Math.abs((told[i]?.[id]?.logprob ?? 1) - expected.logprob)).toBeLessThan(0.1);
    }
  });

  it('are computed although the prompt has been before, and leave it to others', async () => {
    const prompt = tokens(300, 6);
    const cached = ({ usage }: InferenceAnswer) => usage.prompt_tokens_details?.cached_tokens;
    expect(cached(await answerTo(ask(prompt, {})))).toBe(0);
    expect(cached(await answerTo(ask(prompt, {})))).toBe(299);
    const asked = await answerTo(ask(prompt, { prompt_logprobs: 0 }));
    expect(cached(asked)).toBe(0);
    expect(asked.prompt_logprobs).toHaveLength(300);
    expect(cached(await answerTo(ask(prompt, {})))).toBe(299);
  });

  it('are told once for all choices, whose tokens are counted as ever', async () => {
    const prompt = tokens(80, 7);
    const answer = await answerTo(ask(prompt, { prompt_logprobs: 1, n: 3, max_tokens: 4 }));
    expect(answer.prompt_logprobs).toHaveLength(80);
    expect(answer.choices.map(({ token_ids }) => token_ids.length)).toEqual([4, 4, 4]);
    expect(answer.usage).toMatchObject({ prompt_tokens: 80, completion_tokens: 12 });
    const told = tap.promptLogprobs();
    expect(new Set(told.map(({ seq }) => seq)).size).toBe(1);
    expect(told.flatMap(({ entries }) => [...entries])).toHaveLength(79);
  });

  it('are the same beside other answers', async () => {
    const prompt = tokens(200, 8);
    const alone = await mapsOf(ask(prompt, { prompt_logprobs: 2 }));
    const leaving = new AbortController();
    const others = [1, 2].map((n) =>
      test.post(PATH, ask(tokens(20, 90 + n), { max_tokens: 3_000, ignore_eos: true }), {
        signal: leaving.signal,
      }),
    );
    for (const other of others) other.catch(() => {});
    await tap.until(() => tap.tokens() > 20);
    const beside = await mapsOf(ask(prompt, { prompt_logprobs: 2 }));
    expect(tap.ends()).toHaveLength(2);
    leaving.abort();
    await test.idle();
    for (const [i, id] of prompt.entries()) {
      if (i === 0) continue;
      const [one, two] = [alone[i]?.[`${id}`], beside[i]?.[`${id}`]];
      expect(Math.abs((one?.logprob ?? 1) - (two?.logprob ?? 9))).toBeLessThan(0.2);
    }
  });
});

describe('refused', () => {
  it('in a stream', async () => {
    for (const prompt_logprobs of [0, 1, -1]) {
      const body = ask([300, 301], { prompt_logprobs }, { stream: true });
      const refused = await failure(await test.post(PATH, body));
      expect(refused).toMatchObject({ status: 400, param: 'sampling_params' });
      expect(refused.message).toContain('prompt_logprobs');
    }
  });

  it('where they are more than an answer can hold, with the numbers', async () => {
    const body = ask(tokens(2001, 9), { prompt_logprobs: 999 });
    const refused = await failure(await test.post(PATH, body));
    expect(refused).toMatchObject({
      ...{ status: 400, param: 'sampling_params', code: 'too_many_prompt_logprobs' },
    });
    for (const number of ['2000', '1000', '2000000', '1000000']) {
      expect(refused.message).toContain(` ${number} `);
    }
  });
});

it('a client that leaves ends it', async () => {
  const leaving = new AbortController();
  const body = ask(tokens(4_000, 10), { prompt_logprobs: 1 }, { model: 'slow' });
  const asked = test.post(PATH, body, { signal: leaving.signal });
  asked.catch(() => {});
  await tap.until(() => tap.promptLogprobs().length > 1);
  leaving.abort();
  await test.idle();
  expect(tap.ends()).toMatchObject([{ finishReason: 'cancelled', outputTokens: 0 }]);
});
