// A model that is wired to call get_weather, and real tool servers.
import { describe, expect, it, vi } from 'vitest';
import type { MessagePart } from '../../protocol/chats.js';
import { mcpServerListSchema } from '../../protocol/mcp.js';
import { AFTER_TOOL_SENTENCE, TOOL_CALL } from '../../scripts/test-models/scripts.js';
import { testProgram } from '../mcp/test-program.js';
import type { TestServer } from '../test-server.js';
import { addUpstream } from '../upstreams/test-upstreams.js';
import {
  answerIn,
  askIn,
  type ChatWindow,
  getChat,
  hasEnded,
  newChat,
  openWindow,
  request,
  saidIn,
  testChatServers,
} from './test-chats.js';

const start = testChatServers();

type ToolCall = Extract<MessagePart, { type: 'tool_call' }>;

function callsIn(window: ChatWindow, id: string | undefined): ToolCall[] {
  const message = window.chat?.messages.find((each) => each.id === id);
  const parts = message?.role === 'assistant' ? message.parts : [];
  return parts.filter((part) => part.type === 'tool_call');
}

const isInState = (id: string | undefined, state: ToolCall['state']) => (window: ChatWindow) =>
  callsIn(window, id).some((call) => call.state === state);

async function startTools(test: TestServer, how = 'plain', id = 'weather'): Promise<void> {
  await request(test, 'PUT', '/mcp/servers', { mcpServers: { [id]: testProgram(how) } });
  await request(test, 'PATCH', `/mcp/servers/${id}`, { enabled: true });
}

const allow = (test: TestServer, consent: object, id = 'weather') =>
  request(test, 'PATCH', `/mcp/servers/${id}`, { consent });

async function serversOf(test: TestServer) {
  return mcpServerListSchema.parse(await request(test, 'GET', '/mcp/servers')).servers;
}

interface Asked {
  test: TestServer;
  window: ChatWindow;
  chat: string;
  answer: string;
  decide(decision: string, call?: ToolCall): Promise<unknown>;
}

/** Asks the model that calls; `how`: of the tools. */
interface AskOptions {
  how?: string;
  settings?: object;
  consent?: object;
  config?: { contextLength: number };
}

async function ask(options: AskOptions = {}) {
  const { how = 'plain', settings = {}, consent, config = {} } = options;
  const test = await start({ models: ['toolcall'], config });
  await startTools(test, how);
  if (consent) await allow(test, consent);
  return askAgain(test, settings);
}

async function askAgain(test: TestServer, settings: object = {}, open?: string): Promise<Asked> {
  const chat = open ?? (await newChat(test, { settings })).id;
  const window = await openWindow(test, chat);
  const parent_id = window.chat?.leaf_id ?? null;
  const { answer_ids } = await askIn(test, chat, 'What is the weather in Rome?', { parent_id });
  const [answer = ''] = answer_ids;
  const decide = (decision: string, call = callsIn(window, answer).at(-1)) =>
    request(test, 'POST', `/chats/${chat}/messages/${answer}/tools/${call?.id}`, { decision });
  return { test, window, chat, answer, decide };
}

