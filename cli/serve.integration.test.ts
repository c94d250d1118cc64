// The built command line as a process of its own.
import { chmod, copyFile, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SCRIPTED_SENTENCE } from '../scripts/test-models/scripts.js';
import { ensureTestModels } from '../scripts/test-models/test-models.js';
import { type Run, requireProgram, runProgram } from './test-program.js';

const REPO = path.resolve(import.meta.dirname, '..');

/** Windows ends a process without asking it. */
const onPosix = process.platform !== 'win32';

let files: Awaited<ReturnType<typeof ensureTestModels>>;
let dataDir: string;
const children: Run[] = [];

beforeAll(async () => {
  requireProgram();
  files = await ensureTestModels(path.join(REPO, 'out', 'test-models'));
});
beforeEach(async () => {
  dataDir = path.join(await mkdtemp(path.join(os.tmpdir(), 'pilotlight-cli-')), 'tést 模型 dir');
});
afterEach(async () => {
  for (const { child } of children.splice(0)) child.kill('SIGKILL');
  await rm(path.dirname(dataDir), { recursive: true, force: true });
});

function run(args: string[], env: NodeJS.ProcessEnv = {}): Run {
  const program = runProgram(args, env);
  children.push(program);
  return program;
}

const serve = (...args: string[]) => run(['serve', '--port', '0', '--data', dataDir, ...args]);

async function putModel(name: keyof typeof files, as: string = name): Promise<void> {
  await mkdir(path.join(dataDir, 'models'), { recursive: true });
  const file = path.join(dataDir, 'models', `${as}.gguf`);
  await copyFile(files[name], file);
  // As a file that came to rest long ago.
  await utimes(file, 1_700_000_000, 1_700_000_000);
}

async function ask(url: string, headers: Record<string, string> = {}, model?: string) {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi.' }] }),
  });
}

