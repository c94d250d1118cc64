/**
 * The desktop's control channel: Electron main ⇄ server utility process. Main forks engine processes for the server
 * (a utility process cannot fork another) and hands both ends of a MessagePort over.
 */
import type { ServerConfigInput } from './config.js';
import type { ServerState } from './models.js';

export type MainToServer =
  | { type: 'start'; config: ServerConfigInput }
  | { type: 'select-model'; model: string }
  /** It leaves memory once it has answered what it is asked now. */
  | { type: 'unload-model'; model: string }
  /** By its id in ServerState.requests; one that has ended meanwhile is passed over. */
  | { type: 'cancel-request'; id: string }
  /** Those beyond the ones that ServerState lists, too. */
  | { type: 'cancel-all-requests' }
  /** Whether programs may use the API. */
  | { type: 'set-serving'; enabled: boolean }
  /** Arrives with one transferred MessagePort: the channel to engine process `engine`. */
  | { type: 'engine-port'; engine: number }
  | { type: 'engine-exit'; engine: number; code: number | null; signal: string | null }
  /** The answer to `resolve-proxy`, as a proxy's configuration script writes it: such as "PROXY a:8080; DIRECT". */
  | { type: 'proxy'; id: number; entries: string }
  /** Ends streams and engines, then the process exits with 0. */
  | { type: 'shutdown' };

export type ServerToMain =
  | { type: 'ready'; url: string }
  /** It is reached there from now on, and where it was no longer. */
  | { type: 'moved'; url: string }
  /** The server cannot start; a sentence for people. */
  | { type: 'failed'; message: string }
  | { type: 'state'; state: ServerState }
  /** A model switch that main asked for did not work; a sentence for people. */
  | { type: 'select-failed'; model: string; message: string }
  /** Through which proxy the system would ask for a URL; main answers with `proxy`. */
  | { type: 'resolve-proxy'; id: number; url: string }
  | { type: 'spawn-engine'; engine: number }
  | { type: 'kill-engine'; engine: number };
