/** The engine process's end of the engine channel, over whichever parent started it. */

export interface ParentChannel<Received, Sent> {
  send(message: Sent): void;
  onMessage(listener: (message: Received) => void): void;
  /** The other side is gone, or close() has been called and everything sent before is through. */
  onClose(listener: () => void): void;
  close(): void;
}

/** The part of Electron's MessagePortMain that is used here; utility processes get one from their parent. */
export interface MessagePortLike {
  postMessage(message: unknown): void;
  on(
    event: 'message',
    listener: (event: { data: unknown; ports: MessagePortLike[] }) => void,
  ): unknown;
  on(event: 'close', listener: () => void): unknown;
  start(): void;
  close(): void;
}

/** Electron's process.parentPort: always open, without start() and close. */
export interface ParentPort {
  postMessage(message: unknown): void;
  on(
    event: 'message',
    listener: (event: { data: unknown; ports: MessagePortLike[] }) => void,
  ): unknown;
}

/** Electron's utility process port, or null in plain Node. */
export function parentPort(): ParentPort | null {
  return (process as { parentPort?: ParentPort }).parentPort ?? null;
}

/** A typed channel over one end of an Electron MessageChannel. */
export function portChannel<Received, Sent>(port: MessagePortLike): ParentChannel<Received, Sent> {
  port.start();
  return {
    send: (message) => port.postMessage(message),
    onMessage: (listener) => void port.on('message', (event) => listener(event.data as Received)),
    onClose: (listener) => void port.on('close', listener),
    close: () => port.close(),
  };
}

/** Resolves once the channel is there: at once in a Node child process, with the first message in a utility process. */
export async function connectToServer<Received, Sent>(): Promise<ParentChannel<Received, Sent>> {
  const parent = parentPort();
  if (parent) {
    const port = await new Promise<MessagePortLike>((resolve) => {
      parent.on('message', (event) => {
        const [first] = event.ports;
        if (first) resolve(first);
      });
    });
    return portChannel(port);
  }
  if (!process.send) {
    throw new Error('The engine process is started by the server, not by hand.');
  }
  return {
    send: (message) => void process.send?.(message),
    onMessage: (listener) => void process.on('message', (message) => listener(message as Received)),
    onClose: (listener) => void process.on('disconnect', listener),
    close: () => process.disconnect(),
  };
}
