/** Starts engine processes: as children of plain Node, or through Electron main. */
import { fork } from 'node:child_process';
import type { MainToServer, ServerToMain } from '../../protocol/control.js';
import type { EngineToServer, ServerToEngine } from '../../protocol/engine-channel.js';
import { type MessagePortLike, type ParentPort, portChannel } from './parent-channel.js';

export interface EngineExit {
  code: number | null;
  signal: string | null;
  /** The last of what the process wrote to standard error; '' where that is not known. */
  stderr: string;
}

/** One engine process as the server sees it. Messages sent before it is up are kept; after its end they are dropped. */
export interface EngineProcess {
  /** Process id, where this side knows it. */
  readonly pid: number | undefined;
  send(message: ServerToEngine): void;
  onMessage(listener: (message: EngineToServer) => void): void;
  /** Called once. */
  onExit(listener: (exit: EngineExit) => void): void;
  /** Ends it at once. */
  kill(): void;
}

export type SpawnEngine = () => EngineProcess;

/** Kept of standard error, characters: ggml prints its failed assertion and a backtrace before it aborts. */
const STDERR_KEPT = 4000;

/** Forks `entry` (the built server/engine/process.ts) with Node. */
export function spawnChildProcess(entry: string): SpawnEngine {
  return () => {
    const child = fork(entry, [], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
    });
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_KEPT);
    });
    return {
      pid: child.pid,
      // a message to a process that is just dying is answered by its exit
      send: (message) => void (child.connected && child.send(message, () => {})),
      onMessage: (listener) => void child.on('message', (m) => listener(m as EngineToServer)),
      onExit: (listener) => {
        let told = false;
        const tell = (code: number | null, signal: string | null) => {
          if (!told) {
            told = true;
            listener({ code, signal, stderr });
          }
        };
        child.on('error', (error) => {
          stderr += error.message;
          tell(null, null);
        });
        // 'close' comes after the pipes are drained, so that stderr is whole
        child.on('close', tell);
      },
      kill: () => void child.kill('SIGKILL'),
    };
  };
}

/** Asks Electron main over the control channel; a utility process cannot fork another. */
export function spawnViaMain(parent: ParentPort): SpawnEngine {
  interface Waiting {
    connect(port: MessagePortLike): void;
    exit(exit: EngineExit): void;
  }
  const engines = new Map<number, Waiting>();
  const tell = (message: ServerToMain) => parent.postMessage(message);
  let last = 0;

  parent.on('message', (event) => {
    const message = event.data as MainToServer;
    if (message.type === 'engine-port') {
      const [port] = event.ports;
      if (port) engines.get(message.engine)?.connect(port);
    } else if (message.type === 'engine-exit') {
      engines.get(message.engine)?.exit({ code: message.code, signal: message.signal, stderr: '' });
      engines.delete(message.engine);
    }
  });

  return () => {
    const engine = ++last;
    const unsent: ServerToEngine[] = [];
    let send: (message: ServerToEngine) => void = (message) => unsent.push(message);
    let onMessage = (_message: EngineToServer) => {};
    let onExit = (_exit: EngineExit) => {};

    engines.set(engine, {
      connect: (port) => {
        const channel = portChannel<EngineToServer, ServerToEngine>(port);
        channel.onMessage((message) => onMessage(message));
        send = (message) => channel.send(message);
        for (const message of unsent.splice(0)) channel.send(message);
      },
      exit: (exit) => {
        send = () => {};
        onExit(exit);
      },
    });
    tell({ type: 'spawn-engine', engine });

    return {
      pid: undefined,
      send: (message) => send(message),
      onMessage: (listener) => {
        onMessage = listener;
      },
      onExit: (listener) => {
        onExit = listener;
      },
      kill: () => tell({ type: 'kill-engine', engine }),
    };
  };
}
