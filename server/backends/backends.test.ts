// The choice, with engine processes that answer as they are told. The real ones: backends.modules.test.ts.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EngineToServer } from '../../protocol/engine-channel.js';
import type { SpawnEngine } from '../engine/spawn.js';
import { Backends } from './backends.js';
import { moduleName } from './modules.js';

/** What a module does when it is asked for its score and when it computes. */
interface Behaviour {
  score?: number | 'crash';
  probe?: 'cpu' | 'gpu' | 'no-gpu' | 'crash' | 'wrong' | 'refuse';
}

let folder: string;
let dataDir: string;
let asked: string[];
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'backends-'));
  dataDir = path.join(folder, 'data');
  asked = [];
});
afterEach(() => rm(folder, { recursive: true }));

function answerOf(name: string, { score = 1, probe = 'cpu' }: Behaviour, isProbe: boolean) {
  if (!isProbe) return score === 'crash' ? null : ({ type: 'scored', score } as const);
  if (probe === 'crash') return null;
  if (probe === 'wrong') {
    return {
      type: 'probe-failed',
      broken: true,
      message: `${name} computes wrong results.`,
    } as const;
  }
  if (probe === 'refuse') {
    return { type: 'probe-failed', broken: false, message: `${name} lacks a library.` } as const;
  }
  const device = { name, description: `the ${name} device`, isGpu: probe === 'gpu' };
  const devices = probe === 'no-gpu' ? [] : [device];
  return { type: 'probed', module: { name, score: 1, devices } } as const;
}

/** @param build goes into the modules' files, so that another one gives them other digests */
async function backends(modules: Record<string, Behaviour>, build = '') {
  for (const name of Object.keys(modules)) {
    await writeFile(path.join(folder, `libggml-${name}.so`), build + name);
  }
  const spawn: SpawnEngine = () => {
    let onMessage = (_message: EngineToServer) => {};
    let onExit = (_exit: { code: null; signal: string; stderr: string }) => {};
    return {
      pid: undefined,
      send: (message) => {
        if (message.type !== 'probe' && message.type !== 'score') throw new Error(message.type);
        const name = moduleName(path.basename(message.file)) ?? '';
        asked.push(`${message.type} ${name}`);
        const answer = answerOf(name, modules[name] ?? {}, message.type === 'probe');
        setImmediate(() => {
          if (answer) onMessage(answer);
          else onExit({ code: null, signal: 'SIGILL', stderr: '' });
        });
      },
      onMessage: (listener) => {
        onMessage = listener;
      },
      onExit: (listener) => {
        onExit = listener;
      },
      kill: () => {},
    };
  };
  const log = { info: () => {}, warn: () => {} };
  const made = new Backends({ folder, dataDir, spawn, onChange: () => {}, log: log as never });
  const files = await made.choose();
  const state = Object.fromEntries(made.states().map((backend) => [backend.module, backend]));
  return { chosen: files.map((file) => moduleName(path.basename(file))), state, made };
}

test('takes the CPU variant with the best score, and tries no other', async () => {
  const { chosen, state } = await backends({
    'cpu-x64': { score: 1 },
    'cpu-zen4': { score: 9 },
    'cpu-haswell': { score: 5 },
    'cpu-sapphirerapids': { score: 0 },
  });
  expect(chosen).toEqual(['cpu-zen4']);
  expect(asked.filter((what) => what.startsWith('probe'))).toEqual(['probe cpu-zen4']);
  expect(state).toEqual({
    'cpu-zen4': {
      module: 'cpu-zen4',
      status: 'used',
      devices: ['the cpu-zen4 device'],
      reason: null,
    },
  });
});

test('a variant that crashes is passed over for the next best, with the reason', async () => {
  const { chosen, state, made } = await backends({
    'cpu-x64': { score: 1 },
    'cpu-zen4': { score: 9, probe: 'crash' },
    'cpu-haswell': { score: 5, probe: 'wrong' },
    'cpu-skylakex': { score: 'crash' },
  });
  expect(chosen).toEqual(['cpu-x64']);
  expect(state['cpu-zen4']?.status).toBe('failed');
  expect(made.notices().toSorted()).toEqual([
    'The backend module cpu-skylakex crashed when it was tried (SIGILL).',
    'The backend module cpu-zen4 crashed when it was tried (SIGILL).',
    'cpu-haswell computes wrong results.',
  ]);
});

test('one GPU backend goes before the CPU, the next ones are not even tried', async () => {
  const { chosen, state } = await backends({
    cpu: {},
    cuda: { probe: 'gpu' },
    vulkan: { probe: 'gpu' },
  });
  expect(chosen).toEqual(['cuda', 'cpu']);
  expect(state.vulkan).toMatchObject({
    status: 'unused',
    reason: 'The cuda backend is used instead.',
  });
  expect(asked).not.toContain('probe vulkan');
});

test.each<[NonNullable<Behaviour['probe']>, string, RegExp, number]>([
  ['refuse', 'unused', /lacks a library/, 0],
  ['no-gpu', 'unused', /finds no GPU/, 0],
  ['crash', 'failed', /crashed when it was tried/, 1],
  ['wrong', 'failed', /wrong results/, 1],
])('a GPU backend that says %s is %s and leaves the CPU', async (probe, status, reason, n) => {
  const { chosen, state, made } = await backends({ cpu: {}, vulkan: { probe } });
  expect(chosen).toEqual(['cpu']);
  expect(state.vulkan).toMatchObject({ status, reason: expect.stringMatching(reason) });
  expect(made.notices()).toHaveLength(n);
});

test('remembers what it has tried, until a module changes', async () => {
  const modules: Record<string, Behaviour> = {
    'cpu-x64': { score: 1 },
    'cpu-zen4': { score: 9, probe: 'crash' },
    vulkan: { probe: 'gpu' },
  };
  const first = await backends(modules);
  asked = [];
  const second = await backends(modules);
  expect(asked).toEqual([]);
  expect(second.chosen).toEqual(first.chosen);
  expect(second.state).toEqual(first.state);
  modules.vulkan = { probe: 'no-gpu' };
  await backends(modules, 'rebuilt ');
  expect(asked).toContain('probe vulkan');
  expect(asked).toContain('probe cpu-zen4');
});

test('says so where no CPU variant works', async () => {
  const { chosen, made } = await backends({ cpu: { probe: 'refuse' } });
  expect(chosen).toEqual([]);
  expect(made.notices()).toEqual(["None of the engine's CPU modules works on this machine."]);
});

test('without modules the engine has its backends inside: nothing is started', async () => {
  expect((await backends({})).chosen).toEqual([]);
  expect(asked).toEqual([]);
});
