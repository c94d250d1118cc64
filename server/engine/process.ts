/**
 * Entry of the engine process: one loaded model, nothing of HTTP. The only importer of native/. Forked by the server
 * (plain Node) or by Electron main (utility process); both give the same channel.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  loadAddon,
  type NativeBackendError,
  type NativeEngine,
  type NativeLoadError,
  type NativeRequestError,
} from '../../native/index.js';
import type { GenerationRequest } from '../../protocol/engine.js';
import type { EngineCall, EngineCallResult } from '../../protocol/engine-calls.js';
import type {
  EngineToServer,
  KeychainRequest,
  RpcPeer,
  RpcProblem,
  RpcServerOptions,
  ServerToEngine,
} from '../../protocol/engine-channel.js';
import { ExtractError } from '../attachments/extract-error.js';
import { type Joined, joinWorkers } from '../rpc/join.js';
import { watchWorker } from '../rpc/watch.js';
import { askKeychain } from './os-keychain.js';
import { connectToServer } from './parent-channel.js';

const ADDON =
  process.env.PILOTLIGHT_ADDON ?? fileURLToPath(new URL('../native/engine.node', import.meta.url));

/** Smallest step of load progress that is worth a message. */
const PROGRESS_STEP = 0.01;

/** A closed channel that does not say so, milliseconds. */
const EXIT_GRACE = 500;

const UNREADABLE = { code: 'unreadable_file', message: 'This file cannot be read.' } as const;

const CANCELLED = { code: 'cancelled', message: 'Loading was cancelled.' } as const;

const channel = await connectToServer<ServerToEngine, EngineToServer>();
const loadAbort = new AbortController();
let engine: NativeEngine | null = null;
const loadedBackends = new Set<string>();
let isServingRpc = false;

async function load({
  options,
  backends,
  rpcHosts = [],
}: ServerToEngine & { type: 'load' }): Promise<void> {
  let told = 0;
  let joined: Joined | null = null;
  try {
    const addon = addonWith(backends);
    joined = await joinWorkers(addon, options, rpcHosts, loadAbort.signal);
    if (joined !== null) channel.send({ type: 'rpc', ...joined });
    for (const worker of joined?.workers ?? []) watchWorker(worker, () => void lose(worker));
    engine = await addon.load(
      options,
      (fraction) => {
        if (fraction - told >= PROGRESS_STEP) {
          told = fraction;
          channel.send({ type: 'load-progress', fraction });
        }
      },
      (events) => channel.send({ type: 'events', events }),
      loadAbort.signal,
    );
    channel.send({ type: 'loaded', info: engine.info });
  } catch (error) {
    channel.send(loadFailure(error, joined?.problems));
  }
}

/** Without the worker nothing can be computed any more, and threads of ggml's may wait for it without end. */
async function lose({ host }: RpcPeer): Promise<void> {
  channel.send({ type: 'rpc-lost', host });
  await delay(EXIT_GRACE);
  process.kill(process.pid, 'SIGKILL');
}

async function estimate({
  options,
  backends,
  rpcHosts = [],
}: ServerToEngine & { type: 'estimate' }): Promise<EngineToServer> {
  try {
    const addon = addonWith(backends);
    const joined = await joinWorkers(addon, options, rpcHosts, loadAbort.signal);
    const { workers, problems } = joined ?? { workers: [], problems: [] };
    return { type: 'estimated', estimate: await addon.estimate(options), workers, problems };
  } catch (error) {
    return loadFailure(error);
  }
}

/** @param problems What it had to do without. */
function loadFailure(error: unknown, problems: readonly RpcProblem[] = []): EngineToServer {
  const { code, message } = loadAbort.signal.aborted ? CANCELLED : (error as NativeLoadError);
  return {
    type: 'load-failed',
    code: code ?? 'load_failed',
    message: [message, ...problems.map(({ reason }) => reason)].join(' '),
  };
}

/** A process loads each module once. */
function addonWith(backends: readonly string[]): ReturnType<typeof loadAddon> {
  const addon = loadAddon(ADDON);
  for (const file of backends) {
    if (!loadedBackends.has(file)) loadBackend(addon, file);
    loadedBackends.add(file);
  }
  return addon;
}

/** It worked when it was tried. Where it does not any more, the model loads on what is left. */
function loadBackend(addon: ReturnType<typeof loadAddon>, file: string): void {
  try {
    addon.loadBackend(file);
  } catch (error) {
    console.error((error as NativeBackendError).message);
  }
}

function rpcDevices(backends: readonly string[]): EngineToServer {
  const addon = addonWith(backends);
  return { type: 'rpc-devices', devices: addon.rpcDevices(), version: addon.rpcVersion };
}

async function serveRpc(options: RpcServerOptions): Promise<void> {
  isServingRpc = true;
  channel.send({ type: 'rpc-refused', message: await loadAddon(ADDON).serveRpc(options) });
}

