/** What the pictures of the window show: a server with models, chats, tools and a hub, all of it on this machine. */
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@playwright/test';
import { z } from 'zod';
import { chatSummarySchema } from '../protocol/chats.js';
import { DEFAULT_PORT } from '../protocol/config.js';
import type { ModelEntry } from '../protocol/models.js';
import { importPreviewSchema } from '../protocol/transfer.js';
import type { TestModelName } from '../scripts/test-models/catalogue.js';
import { TestHub } from '../server/hub/test-hub.js';
import { testProgram } from '../server/mcp/test-program.js';
import { serverState } from './api.js';
import { allChats } from './chats-api.js';
import { post } from './echo-server.js';
import { REPO, testModelFile } from './folders.js';
import { freePort } from './processes.js';
import { SCREEN_CHATS } from './screen-chats.js';
import { EVENING } from './screen-texts.js';
import { type Served, serve } from './serve.js';

/** A test model by the name that pictures show, as long as its own or shorter. */
const MODELS: readonly {
  id: string;
  name: string;
  from: TestModelName;
  bytes: number;
  parameters: string;
}[] = [
  { ...model('qwen3-8b', 'Qwen3 8B', 'thinking'), bytes: 5_027_783_488, parameters: '8.2B' },
  { ...model('gemma-3-4b', 'Gemma 3 4B', 'scripted'), bytes: 2_489_757_856, parameters: '3.9B' },
  {
    ...model('mistral-small-24b', 'Mistral Small 24B', 'toolcall'),
    ...{ bytes: 14_333_908_832, parameters: '23.6B' },
  },
  { ...model('nomic-embed', 'Nomic Embed', 'embed'), bytes: 274_290_560, parameters: '137M' },
];

function model(id: string, name: string, from: TestModelName) {
  return { id, name, from };
}

const PROGRAMS = [
  ['Continue/1.2', 'Name this function.'],
  ['OpenAI/Python 1.99', 'Sum up the attached minutes.'],
  ['LangChain/0.3', 'Which of these mails are urgent?'],
] as const;
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const NAME_OF_TEST = 'Pilotlight test model: ';

const HUB_REPOS: readonly { name: string; downloads: number; likes: number; total: number }[] = [
  { name: 'Qwen/Qwen3-8B-GGUF', downloads: 412_000, likes: 327, total: 8_190_735_360 },
  { name: 'ggml-org/gemma-3-12b-it-GGUF', downloads: 388_000, likes: 214, total: 11_765_788_416 },
  { name: 'ggml-org/gpt-oss-20b-GGUF', downloads: 351_000, likes: 183, total: 20_914_757_184 },
  {
    name: 'bartowski/Mistral-Small-24B-GGUF',
    downloads: 96_400,
    likes: 158,
    total: 23_572_403_200,
  },
  { name: 'ibm-granite/granite-3.3-8b-GGUF', downloads: 41_200, likes: 62, total: 8_170_848_256 },
  { name: 'HuggingFaceTB/SmolLM3-3B-GGUF', downloads: 23_800, likes: 71, total: 3_075_098_624 },
];
const QUANTISATIONS = [
  ['Q8_0', 1.063],
  ['Q6_K', 0.82],
  ['Q5_K_M', 0.712],
  ['Q4_K_M', 0.603],
  ['Q3_K_M', 0.498],
] as const;

/** A small file of which the larger part has come, and no more. */
const DOWNLOAD = {
  repo: 'HuggingFaceTB/SmolLM2-135M-GGUF',
  name: 'SmolLM2-135M-Q8_0',
  ...{ bytes: 144_811_360, received: 91_000_000 },
};

/** The model of another machine, which is in the middle of an answer for ever. */
const WRITER = 'qwen3-32b';
const DATA_SHOWN = '/home/robin/.local/share/pilotlight';

export class ScreenWorld {
  private constructor(
    readonly server: Served,
    readonly hub: TestHub,
    readonly writer: http.Server,
    /** Ids of the chats by title. */
    readonly chats: Map<string, string>,
    /** Opens the inspector. */
    readonly key: string,
    private readonly models: readonly ModelEntry[],
  ) {}

