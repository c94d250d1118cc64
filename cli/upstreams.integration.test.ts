// A second Pilotlight, the built program with a data folder of its own, whose models this one offers.
import { copyFile, mkdir, mkdtemp, readFile, rm, utimes } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerState, serverStateSchema } from '../protocol/models.js';
import { TOOL_CALL } from '../scripts/test-models/scripts.js';
import { ensureTestModels } from '../scripts/test-models/test-models.js';
import { startTestServer, type TestServer, user } from '../server/test-server.js';
import { runCli } from './test-cli.js';
import { type Run, requireProgram, runProgram } from './test-program.js';

const KEY = 'sk-of-the-far-one';
const MODELS = ['random', 'toolcall', 'slow'] as const;

let folder: string;
let far: Run;
let farUrl: string;
let near: TestServer;
/** To the far one directly, and through the near one. */
let direct: OpenAI;
let through: OpenAI;

beforeAll(async () => {
  requireProgram();
  folder = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-far-'));
  const files = await ensureTestModels(path.resolve(import.meta.dirname, '../out/test-models'));
  await mkdir(path.join(folder, 'models'));
  for (const name of MODELS) {
    const file = path.join(folder, 'models', `${name}.gguf`);
    await copyFile(files[name], file);
    await utimes(file, 1_700_000_000, 1_700_000_000);
  }
  far = runProgram([
    ...['serve', '--port', '0', '--data', folder, '--model', 'random', '--api-key', KEY],
    ...['--ctx', '2048', '--threads', '1'],
  ]);
  [near, farUrl] = await Promise.all([startTestServer(), far.ready]);
  // Without the model that comes with it.
  const named = MODELS.flatMap((name) => ['--model', name]);
  const added = await upstreams('add', 'far', farUrl, '--key', KEY, ...named);
  expect(added).toMatchObject({ code: 0, stdout: '' });
  await near.until(({ models }) => models.length === MODELS.length);
  direct = new OpenAI({ baseURL: `${farUrl}/v1`, apiKey: KEY, maxRetries: 0 });
  through = near.client;
});
afterAll(async () => {
  await near.close();
  far.child.kill('SIGTERM');
  await far.ended;
  await rm(folder, { recursive: true });
});

const upstreams = (...args: string[]) => runCli(['upstreams', ...args, '--data', near.dataDir]);

/** As the far one tells it itself. */
async function farState(): Promise<ServerState> {
  const leaving = new AbortController();
  const events = await fetch(`${farUrl}/pilotlight/events`, {
    headers: { authorization: `Bearer ${KEY}` },
    signal: leaving.signal,
  });
  let text = '';
  for await (const chunk of events.body ?? []) {
    text += new TextDecoder().decode(chunk);
    if (text.includes('\n\n')) break;
  }
  leaving.abort();
  return serverStateSchema.parse(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? ''));
}

describe('the command line', () => {
  it('lists what it has added, and a running server follows', async () => {
    const listed = await upstreams('list');
    expect(listed.code).toBe(0);
    const [name, url, state, models] = listed.stdout.trimEnd().split('\t');
    expect([name, url, state]).toEqual(['far', farUrl, 'well']);
    expect(models?.split(', ').sort()).toEqual([...MODELS].sort());
    const { data } = await through.models.list();
    expect(data).toMatchObject(
      Array(MODELS.length).fill({ owned_by: 'far', source: 'upstream', status: 'loaded' }),
    );
  });

  it('adds one that is away, says so, and removes it', async () => {
    const added = await upstreams('add', 'away', 'http://127.0.0.1:1', '--model', 'gone');
    expect(added.code).toBe(0);
    expect(added.stderr).toContain('it is not well: Nothing answers at its address.');
    await near.until(({ models }) => models.some(({ id }) => id === 'gone'));
    expect(await upstreams('remove', 'Away')).toMatchObject({ code: 0, stdout: '' });
    await near.until(({ models }) => !models.some(({ id }) => id === 'gone'));
  });

  it.each([
    [['add', 'far', 'http://a'], /another upstream with the name "far"/],
    [['add', 'new', 'box'], /"box" is no URL/],
    [['remove', 'nobody'], /no upstream "nobody"\. There are: "far"\./],
    [['add', 'x'], /missing required argument 'url'[\s\S]*"pilotlight upstreams add --help"/],
  ])('refuses %j in a sentence', async (args, sentence) => {
    const said = await upstreams(...args);
    expect([said.code, said.stdout]).toEqual([1, '']);
    expect(said.stderr).toMatch(sentence);
  });

  it('keeps its key out of settings and logs', async () => {
    for (const file of ['settings.json', 'logs/server.log']) {
      expect(await readFile(path.join(near.dataDir, file), 'utf8')).not.toContain(KEY);
    }
  });
});

describe('a model of the second Pilotlight', () => {
  const sampled = {
    model: 'random',
    messages: [user('Hi.')],
    ...{ temperature: 1, seed: 7, max_tokens: 60 },
  };
  const told = ({ choices: [choice], usage }: OpenAI.ChatCompletion) => ({
    content: choice?.message.content,
    reason: choice?.finish_reason,
    output: usage?.completion_tokens,
  });

  it('says the same through the other one, with the same seed', async () => {
    const own = told(await direct.chat.completions.create(sampled));
    expect(own.output).toBe(60);
    expect(told(await through.chat.completions.create(sampled))).toEqual(own);
  });

  it('streams the same', async () => {
    const read = async (client: OpenAI) => {
      const deltas: (string | null | undefined)[] = [];
      const stream = await client.chat.completions.create({
        ...{ ...sampled, stream: true },
        stream_options: { include_usage: true },
      });
      for await (const { choices } of stream) deltas.push(choices[0]?.delta.content);
      return deltas;
    };
    expect(await read(through)).toEqual(await read(direct));
  });

  it('calls tools, streamed too', async () => {
    const ask = {
      model: 'toolcall',
      messages: [user('What is the weather?')],
      tools: [
        {
          type: 'function' as const,
          function: {
            name: TOOL_CALL.name,
            parameters: { type: 'object', properties: { city: { type: 'string' } } },
          },
        },
      ],
    };
    const answer = await through.chat.completions.create(ask);
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ type: 'function', function: { name: TOOL_CALL.name } }] },
    });
    const streamed = await through.chat.completions
      .stream({ ...ask, stream: true })
      .finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls).toHaveLength(1);
  });

  it('refuses in the same words', async () => {
    const refused = (client: OpenAI) =>
      client.chat.completions.create({ ...sampled, temperature: 9 }).catch((error: unknown) => {
        if (!(error instanceof OpenAI.BadRequestError)) throw error;
        const { status, error: body } = error;
        return { status, body };
      });
    expect(await refused(through)).toEqual(await refused(direct));
  });

  it('leaves rows in the ledger that verify', async () => {
    await through.chat.completions.create(sampled);
    const said = await runCli(['verify', '--data', near.dataDir]);
    expect(said.code).toBe(0);
  });

  it('ends there when its client leaves', async () => {
    const stream = await through.chat.completions.create({
      ...{ model: 'slow', messages: [user('Hi.')], stream: true },
    });
    for await (const _ of stream) {
      const { running, requests } = await farState();
      expect([running, requests.map(({ model }) => model)]).toEqual([1, ['slow']]);
      break;
    }
    while ((await farState()).running > 0);
    await near.idle();
  });
});
