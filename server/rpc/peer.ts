/** One connection of an engine elsewhere to this worker: greeted here, then served by a process of its own. */
import type net from 'node:net';
import {
  beginsHello,
  HELLO_ANSWER_BYTES,
  HELLO_BYTES,
  helloAnswer,
  helloRequest,
  type RpcVersion,
} from './handshake.js';

/** Milliseconds that a peer may take to greet. */
const GREETING_PATIENCE = 10_000;

/** Milliseconds after which a silent connection is tried: its machine may be gone without a word. */
const KEEP_ALIVE = 15_000;

/** Why a peer is turned away; the message is the end of a sentence. */
export class PeerError extends Error {
  override readonly name = 'PeerError';
}

/**
 * Takes its greeting and answers it. Resolves when the peer goes on, with nothing read beyond the greeting; with false
 * where it only asked for the version and left.
 * @throws PeerError
 */
export async function greet(socket: net.Socket, version: RpcVersion): Promise<boolean> {
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE);
  const timer = setTimeout(() => socket.destroy(), GREETING_PATIENCE);
  let got = Buffer.alloc(0);
  try {
    while (got.length < HELLO_BYTES) {
      const bytes = await readSome(socket);
      if (bytes === null) throw new PeerError('it left before it had greeted');
      got = Buffer.concat([got, bytes]);
      if (!beginsHello(got)) throw new PeerError('what it sent is not RPC');
    }
  } finally {
    clearTimeout(timer);
  }
  const rest = got.subarray(HELLO_BYTES);
  if (rest.length > 0) socket.unshift(rest);
  socket.write(helloAnswer(version));
  const first = await readSome(socket);
  if (first === null) return false;
  socket.unshift(first);
  return true;
}

/** Greets the serving process in the peer's name, then joins both until one leaves. */
export async function join(peer: net.Socket, serving: net.Socket): Promise<void> {
  serving.on('error', () => {});
  serving.write(helloRequest());
  for (let left = HELLO_ANSWER_BYTES; left > 0; ) {
    const bytes = await readSome(serving);
    if (bytes === null) throw new PeerError('its process did not answer');
    if (bytes.length > left) serving.unshift(bytes.subarray(left));
    left -= Math.min(left, bytes.length);
  }
  await new Promise<void>((resolve) => {
    const end = () => {
      peer.destroy();
      serving.destroy();
      resolve();
    };
    for (const socket of [peer, serving]) {
      socket.on('close', end);
      socket.on('end', end);
      if (socket.destroyed) end();
    }
    peer.pipe(serving, { end: false });
    serving.pipe(peer, { end: false });
  });
}

/** What is there, at once or when it comes; null: nothing will. */
function readSome(socket: net.Socket): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const look = () => {
      const bytes = socket.read() as Buffer | null;
      if (bytes === null && !socket.destroyed && !socket.readableEnded) return;
      socket.off('readable', look);
      socket.off('end', look);
      socket.off('close', look);
      resolve(bytes);
    };
    socket.on('readable', look);
    socket.on('end', look);
    socket.on('close', look);
    look();
  });
}
