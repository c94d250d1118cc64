// Snippets are run as they are, with the programs that people run them with, against a real server.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Snippet } from '../../protocol/inspector.js';
import { user } from '../test-server.js';
import { type SnippetRequest, snippetsOf } from './snippets.js';
import { anyBody, hasCurl, hasPython } from './test-bodies.js';
import { inspectedServers } from './test-inspector.js';

const REPO = path.resolve(import.meta.dirname, '..', '..');
const KEY = 'pl-key';
const ANSWER = 'data: {"text":"Grüße"}\n\ndata: [DONE]\n\n';

let server: http.Server;
let url: string;
let folder: string;
/** What came in. */
const received: { url: string; headers: http.IncomingHttpHeaders; body: unknown }[] = [];

beforeAll(async () => {
  server = http.createServer(async (req, res) => {
    let text = '';
    for await (const chunk of req.setEncoding('utf8')) text += chunk;
    received.push({ url: req.url ?? '', headers: req.headers, body: JSON.parse(text) });
    const isStream = JSON.parse(text).stream === true;
    res.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
    res.end(isStream ? ANSWER : JSON.stringify({ data: [], text: 'Grüße' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Below the repository, so that JavaScript finds the official client.
  await mkdir(path.join(REPO, 'out'), { recursive: true });
  folder = await mkdtemp(path.join(REPO, 'out', 'snippets-'));
  await mkdir(path.join(folder, 'openai'));
  await writeFile(path.join(folder, 'openai', '__init__.py'), PYTHON_CLIENT);
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  received.length = 0;
});

/**
 * Stands for the official client, which a test cannot install: it takes what that takes, and sends what that sends. That
 * a method knows a name is not tried here.
 */
const PYTHON_CLIENT = `
import json, urllib.request
class Event:
    def __init__(self, text): self.text = text
    def model_dump_json(self, indent=None): return self.text
class Method:
    def __init__(self, client, path): self.client, self.path = client, path
    def create(self, *, extra_body=None, **named):
        request = urllib.request.Request(
            self.client.base_url + self.path, data=json.dumps({**named, **(extra_body or {})}).encode(),
            headers={"content-type": "application/json", "authorization": "Bearer " + self.client.api_key})
        text = urllib.request.urlopen(request).read().decode()
        return [Event(text)] if named.get("stream") else Event(text)
class OpenAI:
    def __init__(self, *, base_url, api_key):
        self.base_url, self.api_key = base_url, api_key
        self.completions = Method(self, "/completions")
        self.responses = Method(self, "/responses")
        self.embeddings = Method(self, "/embeddings")
        self.chat = type("Chat", (), {"completions": Method(self, "/chat/completions")})()
`;

async function run({ language, code }: Snippet): Promise<string> {
  const [program, ending] = {
    shell: ['bash', 'sh'],
    python: ['python3', 'py'],
    javascript: [process.execPath, 'mjs'],
  }[language] as [string, string];
  const file = path.join(folder, `snippet.${ending}`);
  await writeFile(file, code);
  const env = { ...process.env, PILOTLIGHT_API_KEY: KEY, PYTHONPATH: folder };
  const { stdout } = await promisify(execFile)(program, [file], { env });
  return stdout;
}

function snippet(
  request: Omit<SnippetRequest, 'url' | 'model'>,
  language: Snippet['language'],
  client: Snippet['client'],
): Snippet {
  const all = snippetsOf({ model: 'm', ...request, url });
  const found = all.find((each) => each.language === language && each.client === client);
  if (!found) throw new Error(`there is no snippet for ${language} with ${client}`);
  return found;
}

const CLIENTS = [
  ['shell', 'curl', hasCurl],
  ['python', 'urllib', hasPython],
  ['javascript', 'fetch', true],
] as const;

describe.each(CLIENTS)('%s with %s', (language, client, isHere) => {
  it.runIf(isHere)('sends the same body, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(anyBody, async (body) => {
        received.length = 0;
        await run(snippet({ route: '/v1/messages', body }, language, client));
        expect(received).toMatchObject([{ url: '/v1/messages' }]);
        // As text: a matcher may pass over a field of the name "__proto__".
        expect(JSON.stringify(received[0]?.body)).toBe(JSON.stringify(body));
        expect(received[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
        expect(received[0]?.headers['content-type']).toBe('application/json');
      }),
      { numRuns: 25 },
    );
  });

  it.runIf(isHere)(
    'sends what is longer than an argument may be, and deeper than is usual',
    async () => {
      let deep: unknown = 'x';
      for (let depth = 0; depth < 250; depth++) deep = depth % 2 === 0 ? [deep] : { deep };
      const body = { prompt: "It's ".repeat(100_000), deep };
      await run(snippet({ route: '/api/generate', body }, language, client));
      expect(received[0]?.body).toEqual(body);
    },
  );

  it.runIf(isHere)('shows the answer as it comes', async () => {
    const body = { stream: true };
    const said = await run(snippet({ route: '/v1/chat/completions', body }, language, client));
    expect(said).toBe(ANSWER);
  });
});

const ROUTES: [string, object, object][] = [
  [
    '/v1/chat/completions',
    { messages: [{ role: 'user', content: '"It\'s `$HOME`!"\n' }], temperature: 0, top_k: 3 },
    {},
  ],
  ['/v1/completions', { model: 'x', prompt: [1, 2], max_tokens: 3, min_p: 0.1, n: 2 }, {}],
  ['/v1/responses', { model: 'x', input: 'Hi.', store: false, priority: 'background' }, {}],
  ['/v1/embeddings', { input: ['a', 'b'] }, { encoding_format: 'float' }],
  ['/v1/embeddings', { input: 'a', encoding_format: 'base64', dimensions: 8, foo: null }, {}],
];

describe.each([
  ['python', hasPython],
  ['javascript', true],
] as const)('%s with openai', (language, isHere) => {
  it.runIf(isHere).each(ROUTES)('%s %j', async (route, body, added) => {
    for (const stream of route === '/v1/embeddings' ? [{}] : [{}, { stream: true }]) {
      received.length = 0;
      await run(snippet({ route, body: { ...body, ...stream } }, language, 'openai'));
      expect(received).toMatchObject([{ url: route }]);
      expect(received[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
      expect(received[0]?.body).toEqual({ model: 'm', ...body, ...added, ...stream });
    }
  });
});

describe('from a real server', () => {
  const start = inspectedServers();

  it.runIf(hasCurl && hasPython)('they ask it again', async () => {
    const { test, inspector } = await start({ config: { apiKeys: [KEY] } });
    await inspector.switch(true);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${KEY}` };
    for (const stream of [true, false]) {
      const body = { messages: [user('It\'s "me": $HOME `id` !!\n')], stream, max_tokens: 9 };
      await (await test.chat(body, { headers })).text();
      const asked = await inspector.last();
      for (const snippet of await inspector.snippets(asked.id)) {
        // The official client for Python is not here; see PYTHON_CLIENT.
        if (snippet.language === 'python' && snippet.client === 'openai') continue;
        expect(snippet.code).not.toContain(KEY);
        const said = await run(snippet);
        expect(said).toContain('chat.completion');
        const again = await inspector.last();
        expect(again.id).not.toBe(asked.id);
        expect(again).toMatchObject({ client: 'api-key', end: { status: 200 } });
        expect(again.prompts).toEqual(asked.prompts);
        expect(again.parameters).toEqual(asked.parameters);
      }
    }
  });
});

it('the official client is for its own routes, and for what it can send', () => {
  const clientsOf = (route: string, body: unknown, model: string | null = 'm') =>
    snippetsOf({ url, route, body, model }).map(({ client }) => client);
  const plain = ['curl', 'urllib', 'fetch'];
  const messages = [{ role: 'user', content: 'Hi.' }];
  expect(clientsOf('/v1/chat/completions', { messages })).toEqual([...plain, 'openai', 'openai']);
  expect(clientsOf('/v1/messages', { messages })).toEqual(plain);
  expect(clientsOf('/v1/chat/completions', { messages: null })).toEqual(plain);
  expect(clientsOf('/v1/chat/completions', { messages }, null)).toEqual(plain);
  expect(clientsOf('/v1/chat/completions', ['x'])).toEqual(plain);
});

it('no snippet has a key', () => {
  const all = snippetsOf({ url, route: '/v1/embeddings', body: { input: 'a' }, model: 'm' });
  for (const { code } of all) expect(code).toMatch(/PILOTLIGHT_API_KEY/);
});