describe('serve', () => {
  it.runIf(process.platform === 'linux')(
    'refuses or goes on where no folder can be made',
    async () => {
      const program = run(['serve', '--port', '0', '--data', '/proc/pilotlight']);
      await Promise.race([program.ready.catch(() => {}), program.ended]);
      program.child.kill('SIGTERM');
      expect(await program.ended).toBeTypeOf('number');
    },
  );

  it('refuses a models folder that is not there', async () => {
    const program = serve('--models', path.join(dataDir, 'nowhere'));
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toContain('there is no folder');
  });

  it('says in the terminal why its first model cannot be loaded', async () => {
    await putModel('bad-template');
    const program = serve('--model', 'bad-template');
    await program.ready;
    await program.errorLine('chat template');
    expect(program.stderr()).toContain('bad-template');
  });

  it.runIf(onPosix).each(['SIGINT', 'SIGTERM'] as const)(
    'prints one line, answers, and stops cleanly on %s',
    async (signal) => {
      await putModel('scripted');
      const program = serve('--model', 'scripted');
      const url = await program.ready;
      expect(await (await ask(url)).text()).toContain(SCRIPTED_SENTENCE);
      program.child.kill(signal);
      expect(await program.ended).toBe(0);
      const folder = path.join(dataDir, 'models');
      expect(program.stdout()).toBe(
        `Pilotlight is ready at ${url} (API under /v1, models in ${folder})\n`,
      );
      expect(program.stderr()).toBe('');
      await expect(fetch(`${url}/health`)).rejects.toThrow();
    },
  );

  it.runIf(onPosix)('stops in the middle of an answer', async () => {
    await putModel('scripted-long');
    const program = serve('--model', 'scripted-long');
    const response = await fetch(`${await program.ready}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"messages": [{"role": "user", "content": "Go."}], "stream": true}',
    });
    const text = response.text();
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    expect(await text).toMatch(/data: \{"error":\{.*\}\}\n\n$/);
  });

  it('for the network names addresses that are reached', async () => {
    const program = serve('--host', '0.0.0.0', '--api-key', 'k');
    const url = await program.ready;
    const [first = '', second = ''] = program.stdout().split('\n');
    expect(first).not.toContain('0.0.0.0');
    const others = second === '' ? [] : second.replace(/^It is also at /, '').split(', ');
    for (const each of [url, ...others]) {
      expect((await fetch(`${each}/health`)).status, each).toBe(200);
    }
    expect([url, ...others].at(-1)).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it('takes a model file, all numbers, and keys', async () => {
    const file = path.join(path.dirname(dataDir), 'mein modell.gguf');
    await copyFile(files.scripted, file);
    const program = serve(
      ...['--model', file, '--ctx', '512', '--parallel', '2', '--threads', '1'],
      ...['--target-itl', '250', '--ledger-days', '30'],
      ...['--api-key', 'one', '--api-key', 'two'],
    );
    const url = await program.ready;
    expect((await ask(url)).status).toBe(401);
    for (const key of ['one', 'two']) {
      const authorization = `Bearer ${key}`;
      expect((await ask(url, { authorization })).status).toBe(200);
      const models = await fetch(`${url}/v1/models/mein%20modell`, { headers: { authorization } });
      expect(await models.json()).toMatchObject({ status: 'loaded', context_length: 512 });
    }
  });

  it('takes the options of the cache, and says why they cannot work together', async () => {
    const options = ['--model', files.slow, '--threads', '1', '--ctx', '512', '--gpu-layers', '0'];
    const program = serve(
      ...options,
      ...['--cache-type-k', 'q8_0', '--cache-type-v', 'q8_0', '--flash-attn', 'on'],
      ...['--kv-unified', 'on'],
    );
    const url = await program.ready;
    expect((await ask(url)).status).toBe(200);

    const refused = serve(...options, '--cache-type-v', 'q8_0', '--flash-attn', 'off');
    expect(await refused.ended).toBe(1);
    expect(refused.stderr()).toContain('--cache-type-v q8_0 needs flash attention');
  });

  it('says at once what a draft model lacks', async () => {
    const missing = serve('--draft-model', '/nowhere/x.gguf');
    expect(await missing.ended).toBe(1);
    expect(missing.stderr()).toBe('--draft-model: there is no file /nowhere/x.gguf.\n');
    const none = serve('--speculation', 'draft');
    expect(await none.ended).toBe(1);
    expect(none.stderr()).toContain('--draft-model FILE');
  });

  it('takes another folder of models', async () => {
    const models = path.join(path.dirname(dataDir), 'other models');
    await mkdir(models);
    await copyFile(files.scripted, path.join(models, 'other.gguf'));
    const program = serve('--models', models);
    const list = await (await fetch(`${await program.ready}/v1/models`)).text();
    expect(list).toContain('"id":"other"');
  });

  it('is not touched by the proxy settings of the machine', async () => {
    await putModel('scripted');
    const proxy = 'http://127.0.0.1:9';
    const first = run(['serve', '--port', '0', '--data', dataDir, '--model', 'scripted'], {
      HTTP_PROXY: proxy,
      http_proxy: proxy,
      HTTPS_PROXY: proxy,
      ALL_PROXY: proxy,
      NO_PROXY: '',
      NODE_USE_ENV_PROXY: '1',
    });
    const url = await first.ready;
    expect((await ask(url)).status).toBe(200);
    // A second one asks the first who it is, past the proxy.
    const second = run(['serve', '--port', new URL(url).port, '--data', dataDir], {
      HTTP_PROXY: proxy,
      http_proxy: proxy,
      NODE_USE_ENV_PROXY: '1',
    });
    expect(await second.ready).not.toBe(url);
    expect(second.stderr()).toContain(`used by another Pilotlight (process ${first.child.pid})`);
  });

  it('says who holds the port', async () => {
    const holder = net.createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as AddressInfo;
    const program = run(['serve', '--port', String(port), '--data', dataDir]);
    const url = await program.ready;
    expect(new URL(url).port).not.toBe(String(port));
    expect(program.stderr()).toMatch(
      new RegExp(`Port ${port} is used by .+; Pilotlight is at port ${new URL(url).port} instead`),
    );
    holder.close();
  });

  it('goes on with a read-only models folder, and names what is wrong with a file in it', async () => {
    await putModel('truncated');
    await putModel('not-a-model');
    await putModel('scripted');
    await chmod(path.join(dataDir, 'models'), 0o555);
    const url = await serve().ready;
    const response = await ask(url, {}, 'truncated');
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('truncated.gguf is cut off');
    expect(await (await ask(url, {}, 'not-a-model')).text()).toContain('is not a GGUF file');
    expect((await ask(url, {}, 'scripted')).status).toBe(200);
    await chmod(path.join(dataDir, 'models'), 0o755);
  });
});

describe('what cannot be is refused in a sentence', () => {
  it.each<[string[], RegExp]>([
    [['serve', '--port', '70000'], /--port.*whole number from 0 to 65535/],
    [['serve', '--port', 'x'], /whole number/],
    [['serve', '--parallel', '0'], /--parallel.*from 1 to 256/],
    [['serve', '--threads', '-1'], /--threads.*from 0 to 512/],
    [['serve', '--ctx', '1.5'], /--ctx/],
    [['serve', '--gpu-layers', 'all'], /--gpu-layers.*from 0 to 9999/],
    [['serve', '--cache-type-k', 'q9'], /--cache-type-k.*Allowed choices are f32, f16,/],
    [['serve', '--cache-type-v', 'F16'], /--cache-type-v.*Allowed choices/],
    [['serve', '--flash-attn', 'yes'], /--flash-attn.*Allowed choices are auto, on, off/],
    [['serve', '--kv-unified', ''], /--kv-unified.*Allowed choices are auto, on, off/],
    [['serve', '--ledger-days', '0'], /--ledger-days.*from 1 to 36500/],
    [['serve', '--ports', '1'], /unknown option '--ports'[\s\S]*Try "pilotlight serve --help"\.$/m],
    [['serve', 'extra'], /too many arguments/],
    [['sevre'], /unknown command 'sevre'[\s\S]*Try "pilotlight --help"\.$/m],
    [['serve', '--host'], /argument missing/],
    [['serve', '--data', ''], /--data.*must not be empty/],
    [['serve', '--api-key', ''], /--api-key.*must not be empty/],
    [['serve', '--allow-host', 'http://llm.example'], /--allow-host.*a name or an address alone/],
    [['serve', '--allow-origin', 'null'], /--allow-origin.*must be an origin/],
    [['serve', '--allow-origin', 'https://app.example/'], /--allow-origin.*without a path/],
  ])('%j', async (args, sentence) => {
    const program = run(args);
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(sentence);
    expect(program.stdout()).toBe('');
  });

  it('a file for a folder', async () => {
    await mkdir(dataDir, { recursive: true });
    const file = path.join(dataDir, 'file.txt');
    await writeFile(file, '');
    for (const option of ['--models', '--data']) {
      const program = run(['serve', '--port', '0', '--data', dataDir, option, file]);
      expect(await program.ended).toBe(1);
      expect(program.stderr()).toBe(`${option} must be a folder; ${file} is a file.\n`);
    }
  });

  it('a model that is not there, or is broken', async () => {
    await putModel('truncated');
    const missing = serve('--model', '/nowhere/x.gguf');
    expect(await missing.ended).toBe(1);
    expect(missing.stderr()).toMatch(/^There is no model or file "\/nowhere\/x\.gguf"\./);
    const broken = serve('--model', path.join(dataDir, 'models', 'truncated.gguf'));
    expect(await broken.ended).toBe(1);
    expect(broken.stderr()).toMatch(/^truncated\.gguf is cut off: .*\n$/);
  });

  it('a network without a key', async () => {
    const program = serve('--host', '0.0.0.0');
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toContain('pilotlight keys add NAME --data');
    expect(program.stderr()).toContain('--api-key');
  });

  it('every origin without a key', async () => {
    const program = serve('--allow-origin', '*');
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(/^Allowing every origin .* so a key is needed/);
  });

  it('an address that this machine does not have', async () => {
    const program = serve('--host', '192.0.2.1', '--api-key', 'k');
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toBe('This machine has no address 192.0.2.1 to serve on.\n');
  });
});

it('has a version and a help', async () => {
  const version = run(['--version']);
  expect(await version.ended).toBe(0);
  expect(version.stdout()).toMatch(/^\d+\.\d+\.\d+\n$/);
  const help = run(['serve', '--help']);
  expect(await help.ended).toBe(0);
  for (const option of [
    'host',
    'port',
    'models',
    'model',
    'data',
    'ctx',
    'parallel',
    'threads',
    'gpu-layers',
    'cache-type-k',
    'cache-type-v',
    'flash-attn',
    'kv-unified',
    'ledger-days',
    'api-key',
    'allow-host',
    'allow-origin',
  ]) {
    expect(help.stdout()).toContain(`--${option} <`);
  }
});
