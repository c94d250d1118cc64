/** A server that lists a model and answers its requests as a test wants, rightly or not. */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';

type Answer = (req: IncomingMessage, res: ServerResponse, body: string) => void;

export interface Rogue {
  url: string;
  /** Of requests but those for its list; in order. */
  asked: { path: string; headers: http.IncomingHttpHeaders; body: string }[];
  /** Of checks. */
  checks: http.IncomingHttpHeaders[];
  /** What it does with the next ones. */
  answer: Answer;
  list: Answer;
  close(): Promise<void>;
}

export const json = (res: ServerResponse, status: number, body: unknown, headers = {}): void => {
  res.writeHead(status, { 'content-type': 'application/json', ...headers });
  res.end(JSON.stringify(body));
};

/** @param models Ids that it lists. */
export async function startRogue(models: readonly string[] = ['m']): Promise<Rogue> {
  const rogue: Omit<Rogue, 'url' | 'close'> = {
    asked: [],
    checks: [],
    answer: (_req, res) => json(res, 200, { ok: true }),
    list: (_req, res) => json(res, 200, { data: models.map((id) => ({ id })) }),
  };
  const server = http.createServer((req, res) => {
    // Whoever asks may leave in the middle.
    for (const stream of [req, res]) stream.on('error', () => {});
    void textOf(req).then((body) => {
      const { url: path = '', headers } = req;
      if (req.method === 'GET') rogue.checks.push(headers);
      else rogue.asked.push({ path, headers, body });
      if (req.method === 'GET') rogue.list(req, res, body);
      else rogue.answer(req, res, body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(rogue, {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  });
}

/** Starts them for the tests of one file; each is closed after its test. */
export function testRogues(): (models?: readonly string[]) => Promise<Rogue> {
  const started: Rogue[] = [];
  afterEach(async () => {
    for (const rogue of started.splice(0)) await rogue.close();
  });
  return async (models) => {
    const rogue = await startRogue(models);
    started.push(rogue);
    return rogue;
  };
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of req) chunks.push(chunk);
  } catch {
    // It has gone.
  }
  return Buffer.concat(chunks).toString();
}