  static async start(): Promise<ScreenWorld> {
    const hub = await startHub();
    const writer = await startWriter();
    const settings = { port: await freePort(), preferences: { welcomed: true } };
    const server = await serve([], [], { HF_ENDPOINT: hub.endpoint }, settings);
    for (const model of MODELS) await putNamedModel(path.join(server.data, 'models'), model);
    const url = `http://127.0.0.1:${(writer.address() as AddressInfo).port}`;
    const upstream = { name: 'Workshop', url, models: null, enabled: true };
    const { id } = (await post(`${server.url}/pilotlight/upstreams`, upstream)) as { id: string };
    await post(`${server.url}/pilotlight/upstreams/${id}/check`, {});
    const there = async () => (await serverState(server.url)).models.map(({ id }) => id);
    await expect.poll(there).toEqual(expect.arrayContaining(MODELS.map(({ id }) => id)));
    await call('PUT', `${server.url}/pilotlight/current-model`, { model: 'qwen3-8b' });
    const status = async () => {
      const { models } = await serverState(server.url);
      return models.find(({ id }) => id === 'qwen3-8b')?.status;
    };
    await expect.poll(status).toBe('loaded');
    await importChats(server.url);
    await addTools(server.url);
    const key = await ownKey(server);
    const asked = await askEndless(server.url);
    const titles = [...(await allChats(server.url))].map(([title, { id }]) => [title, id] as const);
    const chats = new Map([...titles, ['writing', asked]]);
    const { models } = await serverState(server.url);
    return new ScreenWorld(server, hub, writer, chats, key, models);
  }

  /** Address of a page, or of a chat by its title. */
  address(place: string): string {
    const id = this.chats.get(place);
    return `${this.server.url}/${id === undefined ? place : `#/chat/${id}`}`;
  }

  /** What differs from run to run, and what a picture says in its place. */
  get shown(): readonly [string, string][] {
    return [
      [this.server.data, DATA_SHOWN],
      [`:${new URL(this.server.url).port}`, `:${DEFAULT_PORT}`],
      [`:${(this.writer.address() as AddressInfo).port}`, ':8000'],
      [testProgram().args?.[0] ?? '', 'weather-server'],
      [testProgram().command, 'npx'],
      [this.hub.endpoint, 'https://huggingface.co'],
      ...this.models.flatMap(({ id, parameters }): [string, string][] => {
        const known = MODELS.find((model) => model.id === id);
        return known && parameters
          ? [[`${compact.format(parameters)} parameters`, `${known.parameters} parameters`]]
          : [];
      }),
      ['F16', 'Q4_K_M'],
      ['up to 4K context', 'up to 32K context'],
      ['4K context', '32K context'],
      ['4,096', '32,768'],
    ];
  }

  /** Asks a question in a chat of this title, unless that has been done; gives the title. */
  async chat(title: string, model: string, text: string): Promise<string> {
    if (this.chats.has(title)) return title;
    const chats = `${this.server.url}/pilotlight/chats`;
    const { id } = chatSummarySchema.parse(await post(chats, { title }));
    await post(`${chats}/${id}/messages`, { parent_id: null, text, models: [model] });
    this.chats.set(title, id);
    return title;
  }

  /** Starts the download that stays under way. */
  async download(): Promise<void> {
    const { downloads } = await serverState(this.server.url);
    if (downloads.length > 0) return;
    const { repo, name, received } = DOWNLOAD;
    this.hub.misbehave({ kind: 'stall', at: received }, { times: 1_000 });
    const response = await fetch(`${this.server.url}/pilotlight/hub/models/${repo}`);
    const { revision } = z.object({ revision: z.string() }).parse(await response.json());
    await post(`${this.server.url}/pilotlight/downloads`, { repo, revision, name });
  }

