// Token ids in, token ids out: a real server, engine and socket.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type InferenceAnswer,
  type InferenceChunk,
  inferenceAnswerSchema,
  inferenceChunkSchema,
} from '../../protocol/inference.js';
import { errorBodySchema } from '../../protocol/openai.js';
import { Wiretap } from '../dialects/test-wiretap.js';
import { failure, payloads, startTestServer, type TestServer } from '../test-server.js';

const PATH = '/inference/v1/generate';
const PROMPT = [300, 301, 302];

const tap = new Wiretap();
let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({
    models: ['random', 'greedy', 'scripted', 'scripted-long', 'slow'],
    wrap: tap.wrap,
    config: { contextLength: 16_384, parallel: 4 },
  });
});
afterAll(() => test.close());
beforeEach(() => tap.clear());

const ask = (sampling_params: object, more: object = {}) => ({
  ...{ model: 'random', token_ids: PROMPT, sampling_params },
  ...more,
});

async function collected(body: object): Promise<InferenceAnswer> {
  const response = await test.post(PATH, body);
  return inferenceAnswerSchema.strict().parse(await response.json());
}

async function streamed(body: object): Promise<InferenceChunk[]> {
  const told = payloads(await (await test.post(PATH, { ...body, stream: true })).text());
  expect(told.pop()).toBe('[DONE]');
  return told.map((payload) => inferenceChunkSchema.strict().parse(JSON.parse(payload)));
}

async function tokensOf(model: string, content: string): Promise<number[]> {
  const answer = await (await test.post('/tokenize', { model, content })).json();
  return (answer as { tokens: number[] }).tokens;
}

const idsOf = ({ choices }: InferenceAnswer) => choices.map(({ token_ids }) => token_ids);

function joined(chunks: InferenceChunk[], choices = 1): number[][] {
  const ids = Array.from({ length: choices }, (): number[] => []);
  for (const { choices: told } of chunks) {
    for (const { index, token_ids } of told) ids[index]?.push(...token_ids);
  }
  return ids;
}

describe('tokens', () => {
  it('are the same streamed, collected and as the text of completions, at the same seed', async () => {
    const params = { max_tokens: 40, temperature: 1, seed: 7 };
    const answer = await collected(ask(params));
    const [ids] = idsOf(answer);
    expect(answer.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: ids?.length });
    expect(joined(await streamed(ask(params)))).toEqual([ids]);
    // What both routes leave open they fill in differently.
    const neutral = { top_p: 1, top_k: 0, min_p: 0 };
    const same = { model: 'random', prompt: PROMPT, ...params, ...neutral };
    const completion = await test.client.completions.create(same);
    const spoken = await test.post('/detokenize', { model: 'random', tokens: ids });
    expect(await spoken.json()).toMatchObject({ content: completion.choices[0]?.text });
    expect(completion.usage?.completion_tokens).toBe(ids?.length);
  });

  it('go in as they are: nothing is tokenized again, and nothing is put before them', async () => {
    // Letter by letter, of a word for which a tokenizer needs fewer.
    const letters = (
      await Promise.all([...'Hello'].map((each) => tokensOf('random', each)))
    ).flat();
    expect(letters.length).toBeGreaterThan((await tokensOf('random', 'Hello')).length);
    const { usage } = await collected(ask({ max_tokens: 1 }, { token_ids: letters }));
    expect(usage.prompt_tokens).toBe(5);
  });

  it('of several choices are told apart', async () => {
    const params = { max_tokens: 6, n: 3, seed: 1, temperature: 1 };
    const answer = await collected(ask(params));
    expect(answer.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    const stream_options = { include_usage: true, continuous_usage_stats: true };
    const chunks = await streamed(ask(params, { stream_options }));
    expect(joined(chunks, 3)).toEqual(idsOf(answer));
    const counts = chunks.map(({ usage }) => usage?.completion_tokens ?? -1);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(counts.at(-1)).toBe(idsOf(answer).flat().length);
    expect(new Set(chunks.map(({ usage }) => usage?.prompt_tokens))).toEqual(new Set([3]));
  });

  it('have log probabilities where asked for', async () => {
    const params = { max_tokens: 5, temperature: 0, logprobs: 2 };
    const { choices } = await collected(ask(params));
    const [choice] = choices;
    expect(choice?.logprobs?.content.map(({ token }) => token)).toEqual(
      choice?.token_ids.map((id) => `token_id:${id}`),
    );
    for (const { token, logprob, top_logprobs } of choice?.logprobs?.content ?? []) {
      expect(top_logprobs).toHaveLength(2);
      expect(top_logprobs[0]).toMatchObject({ token, logprob });
    }
    const chunks = await streamed(ask(params));
    expect(chunks.flatMap(({ choices: [each] }) => each?.logprobs?.content ?? [])).toEqual(
      choice?.logprobs?.content,
    );
  });
});

