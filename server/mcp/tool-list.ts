/** The tools that a server tells of, bounded: names, words and schemas are a stranger's. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { McpTool } from '../../protocol/mcp.js';
import { ApiError } from '../http/errors.js';
import { toSchemaText } from '../request/schema.js';

/** Far more than any model finds its way in. */
const TOOLS_MAX = 1_000;
const PAGES_MAX = 100;

/** Characters. */
const NAME_MAX = 200;
const DESCRIPTION_MAX = 4_000;
const SCHEMA_MAX = 100_000;

/** What is the server's word, all but the person's consent. */
export type OfferedTool = Omit<McpTool, 'consent'>;

/**
 * In the server's order; of two with the same name the first.
 * @param patience Milliseconds for a page.
 */
export async function listTools(client: Client, patience: number): Promise<OfferedTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools = new Map<string, OfferedTool>();
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.listTools(params, { timeout: patience });
    for (const tool of answer.tools) {
      if (tools.size >= TOOLS_MAX) return [...tools.values()];
      if (!tools.has(tool.name)) tools.set(tool.name, toOffered(tool));
    }
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return [...tools.values()];
}

function toOffered(tool: Tool): OfferedTool {
  const unusable = problemOf(tool);
  const title = tool.title ?? tool.annotations?.title ?? null;
  return {
    name: tool.name,
    title: title === null ? null : shorten(title, NAME_MAX),
    description: shorten(tool.description ?? '', DESCRIPTION_MAX),
    input_schema: unusable === null ? tool.inputSchema : {},
    read_only: tool.annotations?.readOnlyHint === true,
    unusable,
  };
}

function problemOf({ name, inputSchema }: Tool): string | null {
  if (name.length > NAME_MAX) return 'Its name is too long.';
  if (JSON.stringify(inputSchema).length > SCHEMA_MAX) return 'Its schema is too long.';
  try {
    toSchemaText(inputSchema, {
      ...{ what: 'The schema of its arguments', param: 'tools', code: 'invalid_tool' },
    });
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

function shorten(text: string, length: number): string {
  const printable = text.replace(/[^\P{Cc}\n\t]|\p{Cs}/gu, '');
  return printable.length > length ? `${printable.slice(0, length)}…` : printable;
}
