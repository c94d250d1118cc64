// A real server, engine and socket; the official client.
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { LONG_CYCLE_TEXT } from '../../scripts/test-models/scripts.js';
import { failure, payloads, testServers } from '../test-server.js';

const start = testServers();
const post = (url: string, body: object) =>
  fetch(`${url}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('/v1/completions', () => {
  it('goes on with a text, the same streamed or not', async () => {
    const { client } = await start({ models: ['scripted-long'] });
    const request = { model: 'scripted-long', prompt: 'Hi', max_tokens: 24, temperature: 0 };
    const whole = await client.completions.create(request);
    expect(whole.object).toBe('text_completion');
    expect(whole.choices[0]?.finish_reason).toBe('length');
    expect(whole.usage?.completion_tokens).toBe(24);
    let text = '';
    let reason: string | null = null;
    let usage = 0;
    const asked = { ...request, stream: true as const, stream_options: { include_usage: true } };
    for await (const chunk of await client.completions.create(asked)) {
      text += chunk.choices[0]?.text ?? '';
      reason = chunk.choices[0]?.finish_reason ?? reason;
      usage = chunk.usage?.completion_tokens ?? usage;
    }
    expect(text).toBe(whole.choices[0]?.text);
    const cycles = LONG_CYCLE_TEXT.trim().split(' ').slice(0, 4).join(' ');
    expect(text).toContain(cycles);
    expect(reason).toBe('length');
    expect(usage).toBe(24);
  });

  it('B06: has a chunk for the usage where it is asked for, and counts nowhere else', async () => {
    const { client } = await start({ models: ['scripted-long'] });
    const stream = await client.completions.create({
      model: 'scripted-long',
      prompt: 'Go.',
      max_tokens: 5,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.Completion[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const last = chunks.pop();
    expect(last).toMatchObject({ object: 'text_completion', choices: [] });
    expect(last?.usage).toMatchObject({ completion_tokens: 5 });
    expect(last?.usage?.total_tokens).toBe((last?.usage?.prompt_tokens ?? 0) + 5);
    for (const { usage } of chunks) expect(usage).toBeNull();
  });

  it('takes several prompts and choices, texts or ids', async () => {
    const { client } = await start({ models: ['random'] });
    const request = { model: 'random', prompt: ['a', 'b'], n: 2, max_tokens: 4, temperature: 1.5 };
    const { choices, usage } = await client.completions.create(request);
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(usage?.completion_tokens).toBeLessThanOrEqual(16);
    const one = await client.completions.create({ ...request, prompt: 'a', n: 1 });
    const two = await client.completions.create({ ...request, prompt: 'b', n: 1 });
    const alone = (one.usage?.prompt_tokens ?? 0) + (two.usage?.prompt_tokens ?? 0);
    expect(usage?.prompt_tokens).toBe(alone);
    const ids = await client.completions.create({ ...request, prompt: [[40], [41, 42]], n: 1 });
    expect(ids.choices).toHaveLength(2);
    expect(ids.usage?.prompt_tokens).toBe(3);
  });

  it('B43: tells log probabilities with their places, and echoes', async () => {
    const { client } = await start({ models: ['scripted'] });
    const request = { model: 'scripted', prompt: 'Hi', max_tokens: 6, temperature: 0 };
    const { choices } = await client.completions.create({ ...request, logprobs: 2 });
    const [choice] = choices;
    const told = choice?.logprobs;
    expect(told?.tokens).toHaveLength(6);
    expect(told?.tokens?.join('')).toBe(choice?.text);
    told?.text_offset?.forEach((offset, i) => {
      expect(choice?.text.slice(offset)).toMatch(new RegExp(`^${told.tokens?.[i]}`));
    });
    expect(Object.keys(told?.top_logprobs?.[0] ?? {})).toHaveLength(2);
    const echoed = await client.completions.create({ ...request, echo: true });
    expect(echoed.choices[0]?.text).toBe(`Hi${choice?.text}`);
  });

  it('refuses what does not fit or is not a token, before the first byte', async () => {
    const { server } = await start({ models: ['random'] });
    const long = Array.from({ length: 3000 }, () => 40);
    for (const stream of [false, true]) {
      const request = { prompt: [[40], long], stream };
      expect(await failure(await post(server.url, request))).toMatchObject({
        status: 400,
        code: 'context_length_exceeded',
      });
      expect(await failure(await post(server.url, { prompt: [9e8], stream }))).toMatchObject({
        status: 400,
        code: 'invalid_prompt',
      });
    }
    const told = await (await post(server.url, { prompt: 'Hi', stream: true })).text();
    expect(payloads(told).at(-1)).toBe('[DONE]');
  });
});
