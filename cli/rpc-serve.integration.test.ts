// A whole server with a model that lies on RPC workers, which get lost one by one.
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { modelListSchema } from '../protocol/models.js';
import { ensureTestModels } from '../scripts/test-models/test-models.js';
import { type Run, runProgram } from './test-program.js';
import { TOO_LITTLE, testWorkers } from './test-workers.js';

const { worker } = testWorkers();

let dataDir: string;
let server: Run | null = null;

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-rpc-'));
});
afterEach(async () => {
  server?.child.kill('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

function ask(url: string, body: object): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi.' }], ...body }),
  });
}

async function model(url: string) {
  const list = modelListSchema.parse(await (await fetch(`${url}/v1/models`)).json());
  return list.data.find(({ id }) => id === 'slow');
}

it('spreads a model, names the worker that is lost, and goes on with those that are left', async () => {
  const { slow } = await ensureTestModels('out/test-models');
  await mkdir(path.join(dataDir, 'models'));
  await copyFile(slow, path.join(dataDir, 'models', 'slow.gguf'));
  const [first, second] = await Promise.all([worker(), worker()]);
  await writeFile(
    path.join(dataDir, 'settings.json'),
    JSON.stringify({ memory_budget_bytes: TOO_LITTLE, rpc_hosts: [first.host] }),
  );
  const options = ['--port', '0', '--data', dataDir, '--ctx', '2048', '--parallel', '1'];
  server = runProgram(['serve', ...options, '--model', 'slow', '--rpc', second.host]);
  const url = await server.ready;

  const answer = await ask(url, { stream: true });
  expect(answer.status).toBe(200);
  let devices: string[] | null | undefined;
  let text = '';
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (devices !== undefined || !/"content":"[^"]/.test(text)) continue;
    devices = (await model(url))?.devices;
    first.run.child.kill('SIGKILL');
  }
  expect(devices).toEqual(['CPU', `RPC ${first.host}`, `RPC ${second.host}`]);
  const last = text.trim().split('\n\n').at(-1) ?? '';
  const { error } = errorSchema.parse(JSON.parse(last.replace(/^data: /, '')));
  expect(error.code).toBe('engine_crashed');
  expect(error.message).toContain(`an RPC worker broke: ${first.host}.`);
  expect(await model(url)).toMatchObject({
    status: 'crashed',
    reason: expect.stringContaining(first.host),
  });

  const again = await ask(url, { max_tokens: 4 });
  expect(again.status).toBe(200);
  await again.arrayBuffer();
  expect((await model(url))?.devices).toEqual(['CPU', `RPC ${second.host}`]);
  await server.errorLine(`The RPC worker ${first.host} is not reached`);

  second.run.child.kill('SIGKILL');
  const refused = await ask(url, { max_tokens: 4 });
  const words = errorSchema.parse(await refused.json()).error.message;
  expect(refused.ok).toBe(false);
  expect(words).toContain(second.host);
}, 180_000);
