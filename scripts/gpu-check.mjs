// For people with a graphics card: builds the engine for it, runs a model on it and on the processor, and compares.
//   node scripts/gpu-check.mjs --gpu cuda
//   node scripts/gpu-check.mjs --gpu vulkan --model ~/models/some.gguf
// Ends with 0 where the GPU was used and wrote what the processor writes.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { checkNode } from './setup/node-version.mjs';

checkNode();
const { OUT, REPO } = await import('./setup/paths.mjs');
const { completeChoice } = await import('./setup/engine-choice.mjs');
const { SetupError } = await import('./setup/process.mjs');
const { reportFailure, setUp } = await import('./setup/steps.mjs');

const N_TOKENS = 64;
const PROMPT = 'Write one sentence about the sea.';

/**
 * @typedef {object} Answer
 * @property {string} text
 * @property {number} tokens_per_s
 * @property {string[]} devices
 * @property {{ module: string, status: string, reason: string | null }[]} backends
 */

try {
  process.exitCode = await check();
} catch (error) {
  reportFailure(error);
}

async function check() {
  const { values } = parseArgs({
    options: {
      gpu: { type: 'string', default: 'cuda' },
      model: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(
      'Usage: node scripts/gpu-check.mjs [--gpu cuda|vulkan|metal] [--model FILE]\nBuilds the engine for the graphics card and compares a text with that of the processor.\n',
    );
    return;
  }
  const choice = completeChoice({ gpu: values.gpu });
  process.env.PILOTLIGHT_GPU = choice.gpu;
  process.env.PILOTLIGHT_LAYOUT = choice.layout;
  await setUp('headless');
  const model = values.model ? path.resolve(values.model) : await testModel();
  const processor = await answer(model, ['--gpu-layers', '0']);
  const card = await answer(model, []);
  show('processor', processor);
  show(choice.gpu, card);
  for (const { module, status, reason } of card.backends) {
    process.stdout.write(`module ${module}: ${status}${reason ? `. ${reason}` : ''}\n`);
  }
  const isUsed = card.devices.some((device) => device !== 'CPU');
  if (!isUsed) {
    process.stdout.write('The GPU was not used.\n');
    return 1;
  }
  if (card.text === processor.text) {
    process.stdout.write('Both wrote the same text.\n');
    return 0;
  }
  // A large model may part ways where two tokens are about equally likely.
  process.stdout.write(`They differ.\n  processor: ${processor.text}\n  GPU:       ${card.text}\n`);
  return 1;
}

/**
 * @param {string} title
 * @param {Answer} answer
 */
function show(title, { tokens_per_s, devices }) {
  const speed = `${tokens_per_s.toFixed(1)} tokens/s`;
  process.stdout.write(`${title}: ${speed} on ${devices.join(', ')}\n`);
}

/** The generated model with a known answer. */
async function testModel() {
  const folder = path.join(OUT, 'test-models');
  const tsx = path.join(REPO, 'node_modules', 'tsx', 'dist', 'cli.mjs');
  const made = spawn(
    process.execPath,
    [tsx, path.join(REPO, 'scripts', 'test-models', 'main.ts'), folder],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const [status] = await once(made, 'exit');
  if (status !== 0) throw new SetupError('The test models could not be made.');
  return path.join(folder, 'scripted.gguf');
}

/**
 * One greedy answer of a server of its own.
 * @param {string} model
 * @param {string[]} options
 * @returns {Promise<Answer>}
 */
async function answer(model, options) {
  const data = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-gpu-'));
  const server = fork(
    path.join(OUT, 'cli', 'pilotlight.js'),
    ['serve', '--port', '0', '--data', data, '--model', model, ...options],
    { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  );
  try {
    const url = await urlOf(server);
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        messages: [{ role: 'user', content: PROMPT }],
        temperature: 0,
        max_tokens: N_TOKENS,
      }),
    });
    const body = /** @type {any} */ (await response.json());
    if (!response.ok)
      throw new SetupError(body.error?.message ?? `The server said ${response.status}.`);
    const health = /** @type {any} */ (await (await fetch(`${url}/health`)).json());
    const { content, reasoning_content } = body.choices[0].message;
    return {
      text: `${reasoning_content ?? ''}${content ?? ''}`,
      tokens_per_s: body.timings.tokens_per_s,
      devices: health.devices ?? [],
      backends: health.backends,
    };
  } finally {
    const ended = server.exitCode === null ? once(server, 'exit') : null;
    server.kill('SIGTERM');
    await ended;
    await rm(data, { recursive: true, force: true });
  }
}

/**
 * @param {import('node:child_process').ChildProcess} server
 * @returns {Promise<string>}
 */
function urlOf(server) {
  return new Promise((resolve, reject) => {
    let text = '';
    server.stdout?.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
      text += chunk;
      const url = /http:\/\/[\w.:[\]]+/.exec(text)?.[0];
      if (url) resolve(url);
    });
    server.on('exit', () => reject(new SetupError(`The server did not start.\n${text}`)));
  });
}
