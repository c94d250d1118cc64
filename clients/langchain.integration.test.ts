// @langchain/openai, in the way of the chat completions unless a test says otherwise.
import {
  type AIMessageChunk,
  HumanMessage,
  ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { describe, expect, it } from 'vitest';
import {
  AFTER_TOOL_SENTENCE,
  SCRIPTED_SENTENCE,
  TOOL_CALL,
} from '../scripts/test-models/scripts.js';
import { QUESTION, serverForClients, verdictSchema, weatherParameters } from './test-clients.js';

const { test, baseURL } = serverForClients();

const chat = (useResponsesApi: boolean, model: string) =>
  new ChatOpenAI({
    model,
    apiKey: 'local',
    maxRetries: 0,
    useResponsesApi,
    configuration: { baseURL: baseURL() },
  });

/** The message's type says nothing of it. */
const usageOf = (message: object) => (message as { usage_metadata?: UsageMetadata }).usage_metadata;

describe.each([
  ['chat completions', false],
  ['responses', true],
])('%s', (_, useResponsesApi) => {
  it('invoke answers and counts', async () => {
    const answer = await chat(useResponsesApi, 'scripted').invoke('Hello?');
    expect(answer.text).toBe(SCRIPTED_SENTENCE);
    const usage = usageOf(answer);
    expect(usage?.output_tokens).toBe(22);
    expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + 22);
    expect(answer.response_metadata).toMatchObject(
      useResponsesApi ? { status: 'completed' } : { finish_reason: 'stop' },
    );
  });

  it('stream tells the same, and counts once', async () => {
    const collected = await chat(useResponsesApi, 'scripted').invoke('Hello?');
    const stream = await chat(useResponsesApi, 'scripted').stream('Hello?');
    const texts: string[] = [];
    const usages: unknown[] = [];
    for await (const chunk of stream) {
      if (chunk.text !== '') texts.push(chunk.text);
      if (chunk.usage_metadata) usages.push(chunk.usage_metadata);
    }
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.join('')).toBe(collected.text);
    expect(usages).toHaveLength(1);
    expect(usages[0]).toMatchObject({
      input_tokens: usageOf(collected)?.input_tokens,
      output_tokens: 22,
    });
  });

  it('a bound tool is called, executed and answered', async () => {
    const asked: unknown[] = [];
    const getWeather = tool(
      (given) => {
        asked.push(given);
        return 'Warm and sunny.';
      },
      { name: TOOL_CALL.name, description: 'The weather in a city.', schema: weatherParameters },
    );
    const model = chat(useResponsesApi, 'toolcall').bindTools([getWeather]);
    // A stream's chunks add up to the message.
    let streamed: AIMessageChunk | null = null;
    for await (const chunk of await model.stream(QUESTION)) {
      streamed = streamed === null ? chunk : streamed.concat(chunk);
    }
    for (const call of [await model.invoke(QUESTION), streamed]) {
      if (!call) throw new Error('the stream is empty');
      expect(call.tool_calls).toMatchObject([{ name: TOOL_CALL.name, args: TOOL_CALL.arguments }]);
      const [first] = call.tool_calls ?? [];
      if (first?.id === undefined) throw new Error('the call has no id');
      const result = await getWeather.invoke({ ...first, id: first.id, type: 'tool_call' });
      expect(result).toBeInstanceOf(ToolMessage);
      const answer = await model.invoke([new HumanMessage(QUESTION), call, result]);
      expect(answer.text).toBe(AFTER_TOOL_SENTENCE);
    }
    expect(asked).toEqual([TOOL_CALL.arguments, TOOL_CALL.arguments]);
  });

  it('a forced tool is called', async () => {
    const forced = chat(useResponsesApi, 'toolcall').bindTools(
      [
        {
          type: 'function',
          function: {
            name: 'judge',
            parameters: {
              type: 'object',
              properties: { good: { type: 'boolean' } },
              required: ['good'],
            },
          },
        },
      ],
      { tool_choice: 'judge', parallel_tool_calls: false },
    );
    const { tool_calls } = await forced.invoke('Hi.');
    expect(tool_calls).toMatchObject([{ name: 'judge', args: { good: expect.any(Boolean) } }]);
  });

  it.each(['jsonSchema', 'functionCalling'] as const)(
    'structured output by %s validates',
    async (method) => {
      const structured = chat(useResponsesApi, 'toolcall').withStructuredOutput(verdictSchema, {
        name: 'verdict',
        method,
      });
      const verdict = await structured.invoke('Hi.');
      expect(verdictSchema.safeParse(verdict).success).toBe(true);
    },
  );

  it('an abort ends the stream and frees the engine', async () => {
    const controller = new AbortController();
    const stream = await chat(useResponsesApi, 'scripted-long').stream('Go.', {
      signal: controller.signal,
    });
    const reading = (async () => {
      for await (const chunk of stream) if (chunk.text !== '') controller.abort();
    })();
    await expect(reading).rejects.toThrow(/abort/i);
    await test().idle();
  });
});

it('embeds documents and a query alike', async () => {
  const embeddings = new OpenAIEmbeddings({
    model: 'embed',
    apiKey: 'local',
    maxRetries: 0,
    configuration: { baseURL: baseURL() },
  });
  const [one, other] = await embeddings.embedDocuments(['one text', 'another text']);
  expect(one?.length).toBeGreaterThan(8);
  expect(other).not.toEqual(one);
  const alone = await embeddings.embedQuery('one text');
  expect(alone).toHaveLength(one?.length ?? -1);
  const distance = alone.reduce((sum, x, i) => sum + Math.abs(x - (one?.[i] ?? 0)), 0);
  expect(distance).toBeLessThan(1e-3);
});