function probe(file: string): EngineToServer {
  try {
    return { type: 'probed', module: loadAddon(ADDON).probeBackend(file) };
  } catch (error) {
    const { code, message } = error as NativeBackendError;
    return { type: 'probe-failed', broken: code !== 'refused', message };
  }
}

async function keychain(request: KeychainRequest): Promise<void> {
  try {
    channel.send({ type: 'keychain-done', secret: await askKeychain(request) });
  } catch (error) {
    channel.send({ type: 'keychain-failed', message: (error as Error).message });
  }
}

/** The parsers are loaded only here: engines with a model do without. */
async function extractFrom(file: string): Promise<EngineToServer> {
  try {
    const { extract } = await import('../attachments/extract.js');
    return { type: 'extracted', content: await extract(file) };
  } catch (error) {
    if (!(error instanceof ExtractError)) console.error(error);
    const { code, message } = error instanceof ExtractError ? error : UNREADABLE;
    return { type: 'extract-failed', code, message };
  }
}

/**
 * What is refused at once is told with an event, as every refusal of a generation. What should never come here (the
 * addon's TypeErrors) costs its own request only: others stream from this process.
 */
function submit(request: GenerationRequest): void {
  try {
    engine?.submit(request);
  } catch (error) {
    const { code: known, message } = error as NativeRequestError;
    const code = known === 'not_generative' ? known : 'engine_failed';
    const seqs = [request.seq, ...request.forks];
    channel.send({
      type: 'events',
      events: seqs.map((seq) => ({ type: 'error', seq, code, message })),
    });
  }
}

async function answer(id: number, call: EngineCall): Promise<void> {
  if (!engine) return; // the server calls loaded models only
  try {
    channel.send({ type: 'call-done', id, result: await compute(engine, id, call) });
  } catch (error) {
    const { code, message, input } = error as NativeRequestError;
    channel.send({
      type: 'call-failed',
      id,
      code: code ?? 'engine_failed',
      message,
      input: input ?? null,
    });
  }
}

async function compute(
  native: NativeEngine,
  id: number,
  { name, request }: EngineCall,
): Promise<EngineCallResult> {
  switch (name) {
    case 'embed': {
      const { scores: _, ...result } = await native.embed({ ...request, id, query: null });
      return result;
    }
    case 'rerank': {
      const { documents: inputs, query, truncate } = request;
      const { vectors: _, ...result } = await native.embed({ id, query, inputs, truncate });
      return result;
    }
    case 'tokenize':
      return native.tokenize(request);
    case 'detokenize': {
      const { bytes } = await native.detokenize(request);
      return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), bytes };
    }
    case 'apply-template':
      return native.applyTemplate(request);
    case 'report':
      return { ...native.stats(), ...processUse() };
  }
}

function processUse(): { residentBytes: number; cpuSeconds: number } {
  const { user, system } = process.cpuUsage();
  return { residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 };
}

async function exit(): Promise<void> {
  const closing = engine;
  engine = null; // what still arrives is nobody's
  await closing?.close();
  // what the streams were told last is still on its way; the end of the channel ends the process
  channel.close();
  setTimeout(() => process.exit(0), EXIT_GRACE);
}

channel.onMessage((message) => {
  switch (message.type) {
    case 'load':
      void load(message);
      break;
    case 'estimate':
      void estimate(message).then((answer) => channel.send(answer));
      break;
    case 'probe':
      channel.send(probe(message.file));
      break;
    case 'score':
      channel.send({ type: 'scored', score: loadAddon(ADDON).scoreBackend(message.file) });
      break;
    case 'keychain':
      void keychain(message.request);
      break;
    case 'extract':
      void extractFrom(message.file).then((answer) => channel.send(answer));
      break;
    case 'rpc-devices':
      channel.send(rpcDevices(message.backends));
      break;
    case 'rpc-serve':
      void serveRpc(message.options);
      break;
    case 'cancel-load':
      loadAbort.abort();
      break;
    case 'submit':
      submit(message.request);
      break;
    case 'cancel':
      engine?.cancel(message.seq);
      break;
    case 'pause':
      engine?.pause(message.seq);
      break;
    case 'resume':
      engine?.resume(message.seq);
      break;
    case 'call':
      void answer(message.id, message.call);
      break;
    case 'cancel-call':
      engine?.cancelEmbed(message.id);
      break;
    case 'unload':
      void exit();
      break;
  }
});

// No orphan outlives the server. Ctrl+C reaches the whole process group: the server decides when this one ends.
channel.onClose(() => {
  // an exit would wait for the thread that serves
  if (isServingRpc) process.kill(process.pid, 'SIGKILL');
  process.exit(0);
});
process.on('SIGINT', () => {});