describe('a call of a tool', () => {
  it('waits for the person, is run, and its result is told to the model', async () => {
    const { test, window, chat, answer, decide } = await ask();
    await window.until(isInState(answer, 'waiting'));
    const [call] = callsIn(window, answer);
    expect(call).toMatchObject({
      ...{ server: 'weather', tool: 'get_weather', step: 0, result: null, reason: null },
    });
    expect(JSON.parse(call?.arguments ?? '')).toEqual(TOOL_CALL.arguments);
    await decide('once');
    await window.until(hasEnded(answer));
    const { status, parts, measure } = answerIn(window.chat, answer);
    expect(status).toBe('complete');
    expect(parts.at(-1)).toEqual({ type: 'text', text: AFTER_TOOL_SENTENCE });
    const { city } = TOOL_CALL.arguments;
    expect(callsIn(window, answer)).toMatchObject([
      { state: 'done', result: `22 °C and sunny in ${city}.`, ms: expect.any(Number) },
    ]);
    expect(measure?.output_tokens).toBeGreaterThan(20);
    await window.until((seen) => seen.chat?.answering === false);
    expect(await getChat(test, chat)).toEqual(window.chat);
    await expect(decide('once')).rejects.toThrow('409');
    // It waits each time, in the same chat too.
    const again = await askAgain(test, {}, chat);
    await again.window.until(isInState(again.answer, 'waiting'));
  });

  it('is not asked about again in a chat where it was allowed', async () => {
    const { test, window, chat, answer, decide } = await ask();
    await window.until(isInState(answer, 'waiting'));
    await decide('chat');
    await window.until(hasEnded(answer));
    const again = await askAgain(test, {}, chat);
    await again.window.until(hasEnded(again.answer));
    expect(callsIn(again.window, again.answer)).toMatchObject([{ state: 'done' }]);
    const other = await askAgain(test);
    await other.window.until(isInState(other.answer, 'waiting'));
    await other.decide('always');
    await other.window.until(hasEnded(other.answer));
    const [server] = await serversOf(test);
    const tool = server?.tools.find(({ name }) => name === 'get_weather');
    expect(tool?.consent).toBe('always');
  });

  it('that is refused is told to the model, which goes on', async () => {
    const { window, answer, decide } = await ask();
    await window.until(isInState(answer, 'waiting'));
    await decide('refuse');
    await window.until(hasEnded(answer));
    expect(callsIn(window, answer)).toMatchObject([{ state: 'refused', reason: 'person' }]);
    expect(saidIn(answerIn(window.chat, answer))).toContain(AFTER_TOOL_SENTENCE);
  });

  it('ends with the answer when that is stopped while it waits', async () => {
    const { test, window, chat, answer } = await ask();
    await window.until(isInState(answer, 'waiting'));
    await request(test, 'POST', `/chats/${chat}/messages/${answer}/stop`);
    await window.until(hasEnded(answer));
    expect(answerIn(window.chat, answer).status).toBe('stopped');
    expect(callsIn(window, answer)).toMatchObject([{ state: 'refused', reason: 'stopped' }]);
    // It goes on from there.
    await request(test, 'POST', `/chats/${chat}/messages/${answer}/continue`);
    await window.until((seen) => answerIn(seen.chat, answer).status === 'complete');
    expect(saidIn(answerIn(window.chat, answer))).toContain(AFTER_TOOL_SENTENCE);
    expect(callsIn(window, answer).length).toBe(1);
  });

  it('is cancelled when the answer is stopped while it runs', async () => {
    const { test, window, chat, answer } = await ask({
      ...{ how: 'stuck', consent: { get_weather: 'always' } },
    });
    await window.until(isInState(answer, 'running'));
    const logSays = (text: string) =>
      vi.waitFor(
        async () => {
          const [server] = await serversOf(test);
          expect(server?.log).toContain(text);
        },
        { timeout: 30_000 },
      );
    // A call that is stopped before its server has read it is never cancelled there.
    await logSays('get_weather was called');
    await request(test, 'POST', `/chats/${chat}/messages/${answer}/stop`);
    await window.until(hasEnded(answer));
    expect(answerIn(window.chat, answer).status).toBe('stopped');
    expect(callsIn(window, answer)).toMatchObject([{ state: 'refused', reason: 'stopped' }]);
    await logSays('get_weather was cancelled');
  });

  it('that ends its server fails, and the answer goes on', async () => {
    const { window, answer } = await ask({
      ...{ how: 'fragile', consent: { get_weather: 'always' } },
    });
    await window.until(hasEnded(answer));
    expect(answerIn(window.chat, answer).status).toBe('complete');
    const [call] = callsIn(window, answer);
    expect(call).toMatchObject({ state: 'failed', reason: 'server' });
    expect(call?.result).toContain('The call failed.');
  });

  it('is kept when the server ends while it waits', async () => {
    const { test, window, chat, answer } = await ask();
    await window.until(isInState(answer, 'waiting'));
    await test.stop();
    const next = await start({ models: ['toolcall'], dataDir: test.dataDir });
    const found = answerIn(await getChat(next, chat), answer);
    expect(found.status).toBe('interrupted');
    expect(found.parts.at(-1)).toMatchObject({ state: 'refused', reason: 'stopped' });
  });

  it('is never made where the tool is off, and the model is not told of it', async () => {
    const { window, answer } = await ask({ settings: { tools: [] } });
    await window.until(hasEnded(answer));
    expect(callsIn(window, answer)).toEqual([]);
  });

  it('of a server that is gone fails, and the answer goes on', async () => {
    const { test, window, answer, decide } = await ask();
    await window.until(isInState(answer, 'waiting'));
    await request(test, 'DELETE', '/mcp/servers/weather');
    await decide('once');
    await window.until(hasEnded(answer));
    expect(callsIn(window, answer)).toMatchObject([{ state: 'failed', reason: 'unknown' }]);
    expect(answerIn(window.chat, answer).status).toBe('complete');
  });
});

