/** A real server for integration tests: real sockets, real engine processes, small real models. */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import OpenAI from 'openai';
import { afterEach } from 'vitest';
import { type ServerConfigInput, serverConfigSchema } from '../protocol/config.js';
import type { ServerState } from '../protocol/models.js';
import {
  type ChatCompletion,
  type ChatCompletionChunk,
  errorBodySchema,
} from '../protocol/openai.js';
import type { TestModelName } from '../scripts/test-models/catalogue.js';
import { ensureTestModels } from '../scripts/test-models/test-models.js';
import { type EngineProcess, spawnChildProcess } from './engine/spawn.js';
import { type RunningServer, startServer } from './server.js';

const REPO = path.resolve(import.meta.dirname, '..');
const ENTRY = path.join(REPO, 'out', 'server', 'engine.js');

export interface TestServer {
  server: RunningServer;
  /** Temporary; holds `models`. */
  dataDir: string;
  modelsDir: string;
  port: number;
  client: OpenAI;
  /** Engine processes, in order of start. */
  engines: EngineProcess[];
  /** POST to /v1/chat/completions. */
  chat(body: unknown, init?: RequestInit): Promise<Response>;
  /** POST to any route. */
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
  /** POST to /v1/chat/completions, collected; fails where it is refused. */
  answer(body: object): Promise<ChatCompletion>;
  /** The same, streamed: the text of all events. */
  streamed(body: object): Promise<string>;
  /** Resolves with the first state, now or later, for which the predicate holds. */
  until(predicate: (state: ServerState) => boolean): Promise<ServerState>;
  /** Resolves when nothing runs and nobody waits. */
  idle(): Promise<ServerState>;
  /** Sends bytes as they are and returns all that comes back until the connection closes. */
  raw(text: string): Promise<string>;
  /** Stops the server and leaves the folders. */
  stop(): Promise<void>;
  /** Stops the server and removes the folders. */
  close(): Promise<void>;
}

export interface TestServerOptions {
  /** Copied into the models folder; the first is current. */
  models?: readonly TestModelName[];
  config?: Partial<ServerConfigInput>;
  /** What is in settings.json when it starts. */
  settings?: object;
  /** An earlier server's, to start on it again. */
  dataDir?: string;
  /** The name of the data folder, below a temporary one. */
  folder?: string;
  /** Stands between the server and its engine processes. */
  wrap?: (engine: EngineProcess) => EngineProcess;
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const built = [ENTRY, path.join(REPO, 'out', 'native', 'engine.node')];
  for (const file of built) {
    if (!existsSync(file)) throw new Error(`${file} is missing: run "npm run setup" first.`);
  }
  const { models = [], folder = 'data', wrap = (engine) => engine } = options;
  const dataDir =
    options.dataDir ?? path.join(await mkdtemp(path.join(os.tmpdir(), 'pilotlight-test-')), folder);
  const modelsDir = path.join(dataDir, 'models');
  await putModels(modelsDir, models);
  if (options.settings !== undefined) {
    await writeFile(path.join(dataDir, 'settings.json'), JSON.stringify(options.settings));
  }
  const engines: EngineProcess[] = [];
  const spawn = spawnChildProcess(ENTRY);
  const config = serverConfigSchema.parse({
    port: 0,
    modelsDir,
    dataDir,
    model: models[0] ?? null,
    contextLength: 2048,
    threads: 1,
    ...options.config,
  });
  const server = await startServer(config, () => {
    const engine = wrap(spawn());
    engines.push(engine);
    return engine;
  });
  const port = Number(new URL(server.url).port);
  const post: TestServer['post'] = (path, body, init = {}) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...init,
    });
  const chat: TestServer['chat'] = (body, init) => post('/v1/chat/completions', body, init);
  const until: TestServer['until'] = (predicate) =>
    new Promise((resolve) => {
      const look = (state: ServerState) => {
        if (!predicate(state)) return;
        unsubscribe();
        resolve(state);
      };
      const unsubscribe = server.state.subscribe(look);
      look(server.state.now());
    });
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
  return {
    server,
    dataDir,
    modelsDir,
    port,
    client,
    engines,
    post,
    chat,
    answer: async (body) => JSON.parse(await successText(await chat(body))),
    streamed: async (body) => successText(await chat({ ...body, stream: true })),
    until,
    idle: () => until(({ running, waiting }) => running === 0 && waiting === 0),
    raw: (text) => exchange(port, text),
    stop: () => server.close(),
    close: async () => {
      await server.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function putModels(modelsDir: string, names: readonly TestModelName[]): Promise<void> {
  const files = await ensureTestModels(path.join(REPO, 'out', 'test-models'));
  await mkdir(modelsDir, { recursive: true });
  for (const name of names) {
    const file = path.join(modelsDir, `${name}.gguf`);
    await copyFile(files[name], file);
    // As a file that came to rest long ago.
    await utimes(file, 1_700_000_000, 1_700_000_000);
  }
}

function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(text));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}