describe('what is left open', () => {
  it("is as vLLM has it, whatever the model's file recommends", async () => {
    const open = (seed: number) =>
      ask({ max_tokens: 20, seed, temperature: null }, { model: 'greedy' });
    const [ids] = idsOf(await collected(open(1)));
    const neutral = { temperature: 1, top_p: 1, top_k: -1, min_p: 0, repetition_penalty: 1 };
    const said = ask({ max_tokens: 20, seed: 1, ...neutral }, { model: 'greedy' });
    expect(idsOf(await collected(said))).toEqual([ids]);
    expect(idsOf(await collected(open(2)))).not.toEqual([ids]);
    const completion = (seed: number) =>
      test.client.completions.create({ model: 'greedy', prompt: PROMPT, max_tokens: 20, seed });
    const [one, two] = await Promise.all([completion(1), completion(2)]);
    expect(one.choices[0]?.text).toBe(two.choices[0]?.text);
  });
});

describe('the end', () => {
  it('comes behind a stop token, which is a token of the answer', async () => {
    const params = { max_tokens: 30, temperature: 0 };
    const [whole = []] = idsOf(await collected(ask(params)));
    const id = whole[9] ?? -1;
    const until = whole.indexOf(id) + 1;
    for (const max_tokens of [30, until]) {
      const stopped = ask({ ...params, max_tokens, stop_token_ids: [id] });
      const answer = await collected(stopped);
      expect(answer.choices[0]).toMatchObject({
        token_ids: whole.slice(0, until),
        finish_reason: 'stop',
      });
      expect(answer.usage.completion_tokens).toBe(until);
      expect(joined(await streamed(stopped))).toEqual([whole.slice(0, until)]);
    }
  });

  it('is no token, unless it is to be passed over', async () => {
    const token_ids = await tokensOf('scripted', 'Hi');
    const scripted = { model: 'scripted', token_ids };
    const plain = await collected(ask({ temperature: 0 }, scripted));
    const [ids = []] = idsOf(plain);
    expect(plain.choices[0]?.finish_reason).toBe('stop');
    expect(ids).toHaveLength(22);
    const max_tokens = ids.length + 1;
    // The end comes where the last token might: it is an end by itself, with the tokens before it.
    const exact = await collected(ask({ temperature: 0, max_tokens }, scripted));
    expect(exact.choices).toEqual(plain.choices);
    // Passed over, it is the last token, one without text.
    const beyond = ask({ temperature: 0, max_tokens, ignore_eos: true }, scripted);
    const answer = await collected(beyond);
    expect(answer.choices[0]?.finish_reason).toBe('length');
    expect(answer.choices[0]?.token_ids.slice(0, -1)).toEqual(ids);
    expect(answer.usage.completion_tokens).toBe(max_tokens);
    const chunks = await streamed({ ...beyond, stream_options: { include_usage: true } });
    expect(joined(chunks)).toEqual(idsOf(answer));
    expect(chunks.at(-1)?.usage).toEqual(answer.usage);
  });

  it('has a chunk of its own, without a token', async () => {
    const chunks = await streamed(ask({ max_tokens: 3, temperature: 0 }));
    expect(chunks.map(({ choices: [choice] }) => choice?.finish_reason)).toEqual([
      ...chunks.slice(1).map(() => null),
      'length',
    ]);
    expect(chunks.at(-1)?.choices[0]?.token_ids).toEqual([]);
    expect(chunks.every((chunk) => !('usage' in chunk))).toBe(true);
  });

  it('is an error where the engine is lost in the middle', async () => {
    const body = ask({ max_tokens: 16_000 }, { model: 'scripted-long', stream: true });
    const asked = test.post(PATH, body);
    await tap.until(() => tap.tokens() > 0);
    process.kill(test.engines.at(-1)?.pid ?? 0, 'SIGKILL');
    const told = payloads(await (await asked).text());
    const { error } = errorBodySchema.strict().parse(JSON.parse(told.pop() ?? ''));
    expect(error.code).toBe('engine_crashed');
    for (const chunk of told) inferenceChunkSchema.strict().parse(JSON.parse(chunk));
    expect(told.length).toBeGreaterThan(0);
  });
});

