// The OpenAI Agents SDK over both of the APIs that it speaks.
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import { describe, expect, it } from 'vitest';
import {
  AFTER_TOOL_SENTENCE,
  SCRIPTED_SENTENCE,
  THINKING_ANSWER,
  TOOL_CALL,
} from '../scripts/test-models/scripts.js';
import { QUESTION, serverForClients, verdictSchema, weatherParameters } from './test-clients.js';

const { test, baseURL } = serverForClients();

/** Without tracing, which would go to the vendor. */
const runnerOver = (useResponses: boolean) => () =>
  new Runner({
    modelProvider: new OpenAIProvider({
      apiKey: 'local',
      baseURL: baseURL(),
      useResponses,
    }),
    tracingDisabled: true,
  });

const weatherAgent = (given: unknown[]) =>
  new Agent({
    name: 'Forecaster',
    instructions: 'Ask the tool about the weather.',
    model: 'toolcall',
    tools: [
      tool({
        name: TOOL_CALL.name,
        description: 'The weather in a city.',
        parameters: weatherParameters,
        execute: (input) => {
          given.push(input);
          return 'Warm and sunny.';
        },
      }),
    ],
  });

describe.each([
  ['chat completions', false],
  ['responses', true],
])('over %s', (_api, useResponses) => {
  const runner = runnerOver(useResponses);

  it('an agent answers', async () => {
    const agent = new Agent({ name: 'Talker', instructions: 'Be brief.', model: 'scripted' });
    const result = await runner().run(agent, 'Hello?');
    expect(result.finalOutput).toBe(SCRIPTED_SENTENCE);
    const { usage } = result.state;
    expect(usage.outputTokens).toBe(22);
    expect(usage.totalTokens).toBe(usage.inputTokens + 22);
  });

  it('an agent calls its tool and answers with the result', async () => {
    const given: unknown[] = [];
    const result = await runner().run(weatherAgent(given), QUESTION);
    expect(given).toEqual([TOOL_CALL.arguments]);
    expect(result.finalOutput).toBe(AFTER_TOOL_SENTENCE);
    expect(result.state.usage.requests).toBe(2);
  });

  it('the same in a stream', async () => {
    const given: unknown[] = [];
    const stream = await runner().run(weatherAgent(given), QUESTION, { stream: true });
    let text = '';
    for await (const event of stream) {
      if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') {
        text += event.data.delta;
      }
    }
    await stream.completed;
    expect(given).toEqual([TOOL_CALL.arguments]);
    expect(text).toBe(AFTER_TOOL_SENTENCE);
    expect(stream.finalOutput).toBe(AFTER_TOOL_SENTENCE);
  });

  it('an agent hands over to another one', async () => {
    const triage = new Agent({
      name: 'Triage',
      model: 'toolcall',
      modelSettings: { toolChoice: 'required', parallelToolCalls: false },
      handoffs: [weatherAgent([])],
    });
    const result = await runner().run(triage, QUESTION);
    expect(result.lastAgent?.name).toBe('Forecaster');
    // The handover counts as a tool's answer.
    expect(result.finalOutput).toBe(AFTER_TOOL_SENTENCE);
  });

  it('an output type validates', async () => {
    const agent = new Agent({ name: 'Judge', model: 'random', outputType: verdictSchema });
    const result = await runner().run(agent, 'Hi.');
    expect(verdictSchema.safeParse(result.finalOutput).success).toBe(true);
  });

  it('an abort ends the run and frees the engine', async () => {
    const controller = new AbortController();
    const agent = new Agent({ name: 'Endless', model: 'scripted-long' });
    const stream = await runner().run(agent, 'Go.', { stream: true, signal: controller.signal });
    for await (const event of stream) {
      if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') {
        controller.abort();
      }
    }
    await test().idle();
  });
});

it('a conversation goes on, sent again or kept by the server', async () => {
  const runner = runnerOver(true)();
  const agent = new Agent({ name: 'Thinker', instructions: 'Think.', model: 'thinking' });
  const first = await runner.run(agent, 'How many apples?');
  expect(first.finalOutput).toBe(THINKING_ANSWER);
  const again = { role: 'user' as const, content: 'And now?' };
  const sent = await runner.run(agent, [...first.history, again]);
  const kept = await runner.run(agent, 'And now?', {
    previousResponseId: first.lastResponseId ?? '',
  });
  expect(sent.finalOutput).toBe(THINKING_ANSWER);
  expect(kept.state.usage.inputTokens).toBe(sent.state.usage.inputTokens);
});
