/** For tests: a server of the same kind as those that are measured, whose answers to POST are whatever a test wants. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';

export interface RogueRequest {
  path: string;
  key: string | null;
  body: Record<string, unknown>;
  /** How many requests came before it. */
  number: number;
}

/** Writes the answer. The socket is there for those that are no HTTP. */
export type RogueAnswer = (res: http.ServerResponse, request: RogueRequest) => void;

export interface RogueServer {
  url: string;
  requests: RogueRequest[];
}

/** @param looks answers to GET by path; all else is 404 */
export type StartRogue = (
  answer: RogueAnswer,
  looks?: Record<string, unknown>,
) => Promise<RogueServer>;

/** Each is closed after its test. */
export function rogueServers(): StartRogue {
  const started: http.Server[] = [];
  afterEach(() => {
    for (const server of started.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });
  return async (answer, looks = { '/v1/models': { data: [{ id: 'rogue' }] } }) => {
    const requests: RogueRequest[] = [];
    const server = http.createServer(async (req, res) => {
      const path = req.url ?? '';
      if (req.method === 'GET') {
        if (path in looks)
          res.setHeader('content-type', 'application/json').end(JSON.stringify(looks[path]));
        else res.writeHead(404).end();
        return;
      }
      const parts: Buffer[] = [];
      for await (const part of req) parts.push(part);
      const key = /^Bearer (.*)$/.exec(req.headers.authorization ?? '')?.[1] ?? null;
      const body = JSON.parse(Buffer.concat(parts).toString());
      const request = { path, key, body, number: requests.length };
      requests.push(request);
      answer(res, request);
    });
    started.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
  };
}

/** The chunks of a chat as it should be, of so many pieces, with its usage. */
export function chatChunks(n = 3): Record<string, unknown>[] {
  const head = { id: 'c-1', object: 'chat.completion.chunk', created: 1, model: 'rogue' };
  const choice = (delta: object, finish_reason: string | null) => ({
    ...{ ...head, choices: [{ index: 0, delta, finish_reason }] },
  });
  return [
    choice({ role: 'assistant', content: '' }, null),
    ...Array.from({ length: n }, (_, i) => choice({ content: `piece ${i} ` }, null)),
    choice({}, 'stop'),
    {
      ...{ ...head, choices: [] },
      usage: { prompt_tokens: 4, completion_tokens: n, total_tokens: n + 4 },
    },
  ];
}

/** The events of a typed stream as it should be. */
export function typedEvents(n = 3): Record<string, unknown>[] {
  return [
    ...Array.from({ length: n }, (_, index) => ({ type: 'token', index, token_id: 7, text: 'a' })),
    {
      ...{ type: 'done', finish_reason: 'stop', prompt_tokens: 4, cached_tokens: 0 },
      ...{ output_tokens: n, queue_ms: 0, prefill_ms: 1, ttft_ms: 2, total_ms: 3 },
      tokens_per_s: 4,
    },
  ];
}

/** Sends these events as a stream; texts as they are, all else as JSON. */
export function sendEvents(
  res: http.ServerResponse,
  events: readonly (object | string)[],
  contentType = 'text/event-stream',
): void {
  res.writeHead(200, { 'content-type': contentType });
  for (const event of events) {
    res.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`, 'latin1');
  }
}
