/** A client that is connected to a tool server, by whichever transport it speaks. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type {
  JsonSchemaValidator,
  jsonSchemaValidator,
} from '@modelcontextprotocol/sdk/validation/types.js';
import type { McpAddress, McpServerConfig } from '../../protocol/mcp.js';
import { boundedFetch } from './bounded-fetch.js';
import type { LogTail } from './log-tail.js';
import { statusOf } from './problem.js';
import { StdioTransport } from './stdio-transport.js';

export interface Link {
  client: Client;
  close(): Promise<void>;
}

export interface LinkOptions {
  /** With its secrets. */
  config: McpServerConfig;
  /** Pilotlight's own, such as "0.1.0". */
  version: string;
  log: LogTail;
  /** Milliseconds for the first words. */
  patience: number;
  signal: AbortSignal;
  /** Set while the link is open: it has ended by itself, for the reason given. */
  onClose: (reason: unknown) => void;
  /** Something went wrong that may be the end of it. */
  onTrouble: () => void;
}

/** What clients before streamable HTTP would be told by one that does not know it. */
const OLD_SERVER = [400, 404, 405, 406, 415, 501];

/** Milliseconds that the end of a session is waited for. */
const GOODBYE_MS = 500;

/** @throws ToolServerError, or an error of the SDK or of fetch. */
export async function openLink(options: LinkOptions): Promise<Link> {
  const { config, log } = options;
  if ('command' in config) {
    const transport = new StdioTransport(config, log);
    try {
      return await connect(transport, options, () => transport.failure);
    } catch (error) {
      throw transport.failure ?? error;
    }
  }
  if (config.type === 'sse') return connect(sse(config), options);
  try {
    return await connect(streamable(config), options);
  } catch (error) {
    if (config.type !== undefined || !OLD_SERVER.includes(statusOf(error) ?? 0)) throw error;
    // The first failure says more: most servers speak the newer transport.
    return connect(sse(config), options).catch(() => {
      throw error;
    });
  }
}

/** @param reason Why the transport ended. */
async function connect(
  transport: Transport,
  { version, patience, signal, onClose, onTrouble }: LinkOptions,
  reason: () => unknown = () => null,
): Promise<Link> {
  const client = new Client(
    { name: 'pilotlight', title: 'Pilotlight', version },
    // What a tool says is read by a model, whatever its schema promises.
    { jsonSchemaValidator: ACCEPT_ANY },
  );
  let isOpen = false;
  client.onclose = () => {
    if (isOpen) onClose(reason());
  };
  client.onerror = () => {
    if (isOpen) onTrouble();
  };
  const close = async () => {
    isOpen = false;
    await client.close();
  };
  try {
    signal.throwIfAborted();
    await client.connect(transport, { timeout: patience, signal });
    signal.throwIfAborted();
  } catch (error) {
    await transport.close();
    throw error;
  }
  isOpen = true;
  return { client, close };
}

/** For the SDK, which would hold results against a stranger's schema. */
const ACCEPT_ANY: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (data) => ({ valid: true, data: data as T, errorMessage: undefined });
  },
};

function streamable({ url, headers = {} }: McpAddress): Transport {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: boundedFetch,
  });
  const close = transport.close.bind(transport);
  transport.close = async () => {
    // Polite, and no reason to wait for long.
    const patience = new Promise((resolve) => setTimeout(resolve, GOODBYE_MS).unref());
    await Promise.race([transport.terminateSession().catch(() => {}), patience]);
    await close();
  };
  // Its type says of each optional field that it may be there and undefined.
  return transport as Transport;
}

function sse({ url, headers = {} }: McpAddress): Transport {
  return new SSEClientTransport(new URL(url), { requestInit: { headers }, fetch: boundedFetch });
}