describe('an answer with tools', () => {
  it('finds its tool among many others', async () => {
    const others = Array.from({ length: 200 }, (_, n) => [`tool_${n}`, n < 40 ? 'ask' : 'never']);
    const { window, answer } = await ask({
      how: 'many',
      consent: { ...Object.fromEntries(others), get_weather: 'always' },
      config: { contextLength: 4096 },
    });
    await window.until(hasEnded(answer));
    expect(answerIn(window.chat, answer)).toMatchObject({ status: 'complete', failure: null });
    expect(callsIn(window, answer)).toMatchObject([{ state: 'done' }]);
  });

  it('says that its tools are a part of a prompt that is too long', async () => {
    const { window, answer } = await ask({ how: 'many' });
    await window.until(hasEnded(answer));
    const { failure } = answerIn(window.chat, answer);
    expect(failure?.code).toBe('context_length_exceeded');
    expect(failure?.message).toContain('describes 209 tools');
  });

  it('goes on without a tool that the engine cannot be told of, which is said', async () => {
    const { test, window, answer } = await ask({
      ...{ how: 'broken', consent: { get_weather: 'always' } },
    });
    await window.until(hasEnded(answer));
    expect(answerIn(window.chat, answer)).toMatchObject({ status: 'complete' });
    const [server] = await serversOf(test);
    expect(server?.tools.find(({ name }) => name === 'broken')?.unusable).toContain('broken');
  });

  it('has a limit of steps', async () => {
    const test = await start({ models: ['toolcall'] });
    await startTools(test);
    await allow(test, { get_weather: 'always' });
    const { window, answer } = await askAgain(test, { max_tool_steps: 1 });
    await window.until(hasEnded(answer));
    expect(answerIn(window.chat, answer).status).toBe('complete');
    expect(callsIn(window, answer).filter(({ state }) => state === 'done').length).toBe(1);
  });

  it('of another server calls the tools of this one', async () => {
    const other = await start({ models: ['toolcall'] });
    const test = await start({ models: ['scripted'] });
    await addUpstream(test, { url: other.server.url });
    await startTools(test);
    await allow(test, { get_weather: 'always' });
    const { window, answer } = await askAgain(test, { model: 'toolcall' });
    await window.until(hasEnded(answer));
    expect(callsIn(window, answer)).toMatchObject([{ state: 'done' }]);
    expect(saidIn(answerIn(window.chat, answer))).toContain(AFTER_TOOL_SENTENCE);
  });

  it('of another server that knows no tools is made without them', async () => {
    const other = await start({ models: ['scripted'] });
    const test = await start();
    await addUpstream(test, { url: other.server.url });
    await startTools(test);
    const { window, answer } = await askAgain(test, { model: 'scripted' });
    await window.until(hasEnded(answer));
    expect(answerIn(window.chat, answer)).toMatchObject({ status: 'complete', failure: null });
  });

  it('of a model that knows no tools is made without them', async () => {
    const test = await start({ models: ['scripted'] });
    await startTools(test);
    const { window, answer } = await askAgain(test);
    await window.until(hasEnded(answer));
    expect(answerIn(window.chat, answer)).toMatchObject({ status: 'complete', failure: null });
  });
});
