/** The tests' tools over HTTP, streamable or in the older way. */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { testToolServer } from '../../scripts/test-tools/tools.mjs';
import { createId } from '../http/ids.js';

export interface TestHttpServer {
  /** Such as "http://127.0.0.1:40123/mcp". */
  url: string;
  /** Forgets all who are connected. */
  forget(): void;
  close(): Promise<void>;
}

interface Options {
  transport?: 'streamable' | 'sse';
  /** That requests need. */
  key?: string;
  port?: number;
}

export async function startHttpServer(options: Options = {}): Promise<TestHttpServer> {
  const { transport = 'streamable', key, port = 0 } = options;
  const sessions = new Map<string, StreamableHTTPServerTransport | SSEServerTransport>();
  const serve = transport === 'sse' ? serveSse(sessions) : serveStreamable(sessions);
  const server = http.createServer((req, res) => {
    if (key !== undefined && req.headers.authorization !== `Bearer ${key}`) {
      res.writeHead(401).end();
    } else void serve(req, res);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const forget = () => {
    for (const session of sessions.values()) void session.close();
    sessions.clear();
    server.closeAllConnections();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    forget,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      forget();
      await closed;
    },
  };
}

function serveStreamable(
  sessions: Map<string, StreamableHTTPServerTransport | SSEServerTransport>,
) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const id = req.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known instanceof StreamableHTTPServerTransport) return known.handleRequest(req, res);
    if (id !== undefined) {
      res.writeHead(404).end();
      return;
    }
    const session = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => createId('session_'),
      onsessioninitialized: (name) => void sessions.set(name, session),
    });
    // Its type says of each optional field that it may be there and undefined.
    await testToolServer().connect(session as Transport);
    await session.handleRequest(req, res);
  };
}

function serveSse(sessions: Map<string, StreamableHTTPServerTransport | SSEServerTransport>) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://localhost');
    if (req.method === 'GET' && pathname === '/mcp') {
      const session = new SSEServerTransport('/messages', res);
      sessions.set(session.sessionId, session);
      await testToolServer().connect(session);
      return;
    }
    const session = sessions.get(searchParams.get('sessionId') ?? '');
    if (session instanceof SSEServerTransport) await session.handlePostMessage(req, res);
    else res.writeHead(pathname === '/mcp' ? 405 : 404).end();
  };
}
