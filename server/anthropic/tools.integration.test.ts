// A real server, engine and socket, a model that is wired to call a tool; the official client.
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AFTER_TOOL_SENTENCE, TOOL, TOOL_CALL } from '../../scripts/test-models/scripts.js';
import { startTestServer, type TestServer, user } from '../test-server.js';

let test: TestServer;
let client: Anthropic;
beforeAll(async () => {
  test = await startTestServer({ models: ['toolcall', 'toolcalls'] });
  client = new Anthropic({ baseURL: test.server.url, apiKey: 'none', maxRetries: 0 });
});
afterAll(() => test.close());

const request = {
  model: 'toolcall',
  max_tokens: 300,
  messages: [user('What is the weather in Rome?')] as Anthropic.MessageParam[],
  tools: [{ name: TOOL.name, description: TOOL.description, input_schema: TOOL.parameters }],
};

const callsOf = ({ content }: Anthropic.Message) =>
  content.filter((block) => block.type === 'tool_use');

describe('a model that calls a tool', () => {
  it('asks in a block of its own, whose input comes in pieces', async () => {
    const pieces: string[] = [];
    const stream = client.messages.stream(request);
    stream.on('inputJson', (piece) => pieces.push(piece));
    const message = await stream.finalMessage();
    expect(message.stop_reason).toBe('tool_use');
    const [call] = callsOf(message);
    expect(call).toMatchObject({ name: TOOL_CALL.name, input: TOOL_CALL.arguments });
    expect(call?.id).toMatch(/^toolu_./);
    expect(pieces.length).toBeGreaterThan(1);
    expect(JSON.parse(pieces.join(''))).toEqual(TOOL_CALL.arguments);
    const collected = await client.messages.create(request);
    expect(collected.stop_reason).toBe('tool_use');
    expect(callsOf(collected)).toMatchObject([{ input: TOOL_CALL.arguments }]);
  });

  it('goes on with the result', async () => {
    const first = await client.messages.create(request);
    const results = callsOf(first).map(({ id }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: [{ type: 'text' as const, text: 'Sunny.' }],
    }));
    const messages: Anthropic.MessageParam[] = [
      ...request.messages,
      { role: 'assistant', content: first.content as Anthropic.ContentBlockParam[] },
      { role: 'user', content: results },
    ];
    const second = await client.messages.create({ ...request, tools: [], messages });
    expect(second.content).toMatchObject([{ type: 'text', text: AFTER_TOOL_SENTENCE }]);
    expect(second.stop_reason).toBe('end_turn');
  });

  it('runs through the official helper', async () => {
    const asked: unknown[] = [];
    const runner = client.beta.messages.toolRunner({
      ...request,
      // The model is wired to call again and again.
      max_iterations: 2,
      messages: [user('What is the weather in Rome?')],
      tools: [
        {
          ...request.tools[0],
          name: TOOL_CALL.name,
          input_schema: { type: 'object' },
          parse: (given: unknown) => given,
          run: (given: unknown) => {
            asked.push(given);
            return 'Sunny.';
          },
        } as never,
      ],
    });
    await runner.runUntilDone();
    expect(asked[0]).toEqual(TOOL_CALL.arguments);
    // It holds the whole conversation: the question, the call and its result.
    expect(runner.params.messages.length).toBeGreaterThanOrEqual(3);
  });

  it('calls where it must, and not where it may not', async () => {
    for (const tool_choice of [
      { type: 'any' as const },
      { type: 'tool' as const, name: TOOL_CALL.name, disable_parallel_tool_use: true },
    ]) {
      const message = await client.messages.create({ ...request, tool_choice });
      expect(callsOf(message)[0]?.name).toBe(TOOL_CALL.name);
      expect(message.stop_reason).toBe('tool_use');
    }
    const none = await client.messages.create({ ...request, tool_choice: { type: 'none' } });
    expect(callsOf(none)).toEqual([]);
  });

  it('calls a tool that is named once, others as often as it likes', async () => {
    const again = { ...request, model: 'toolcalls', max_tokens: 100 };
    const tool_choice = { type: 'tool' as const, name: TOOL_CALL.name };
    const once = await client.messages.create({ ...again, tool_choice });
    expect(callsOf(once)).toMatchObject([{ name: TOOL_CALL.name, input: TOOL_CALL.arguments }]);
    expect(once.stop_reason).toBe('tool_use');
    const many = await client.messages.create({ ...again, tool_choice: { type: 'any' } });
    expect(callsOf(many).length).toBeGreaterThan(1);
  });

  it('has tools counted as part of its prompt', async () => {
    const { max_tokens: _, ...prompt } = request;
    const { input_tokens } = await client.messages.countTokens(prompt);
    const { usage } = await client.messages.create(request);
    expect(input_tokens).toBe(usage.input_tokens);
    const bare = await client.messages.countTokens({ ...prompt, tools: [] });
    expect(bare.input_tokens).toBeLessThan(input_tokens);
  });

  it('is told as far as it got where the answer is cut short', async () => {
    for (let max_tokens = 1; max_tokens < 16; max_tokens++) {
      const cut = { ...request, max_tokens };
      const collected = await client.messages.create(cut);
      const streamed = await client.messages.stream(cut).finalMessage();
      const known = ({ content }: Anthropic.Message) =>
        content.map((block) => (block.type === 'tool_use' ? { ...block, id: '' } : block));
      expect(known(collected)).toMatchObject(known(streamed));
    }
  });
});
