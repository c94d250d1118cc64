/** A server with something of everything on it: what the window can show, without a step of preparation. */
import fs from 'node:fs/promises';
import { expect } from '@playwright/test';
import { type Chat, chatSchema } from '../protocol/chats.js';
import { mcpServerListSchema } from '../protocol/mcp.js';
import { TestHub } from '../server/hub/test-hub.js';
import { testProgram } from '../server/mcp/test-program.js';
import { chatOf } from './chat-api.js';
import { newChat, newFolder } from './chats-api.js';
import { addUpstream, BUSY, ECHO, post, STALLED, startEchoServer } from './echo-server.js';
import { testModelFile } from './folders.js';
import { serve } from './serve.js';

export const REPO = 'ada/scripted-gguf';

export interface World {
  url: string;
  /** Ids of chats. */
  chats: Record<'answered' | 'compared' | 'refused' | 'thinking' | 'writing' | 'waiting', string>;
  stop(): Promise<void>;
}

const MARKDOWN = [
  '# A heading\n\nWords with `code`, **bold**, a [link](https://example.org/) and $a^2$.',
  '| A column | Another |\n| - | - |\n| One | Two |',
  '```js\nconst answer = question + ", and a line that is long enough to be scrolled sideways on a small screen";\n```',
  '- One\n- Two\n\n> Quoted\n\n\\[ \\frac{1}{2} \\]',
].join('\n\n');

export async function windowWorld(): Promise<World> {
  const hub = await TestHub.start();
  const model = await fs.readFile(await testModelFile('scripted'));
  hub.addRepo(REPO, { files: { 'scripted-Q4_K_M.gguf': model }, downloads: 1_234_567 });
  const echo = await startEchoServer();
  const server = await serve(['scripted', 'thinking', 'toolcall', 'not-a-model'], [], {
    HF_ENDPOINT: hub.endpoint,
  });
  const { url } = server;
  const stop = async () => {
    await server.stop();
    await echo.stop();
    await hub.close();
  };
  try {
    await addUpstream(url, echo.url);
    const tools = `${url}/pilotlight/mcp/servers`;
    const added = await call('PUT', tools, { mcpServers: { weather: testProgram() } });
    const [weather] = mcpServerListSchema.parse(added).servers;
    await call('PATCH', `${tools}/${weather?.id}`, { enabled: true });
    await expect
      .poll(async () => mcpServerListSchema.parse(await call('GET', tools)).servers[0]?.status)
      .toBe('ready');
    await newChat(url, `${'long '.repeat(30)}title`);
    await newChat(url, 'قائمة التسوق', { pinned: true });
    await newChat(url, 'Trip', { archived: true });
    const { id } = await newFolder(url, 'Kitchen');
    await newChat(url, 'Tomatoes', { folder_id: id });
    const chats = {
      answered: await chatOf(url, ['Hello?', MARKDOWN], [ECHO]),
      compared: await chatOf(url, ['Both of you?'], ['scripted', ECHO]),
      refused: await chatOf(url, ['Now?'], [BUSY]),
      thinking: await chatOf(url, ['How many apples?'], ['thinking']),
      writing: await asked(url, 'This goes on and on.', STALLED),
      waiting: await asked(url, 'What is the weather in Rome?', 'toolcall'),
    };
    await expect
      .poll(async () => JSON.stringify(await chatAt(url, chats.waiting)))
      .toContain('"waiting"');
    await expect
      .poll(async () => JSON.stringify(await chatAt(url, chats.writing)))
      .toContain('This goes');
    return { url, chats, stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

/** A chat in which a model has been asked; gives its id. */
async function asked(url: string, text: string, model: string): Promise<string> {
  const { id } = await newChat(url, text);
  await post(`${url}/pilotlight/chats/${id}/messages`, { parent_id: null, text, models: [model] });
  return id;
}

async function chatAt(url: string, id: string): Promise<Chat> {
  return chatSchema.parse(await (await fetch(`${url}/pilotlight/chats/${id}`)).json());
}

async function call(method: string, url: string, body?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const sent = body ? { body: JSON.stringify(body) } : {};
  const response = await fetch(url, { method, headers, ...sent });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