  /** Asks as some programs would, so that there are requests to look at. */
  async ask(): Promise<void> {
    for (const [client, content] of PROGRAMS) {
      await fetch(`${this.server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': client },
        body: JSON.stringify({ model: 'qwen3-8b', messages: [{ role: 'user', content }] }),
      }).then((response) => response.text());
    }
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.hub.close();
    this.writer.closeAllConnections();
    await new Promise((resolve) => this.writer.close(resolve));
  }
}

/** Its name is written over the test model's, and zeros that are nowhere kept make the file as long as a real one. */
async function putNamedModel(
  folder: string,
  { id, name, from, bytes }: (typeof MODELS)[number],
): Promise<void> {
  const content = await fs.readFile(await testModelFile(from));
  const at = content.indexOf(NAME_OF_TEST);
  content.fill(' ', at, at + NAME_OF_TEST.length + from.length);
  content.write(name, at);
  const file = path.join(folder, `${id}.gguf`);
  await fs.writeFile(`${file}.part`, content);
  await fs.truncate(`${file}.part`, bytes);
  await fs.rename(`${file}.part`, file);
}

async function startHub(): Promise<TestHub> {
  const hub = await TestHub.start();
  const head = await fs.readFile(await testModelFile('scripted-long'));
  const ofSmall = QUANTISATIONS.map(([quantisation, share]) => {
    const size = Math.round((DOWNLOAD.bytes * share) / QUANTISATIONS[0][1]);
    return [`${DOWNLOAD.name.replace('Q8_0', quantisation)}.gguf`, { head, size }] as const;
  });
  hub.addRepo(DOWNLOAD.repo, {
    ...{ downloads: 18_300, likes: 44, license: 'apache-2.0', files: Object.fromEntries(ofSmall) },
    gguf: { total: 134_515_008, architecture: 'llama', context_length: 32_768 },
  });
  for (const { name, downloads, likes, total } of HUB_REPOS) {
    const short = path.posix.basename(name).replace(/-GGUF$/, '');
    const files = QUANTISATIONS.map(([quantisation, share]) => {
      const size = Math.round(total * share);
      return [`${short}-${quantisation}.gguf`, { head, size }] as const;
    });
    hub.addRepo(name, {
      ...{ downloads, likes, license: 'apache-2.0', task: 'text-generation' },
      files: Object.fromEntries(files),
      gguf: { total, architecture: 'llama', context_length: 32_768 },
    });
  }
  return hub;
}

/** Another OpenAI-compatible server, whose answers have no end. */
async function startWriter(): Promise<http.Server> {
  const server = http.createServer((request, response) => {
    if (request.url === '/v1/models') {
      const data = [{ id: WRITER, object: 'model', created: 0, owned_by: 'workshop' }];
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data }));
      return;
    }
    request.resume();
    response.setHeader('content-type', 'text/event-stream');
    for (const piece of EVENING.answer.match(/[\s\S]{1,6}/g) ?? []) {
      const choices = [{ index: 0, delta: { content: piece }, finish_reason: null }];
      const chunk = {
        id: 'c',
        object: 'chat.completion.chunk',
        created: 0,
        model: WRITER,
        choices,
      };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Tools that are there, and some that are switched off. */
async function addTools(url: string): Promise<void> {
  const servers = `${url}/pilotlight/mcp/servers`;
  const files = { command: 'npx', args: ['-y', 'files-server', '~/Documents'] };
  await call('PUT', servers, { mcpServers: { weather: testProgram(), files } });
  await call('PATCH', `${servers}/weather`, { enabled: true });
  await call('PATCH', `${servers}/files`, { enabled: false });
}

/** Asks the model whose answer stays under way; gives the chat's id. */
async function askEndless(url: string): Promise<string> {
  const chats = `${url}/pilotlight/chats`;
  const title = 'The lighthouse keeper and the fox';
  const { id } = chatSummarySchema.parse(await post(chats, { title }));
  await post(`${chats}/${id}/messages`, {
    ...{ parent_id: null, text: EVENING.question, models: [WRITER] },
  });
  return id;
}

/** The key that `pilotlight inspector key` prints. */
async function ownKey({ data }: Served): Promise<string> {
  const cli = path.join(REPO, 'out', 'cli', 'pilotlight.js');
  const run = promisify(execFile)(process.execPath, [cli, 'inspector', 'key', '--data', data]);
  return (await run).stdout.trim();
}

async function call(method: string, url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status}`);
}

async function importChats(url: string): Promise<void> {
  const imports = `${url}/pilotlight/transfer/imports`;
  const response = await fetch(`${imports}?name=chats.json`, {
    method: 'POST',
    body: JSON.stringify(SCREEN_CHATS),
  });
  const { id, refused } = importPreviewSchema.parse(await response.json());
  if (refused.length > 0) throw new Error(`Chats were refused: ${JSON.stringify(refused)}`);
  await post(`${imports}/${id}`, {});
}
