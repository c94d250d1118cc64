// The AI SDK with its provider for OpenAI-compatible servers.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  embedMany,
  generateObject,
  generateText,
  Output,
  stepCountIs,
  streamObject,
  streamText,
  tool,
} from 'ai';
import { expect, it } from 'vitest';
import {
  AFTER_TOOL_SENTENCE,
  SCRIPTED_SENTENCE,
  THINKING_ANSWER,
  THINKING_TEXT,
  TOOL_CALL,
} from '../scripts/test-models/scripts.js';
import { QUESTION, serverForClients, verdictSchema, weatherParameters } from './test-clients.js';

const { test, baseURL } = serverForClients();

const pilotlight = () =>
  createOpenAICompatible({
    name: 'pilotlight',
    baseURL: baseURL(),
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
const asked = (model: string) => ({ model: pilotlight()(model), maxRetries: 0 });

it('generateText answers and counts', async () => {
  const { text, finishReason, usage, warnings } = await generateText({
    ...asked('scripted'),
    prompt: 'Hello?',
  });
  expect([text, finishReason]).toEqual([SCRIPTED_SENTENCE, 'stop']);
  expect(usage.outputTokens).toBe(22);
  expect(usage.totalTokens).toBe((usage.inputTokens ?? 0) + 22);
  expect(warnings ?? []).toEqual([]);
});

it('streamText tells the same', async () => {
  const result = streamText({ ...asked('scripted'), prompt: 'Hello?' });
  const pieces: string[] = [];
  for await (const piece of result.textStream) pieces.push(piece);
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join('')).toBe(SCRIPTED_SENTENCE);
  expect(await result.finishReason).toBe('stop');
  expect(await result.usage).toMatchObject({ outputTokens: 22 });
});

it('tells reasoning apart from the answer', async () => {
  const { text, reasoningText } = await generateText({
    ...asked('thinking'),
    prompt: 'How many apples?',
  });
  expect(text).toBe(THINKING_ANSWER);
  expect(reasoningText?.trim()).toBe(THINKING_TEXT);
  const streamed = streamText({ ...asked('thinking'), prompt: 'How many apples?' });
  await streamed.consumeStream();
  expect(await streamed.text).toBe(THINKING_ANSWER);
  expect(await streamed.reasoningText).toBe(reasoningText);
});

const weatherTool = (given: unknown[]) => ({
  [TOOL_CALL.name]: tool({
    description: 'The weather in a city.',
    inputSchema: weatherParameters,
    execute: (input) => {
      given.push(input);
      return { sky: 'sunny' };
    },
  }),
});

it('a tool is executed, and the next step answers with its result', async () => {
  const given: unknown[] = [];
  const { steps, text, totalUsage } = await generateText({
    ...asked('toolcall'),
    prompt: QUESTION,
    tools: weatherTool(given),
    stopWhen: stepCountIs(3),
  });
  expect(given).toEqual([TOOL_CALL.arguments]);
  expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
  expect(text).toBe(AFTER_TOOL_SENTENCE);
  const sum = steps.reduce((total, { usage }) => total + (usage.totalTokens ?? 0), 0);
  expect(totalUsage.totalTokens).toBe(sum);
});

it('a tool is executed in a stream of steps', async () => {
  const given: unknown[] = [];
  const result = streamText({
    ...asked('toolcall'),
    prompt: QUESTION,
    tools: weatherTool(given),
    stopWhen: stepCountIs(3),
  });
  const types = new Set<string>();
  for await (const part of result.fullStream) types.add(part.type);
  expect(given).toEqual([TOOL_CALL.arguments]);
  expect([...types]).toEqual(
    expect.arrayContaining(['tool-input-delta', 'tool-call', 'tool-result', 'text-delta']),
  );
  expect(await result.text).toBe(AFTER_TOOL_SENTENCE);
});

it('a tool that must be called is, whatever the model would say', async () => {
  const { toolCalls } = await generateText({
    ...asked('toolcall'),
    prompt: 'Hi.',
    tools: { judge: tool({ inputSchema: verdictSchema }) },
    toolChoice: 'required',
  });
  // It may call more than once.
  expect(toolCalls.length).toBeGreaterThan(0);
  for (const { input } of toolCalls) expect(verdictSchema.safeParse(input).success).toBe(true);
});

it('objects validate, by every way to ask for them', async () => {
  const request = { ...asked('random'), prompt: 'Hi.' };
  const { object } = await generateObject({ ...request, schema: verdictSchema });
  const { output } = await generateText({
    ...request,
    output: Output.object({ schema: verdictSchema }),
  });
  const streamed = streamObject({ ...request, schema: verdictSchema });
  for await (const partial of streamed.partialObjectStream) expect(partial).toBeTypeOf('object');
  for (const value of [object, output, await streamed.object]) {
    expect(verdictSchema.safeParse(value).success).toBe(true);
  }
});

it('embeds', async () => {
  const { embeddings, usage } = await embedMany({
    model: pilotlight().embeddingModel('embed'),
    values: ['one text', 'another text'],
    maxRetries: 0,
  });
  expect(new Set(embeddings.map(({ length }) => length)).size).toBe(1);
  expect(embeddings[0]).not.toEqual(embeddings[1]);
  expect(usage.tokens).toBeGreaterThan(2);
});

it('reads the message of an error, and does not retry what cannot be mended', async () => {
  const wrong = generateText({ ...asked('nope'), prompt: 'Hi.' });
  const told = await wrong.catch((error: unknown) => error);
  expect(APICallError.isInstance(told)).toBe(true);
  expect(told).toMatchObject({
    statusCode: 404,
    isRetryable: false,
    message: expect.stringContaining('There is no model "nope".'),
  });
});

it('an abort ends the stream and frees the engine', async () => {
  const controller = new AbortController();
  const { textStream } = streamText({
    ...asked('scripted-long'),
    prompt: 'Go.',
    abortSignal: controller.signal,
  });
  for await (const piece of textStream) if (piece !== '') controller.abort();
  await test().idle();
});
