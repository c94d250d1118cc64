import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { bodyChunks } from './body-chunks.js';

/** Takes a little, then has no room. */
function fullDisk(): Writable {
  let bytes = 0;
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > 100_000 ? new Error('full') : null);
    },
  });
}

test('a body that nobody could keep leaves the connection to the next request', async () => {
  const ports = new Set<number | undefined>();
  const server = http.createServer(async (req, res) => {
    ports.add(req.socket.remotePort);
    try {
      await pipeline(bodyChunks(req), fullDisk());
      res.end('kept');
    } catch (error) {
      res.end((error as Error).message);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const send = (bytes: number) =>
    new Promise<string>((resolve, reject) => {
      const request = http.request({ port, host: '127.0.0.1', agent, method: 'POST' }, (res) => {
        let text = '';
        res.on('data', (chunk) => {
          text += String(chunk);
        });
        res.on('end', () => resolve(text));
      });
      request.on('error', reject);
      request.end(Buffer.alloc(bytes));
    });
  try {
    expect(await send(5_000_000)).toBe('full');
    expect(await send(10)).toBe('kept');
    expect(await send(5_000_000)).toBe('full');
    expect(await send(10)).toBe('kept');
    expect(ports.size).toBe(1);
  } finally {
    agent.destroy();
    server.close();
  }
});
