// Calls of functions over a real server, a model that is wired to call one, and the official client.
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AFTER_TOOL_SENTENCE,
  SCRIPTED_SENTENCE,
  TOOL_CALL,
} from '../../scripts/test-models/scripts.js';
import { startTestServer, type TestServer } from '../test-server.js';
import { ASK_WEATHER, eventsOf } from './test-responses.js';

let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({ models: ['scripted', 'toolcall', 'toolcalls'] });
});
afterAll(() => test.close());

describe('functions', () => {
  it('are called, answered with previous_response_id, and told of', async () => {
    const first = await test.client.responses.create(ASK_WEATHER);
    const [call] = first.output;
    if (call?.type !== 'function_call') throw new Error('expected a call');
    expect(call).toMatchObject({ name: TOOL_CALL.name, status: 'completed' });
    expect(JSON.parse(call.arguments)).toEqual(TOOL_CALL.arguments);
    expect(call.id).toMatch(/^fc_/);
    expect(call.call_id).toMatch(/^call_/);
    const second = await test.client.responses.create({
      ...ASK_WEATHER,
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'Sunny.' }],
    });
    expect(second.output_text).toBe(AFTER_TOOL_SENTENCE);
    expect(second.previous_response_id).toBe(first.id);
  });

  it('may be sent back as items instead, as agents do', async () => {
    const { output } = await test.client.responses.create({ ...ASK_WEATHER, store: false });
    const calls = output.filter((item) => item.type === 'function_call');
    const second = await test.client.responses.create({
      ...ASK_WEATHER,
      input: [
        { role: 'user', content: [{ type: 'input_text', text: ASK_WEATHER.input }] },
        ...(output as ResponseInputItem[]),
        ...calls.map(({ call_id }) => ({
          type: 'function_call_output' as const,
          ...{ call_id, output: [{ type: 'input_text' as const, text: 'Sunny.' }] },
        })),
      ],
    });
    expect(second.output_text).toBe(AFTER_TOOL_SENTENCE);
  });

  it('are called where they must be, and not where they may not', async () => {
    for (const tool_choice of [
      'required' as const,
      { type: 'function' as const, name: TOOL_CALL.name },
      {
        type: 'allowed_tools' as const,
        mode: 'required' as const,
        tools: [{ type: 'function', name: TOOL_CALL.name }],
      },
    ]) {
      const { output } = await test.client.responses.create({ ...ASK_WEATHER, tool_choice });
      expect(output.at(-1)).toMatchObject({ type: 'function_call', name: TOOL_CALL.name });
    }
    const none = await test.client.responses.create({ ...ASK_WEATHER, tool_choice: 'none' });
    expect(none.output_text).toBe(SCRIPTED_SENTENCE);
  });

  it('are called once where they are named, else as often as the model likes', async () => {
    const callsOf = async (tool_choice: 'required' | { type: 'function'; name: string }) => {
      const { output, parallel_tool_calls: parallel } = await test.client.responses.create({
        ...{ ...ASK_WEATHER, model: 'toolcalls', max_output_tokens: 100, tool_choice },
      });
      // What was asked for is told as it was.
      expect(parallel).toBe(true);
      return output.filter(({ type }) => type === 'function_call');
    };
    const once = await callsOf({ type: 'function', name: TOOL_CALL.name });
    expect(once).toMatchObject([{ name: TOOL_CALL.name, status: 'completed' }]);
    expect((await callsOf('required')).length).toBeGreaterThan(1);
  });

  it('stream their arguments in pieces', async () => {
    const events = await eventsOf(test.client, ASK_WEATHER);
    const added = events.find((event) => event.type === 'response.output_item.added');
    const pieces = events.filter(({ type }) => type === 'response.function_call_arguments.delta');
    const done = events.find(({ type }) => type === 'response.function_call_arguments.done');
    const text = pieces.map((event) => (event as { delta: string }).delta).join('');
    expect(JSON.parse(text)).toEqual(TOOL_CALL.arguments);
    expect(done).toMatchObject({ arguments: text, name: TOOL_CALL.name });
    expect(added).toMatchObject({ item: { arguments: '', status: 'in_progress' } });
  });
});

describe('input_tokens', () => {
  it('are what a response counts, with tools and with what came before', async () => {
    const first = await test.client.responses.create(ASK_WEATHER);
    const [call] = first.output;
    if (call?.type !== 'function_call') throw new Error('expected a call');
    const next = {
      ...ASK_WEATHER,
      previous_response_id: first.id,
      instructions: 'Be brief.',
      input: [{ type: 'function_call_output' as const, call_id: call.call_id, output: 'Sunny.' }],
    };
    for (const body of [ASK_WEATHER, next, { model: 'scripted', input: 'Hi.' }]) {
      const { input_tokens: counted } = await test.client.responses.inputTokens.count(body);
      const { usage } = await test.client.responses.create(body);
      expect(counted).toBe(usage?.input_tokens);
    }
  });
});
