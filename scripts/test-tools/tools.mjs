// The tools of the tests' servers, over the SDK's own server: good ones, and ones that do what no tool should.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';

/** @typedef {import('@modelcontextprotocol/sdk/types.js').Tool} Tool */
/** @typedef {import('@modelcontextprotocol/sdk/types.js').CallToolResult} Result */
/** @typedef {Record<string, unknown>} Args */

const NOTHING = /** @type {const} */ ({ type: 'object', properties: {} });

/** @param {string} text @returns {Result} */
const say = (text) => ({ content: [{ type: 'text', text }] });

/** @type {Tool[]} */
const TOOLS = [
  {
    name: 'get_weather',
    title: 'Weather',
    description: 'The weather of a city.',
    annotations: { readOnlyHint: true },
    inputSchema: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    },
  },
  ...['hang', 'crash', 'huge', 'fail', 'refuse', 'picture', 'surroundings', 'grow'].map((name) => ({
    name,
    description: `Does what it says: ${name}.`,
    inputSchema: NOTHING,
  })),
];

/** @type {Record<string, (args: Args, server: Server, tools: Tool[]) => Result | Promise<Result>>} */
const CALLS = {
  get_weather: ({ city }) => say(`22 °C and sunny in ${city}.`),
  hang: () => new Promise(() => {}),
  crash: () => {
    process.stderr.write('Out of cheese.\n');
    process.exit(3);
  },
  huge: () => say('x'.repeat(1_000_000)),
  fail: () => ({ ...say('No such city.'), isError: true }),
  refuse: () => {
    throw new McpError(-32602, 'Not like this.');
  },
  picture: () => ({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }),
  surroundings: () => say(JSON.stringify({ env: process.env, cwd: process.cwd() })),
  grow: async (_, server, tools) => {
    tools.push({ name: `tool_${tools.length}`, inputSchema: NOTHING });
    await server.sendToolListChanged();
    return say('done');
  },
};

/**
 * @param {Tool[]} [more] Told besides; a call of theirs gives their name back.
 * @param {string} [weather] What the call of get_weather does in truth, such as "hang".
 * @returns {Server} to be connected to a transport.
 */
export function testToolServer(more = [], weather = 'get_weather') {
  const tools = [...TOOLS, ...more];
  const server = new Server(
    { name: 'test-tools', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    const next = from + 50;
    const page = tools.slice(from, next);
    return next < tools.length ? { tools: page, nextCursor: `${next}` } : { tools: page };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    process.stderr.write(`${params.name} was called\n`);
    signal.addEventListener('abort', () => process.stderr.write(`${params.name} was cancelled\n`));
    const call = CALLS[params.name === 'get_weather' ? weather : params.name];
    return call ? call(params.arguments ?? {}, server, tools) : say(params.name);
  });
  return server;
}