async function successText(response: Response): Promise<string> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return text;
}

export interface Failure {
  status: number;
  message: string;
  type: string;
  param: string | null;
  code: string | null;
}

/** A refusal, whose body must be JSON and have exactly the four keys. */
export async function failure(response: Response): Promise<Failure> {
  const type = response.headers.get('content-type');
  if (type !== 'application/json; charset=utf-8') throw new Error(`the answer is ${type}`);
  const { error } = errorBodySchema.strict().parse(await response.json());
  const keys = Object.keys(error).join();
  if (keys !== 'message,type,param,code') throw new Error(`the error has ${keys}`);
  return { status: response.status, ...error };
}

export const contentOf = (answer: ChatCompletion) => answer.choices[0]?.message.content;

export const user = (content: string) => ({ role: 'user' as const, content });

/** The payloads of a stream of server-sent events, comments left out. */
export function payloads(text: string): string[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length));
}

/** The chunks of a stream. */
export function chunksOf(text: string): ChatCompletionChunk[] {
  const chunks = payloads(text).filter((payload) => payload !== '[DONE]');
  return chunks.map((payload) => JSON.parse(payload));
}

export interface Collected {
  content: string;
  reasoning: string;
  finishReason: string | null;
  usage: { prompt_tokens: number; completion_tokens: number } | null;
}

/** Reads a stream to its end and joins what belongs together. */
export function join(text: string): Collected {
  const result: Collected = { content: '', reasoning: '', finishReason: null, usage: null };
  for (const chunk of chunksOf(text)) {
    const [choice] = chunk.choices;
    result.content += choice?.delta.content ?? '';
    result.reasoning += choice?.delta.reasoning_content ?? '';
    result.finishReason = choice?.finish_reason ?? result.finishReason;
    result.usage = chunk.usage ?? result.usage;
  }
  return result;
}

/** Starts servers for the tests of one file; each is closed after its test. */
export function testServers(): (options?: TestServerOptions) => Promise<TestServer> {
  const started: TestServer[] = [];
  afterEach(async () => {
    const all = started.splice(0);
    // Several may have had one folder: nobody writes there any more when it goes.
    for (const server of all) await server.stop();
    for (const server of all) await server.close();
  });
  return async (options = {}) => {
    const server = await startTestServer(options);
    started.push(server);
    return server;
  };
}

export const isLoaded = (id: string) => (state: ServerState) =>
  state.models.some((model) => model.id === id && model.status === 'loaded');

/** The text of a short answer. */
export async function say(test: TestServer, model?: string): Promise<string> {
  const { choices } = await test.answer({ model, messages: [user('Hi.')], max_tokens: 40 });
  return choices.map(({ message }) => message.content).join();
}

export function putCurrentModel(test: TestServer, body: unknown): Promise<Response> {
  return fetch(`${test.server.url}/pilotlight/current-model`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
