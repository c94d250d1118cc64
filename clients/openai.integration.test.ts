// What the official client's helpers make of the server; its plain calls are tested beside the routes.
import OpenAI from 'openai';
import { LengthFinishReasonError } from 'openai/core/error';
import { zodResponseFormat } from 'openai/helpers/zod';
import { expect, it } from 'vitest';
import {
  AFTER_TOOL_SENTENCE,
  SCRIPTED_SENTENCE,
  TOOL,
  TOOL_CALL,
} from '../scripts/test-models/scripts.js';
import { user } from '../server/test-server.js';
import { QUESTION, serverForClients, verdictSchema } from './test-clients.js';

const { test } = serverForClients();

const GET_WEATHER = { type: 'function' as const, function: { ...TOOL, strict: true } };

it('the stream helper tells pieces, the whole and the usage', async () => {
  const stream = test().client.chat.completions.stream({
    model: 'scripted',
    messages: [user('Hello?')],
    stream_options: { include_usage: true },
  });
  const pieces: string[] = [];
  const snapshots: string[] = [];
  stream.on('content', (delta, snapshot) => {
    pieces.push(delta);
    snapshots.push(snapshot);
  });
  expect(await stream.finalContent()).toBe(SCRIPTED_SENTENCE);
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join('')).toBe(SCRIPTED_SENTENCE);
  expect(snapshots.at(-1)).toBe(SCRIPTED_SENTENCE);
  const usage = await stream.totalUsage();
  expect(usage.completion_tokens).toBe(22);
  expect(usage.total_tokens).toBe(usage.prompt_tokens + 22);
});

it('the stream helper puts a tool call together', async () => {
  const stream = test().client.chat.completions.stream({
    model: 'toolcall',
    messages: [user(QUESTION)],
    tools: [GET_WEATHER],
  });
  const parsed: unknown[] = [];
  stream.on('tool_calls.function.arguments.done', (call) => parsed.push(call.parsed_arguments));
  const { choices } = await stream.finalChatCompletion();
  expect(choices[0]?.finish_reason).toBe('tool_calls');
  expect(choices[0]?.message.tool_calls).toEqual([
    {
      id: expect.stringMatching(/.+/),
      type: 'function',
      function: expect.objectContaining({ name: TOOL_CALL.name }),
    },
  ]);
  expect(parsed).toEqual([TOOL_CALL.arguments]);
});

it('runTools runs the tool and answers with its result, streamed or not', async () => {
  for (const stream of [true, false] as const) {
    const asked: unknown[] = [];
    const options = {
      model: 'toolcall',
      messages: [user(QUESTION)],
      tools: [
        {
          type: 'function' as const,
          function: {
            ...GET_WEATHER.function,
            parse: JSON.parse,
            function: (given: object) => {
              asked.push(given);
              return 'Warm and sunny.';
            },
          },
        },
      ],
    };
    const { completions } = test().client.chat;
    const runner = stream
      ? completions.runTools({ ...options, stream })
      : completions.runTools({ ...options, stream });
    expect(await runner.finalContent()).toBe(AFTER_TOOL_SENTENCE);
    expect(asked).toEqual([TOOL_CALL.arguments]);
    expect(runner.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
  }
});

it('parse gives what the zod schema says', async () => {
  for (const seed of [1, 2]) {
    const completion = await test().client.chat.completions.parse({
      model: 'random',
      messages: [user('Hi.')],
      seed,
      response_format: zodResponseFormat(verdictSchema, 'verdict'),
    });
    expect(verdictSchema.safeParse(completion.choices[0]?.message.parsed).success).toBe(true);
  }
});

it('parse says so where the answer was cut short', async () => {
  const cut = test().client.chat.completions.parse({
    model: 'random',
    messages: [user('Hi.')],
    max_tokens: 2,
    response_format: zodResponseFormat(verdictSchema, 'verdict'),
  });
  await expect(cut).rejects.toThrow(LengthFinishReasonError);
});

it('embeddings come as base64 and are read as numbers', async () => {
  const input = ['one text', 'another text'];
  const { embeddings } = test().client;
  const { data, usage } = await embeddings.create({ model: 'embed', input });
  const plain = await embeddings.create({ model: 'embed', input, encoding_format: 'float' });
  expect(data.map(({ embedding }) => embedding)).toEqual(
    plain.data.map(({ embedding }) => embedding.map(Math.fround)),
  );
  expect(usage.total_tokens).toBe(usage.prompt_tokens);
});

it('an abort ends the stream and frees the engine', async () => {
  const stream = test().client.chat.completions.stream({
    model: 'scripted-long',
    messages: [user('Go.')],
  });
  stream.on('content', () => stream.abort());
  await expect(stream.finalContent()).rejects.toThrow(OpenAI.APIUserAbortError);
  await test().idle();
});
