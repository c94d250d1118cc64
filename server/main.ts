/**
 * Entry of the desktop's server process, an Electron utility process. Starts, switches and stops the server as main
 * asks over the control channel, and ends when main is gone. Does no serving of its own.
 */
import { serverConfigSchema } from '../protocol/config.js';
import type { MainToServer, ServerToMain } from '../protocol/control.js';
import { parentPort } from './engine/parent-channel.js';
import { spawnViaMain } from './engine/spawn.js';
import { GenerationError } from './generation/generation.js';
import { resolveViaMain } from './hub/proxy-via-main.js';
import { type RunningServer, startServer } from './server.js';

/** How often it is checked that main is still there, in milliseconds. */
const PARENT_CHECK_MS = 1_000;

const port = parentPort();
if (!port) throw new Error('The server process is started by the desktop app only.');
const spawn = spawnViaMain(port);
const resolveProxy = resolveViaMain(port);
const tell = (message: ServerToMain) => port.postMessage(message);
let server: RunningServer | null = null;
let starting: Promise<void> | null = null;

port.on('message', (event) => {
  const data = event.data as MainToServer;
  switch (data.type) {
    case 'start':
      starting ??= start(data.config);
      break;
    case 'select-model':
      void select(data.model);
      break;
    case 'unload-model':
      void server?.unloadModel(data.model);
      break;
    case 'cancel-request':
      server?.cancelRequest(data.id);
      break;
    case 'cancel-all-requests':
      server?.cancelAllRequests();
      break;
    case 'set-serving':
      // What cannot be kept is told in a notice of the state.
      server?.setServing(data.enabled).catch(() => {});
      break;
    case 'shutdown':
      void stop();
      break;
    case 'engine-port':
    case 'engine-exit':
    case 'proxy':
      // spawnViaMain and resolveViaMain listen for these themselves.
      break;
  }
});

async function start(input: unknown): Promise<void> {
  try {
    server = await startServer(serverConfigSchema.parse(input), spawn, resolveProxy);
  } catch (error) {
    tell({ type: 'failed', message: sentenceOf(error) });
    // The message is on its way once the queue has run empty.
    setTimeout(() => process.exit(1), 100);
    return;
  }
  const { state } = server;
  let told = urlHere(server);
  state.subscribe((now) => {
    const url = server === null ? told : urlHere(server);
    if (url !== told) tell({ type: 'moved', url });
    told = url;
    tell({ type: 'state', state: now });
  });
  tell({ type: 'ready', url: told });
  tell({ type: 'state', state: state.now() });
}

/** For the window, which is on this machine. */
function urlHere({ url, urls }: RunningServer): string {
  return urls.at(-1) ?? url;
}

async function select(model: string): Promise<void> {
  try {
    await starting;
    await server?.selectModel(model);
  } catch (error) {
    // The person has given it up.
    if (error instanceof GenerationError && error.code === 'cancelled') return;
    tell({ type: 'select-failed', model, message: sentenceOf(error) });
  }
}

async function stop(): Promise<void> {
  await starting;
  await server?.close();
  process.exit(0);
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent || !isRunning(parent)) process.exit(0);
}, PARENT_CHECK_MS).unref();

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