describe('the request id', () => {
  it("is the client's, or a new one, in all chunks", async () => {
    const mine = { request_id: 'rollout 7/é' };
    expect((await collected(ask({ max_tokens: 2 }, mine))).request_id).toBe(mine.request_id);
    const chunks = await streamed(ask({ max_tokens: 2 }, mine));
    expect(new Set(chunks.map((chunk) => chunk.request_id))).toEqual(new Set([mine.request_id]));
    const made = await streamed(ask({ max_tokens: 2 }));
    expect(new Set(made.map((chunk) => chunk.request_id)).size).toBe(1);
    expect(made[0]?.request_id).toMatch(/^gen-[0-9a-f]{24}$/);
  });
});

describe('refused before the first byte', () => {
  it.each([true, false])('stream: %s', async (stream) => {
    const refuse = async (body: object) => failure(await test.post(PATH, { ...body, stream }));
    const few = { max_tokens: 1 };
    expect(await refuse(ask(few, { model: 'nobody' }))).toMatchObject({
      ...{ status: 404, param: 'model' },
    });
    expect(await refuse(ask(few, { token_ids: [9e8] }))).toMatchObject({
      ...{ status: 400, param: 'token_ids', code: 'invalid_prompt' },
    });
    const long = Array.from({ length: 20_000 }, () => 40);
    expect(await refuse(ask(few, { token_ids: long }))).toMatchObject({
      ...{ status: 400, param: 'token_ids', code: 'context_length_exceeded' },
    });
    expect(await refuse(ask({ ...few, logit_bias: { 99999999: 1 } }))).toMatchObject({
      ...{ status: 400, param: 'sampling_params', code: 'invalid_logit_bias' },
    });
    expect(await refuse(ask({ max_tokens: 0 }))).toMatchObject({ param: 'sampling_params' });
    expect(await refuse(ask({ prompt_logprobs: -2 }))).toMatchObject({ param: 'sampling_params' });
    expect(await refuse({})).toMatchObject({ status: 400, param: 'token_ids' });
  });

  it('and what nobody knows is told', async () => {
    const body = ask({ max_tokens: 1, bar: 1 }, { foo: 1 });
    const response = await test.post(PATH, body);
    expect(response.headers.get('x-pilotlight-ignored')).toBe('foo, sampling_params.bar');
  });
});

it.each([true, false])('a client that leaves ends it, stream: %s', async (stream) => {
  const leaving = new AbortController();
  const body = ask({ max_tokens: 16_000 }, { model: 'scripted-long', stream });
  const asked = test.post(PATH, body, { signal: leaving.signal });
  asked.catch(() => {});
  await tap.until(() => tap.tokens() > 0);
  leaving.abort();
  await test.idle();
  expect(tap.ends()).toMatchObject([{ finishReason: 'cancelled' }]);
});
