/**
 * A second connection to a worker that is used, on which nothing happens until the worker is gone. ggml itself notices a
 * loss only when it computes next, and on a network that swallows packets not at all; and it does not say which one.
 */
import net from 'node:net';
import type { RpcPeer } from '../../protocol/engine-channel.js';
import { helloRequest } from './handshake.js';

/** Milliseconds of silence after which the system asks the other side whether it is there; then some ten times more. */
const KEEP_ALIVE = 10_000;

/**
 * Calls `onLost` once the worker is gone, never where it cannot be watched. Keeps no process alive.
 *
 * It greets, because a worker of ours turns away who does not. The answer is not waited for: llama.cpp's own server
 * serves one peer at a time, and lets this one wait.
 */
export function watchWorker({ endpoint }: RpcPeer, onLost: () => void): void {
  const [host = '', port = ''] = endpoint.split(':');
  const socket = net.connect({ host, port: Number(port) });
  let connected = false;
  socket.unref();
  socket.setKeepAlive(true, KEEP_ALIVE);
  socket.on('connect', () => {
    connected = true;
    socket.write(helloRequest());
  });
  socket.on('data', () => {});
  socket.on('error', () => {});
  socket.on('close', () => {
    if (connected) onLost();
  });
}
