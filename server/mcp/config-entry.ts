/** One tool server as apps write it down → as it is kept here. Pure. */
import type { McpAddress, McpEntry, McpProgram, McpServerConfig } from '../../protocol/mcp.js';
import { MCP_NAME_MAX } from '../../protocol/mcp.js';
import { PRINTABLE } from '../printable.js';

type Json = Record<string, unknown>;
type Problem = NonNullable<McpEntry['problem']>;

export type ReadEntry =
  | { config: McpServerConfig; problem: null; detail: null }
  | { config: null; problem: Problem; detail: string | null };

/** What editors put in themselves; nobody does it here. */
const PLACEHOLDER =
  /\$\{(input|env|command|config|workspaceFolder|workspaceRoot|userHome)\b[^}]*\}/;

/** RFC 9110's token: all that the name of a header may be. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/** How the apps call the field for an address. */
const URL_KEYS = ['url', 'serverUrl', 'httpUrl'] as const;

/** Null where the name can be used. */
export function nameProblem(name: string): Problem | null {
  const isGood = name.trim() === name && name !== '' && name.length <= MCP_NAME_MAX;
  return isGood && PRINTABLE.test(name) ? null : 'name';
}

/** Fields that other apps have for themselves are passed over. */
export function readEntry(value: unknown): ReadEntry {
  if (!isObject(value)) return refuse('not_object', null);
  const placeholder = findPlaceholder(value);
  if (placeholder !== null) return refuse('placeholder', placeholder);
  if (value.command !== undefined) return readProgram(value);
  const key = URL_KEYS.find((each) => value[each] !== undefined);
  if (key !== undefined) return readAddress(value[key], value);
  return refuse('no_command', null);
}

function readProgram({ command, args, env, cwd }: Json): ReadEntry {
  if (!isText(command) || command.trim() === '') return refuse('command', null);
  if (args !== undefined && !(Array.isArray(args) && args.every(isText))) {
    return refuse('args', null);
  }
  const variables = readStrings(env ?? {}, (name) => name !== '' && !/[=\0]/.test(name));
  if (variables === null) return refuse('env', null);
  if (cwd !== undefined && cwd !== null && !(isText(cwd) && /^([\\/]|[a-z]:|~)/i.test(cwd))) {
    return refuse('cwd', String(cwd).slice(0, 200));
  }
  const config: McpProgram = {
    command: command.trim(),
    ...(Array.isArray(args) && args.length > 0 ? { args: args.filter(isText) } : {}),
    ...(variables.size > 0 ? { env: Object.fromEntries(variables) } : {}),
    ...(isText(cwd) ? { cwd } : {}),
  };
  return { config, problem: null, detail: null };
}

function readAddress(url: unknown, { headers, type, transport }: Json): ReadEntry {
  if (!isText(url) || !isAddress(url.trim())) return refuse('url', String(url).slice(0, 200));
  const fields = readStrings(headers ?? {}, (name) => HEADER_NAME.test(name));
  if (fields === null || ![...fields.values()].every(isHeaderValue)) return refuse('headers', null);
  const wanted = type ?? transport;
  const config: McpAddress = {
    url: url.trim(),
    ...(fields.size > 0 ? { headers: Object.fromEntries(fields) } : {}),
    ...(wanted === 'sse' ? { type: 'sse' as const } : {}),
  };
  return { config, problem: null, detail: null };
}

function isAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

const isHeaderValue = (value: string) => /^[\t\x20-\x7e\x80-\xff•]*$/.test(value);

/** Numbers and switches become texts, as in the apps that take them; null: there is more in it. */
function readStrings(
  value: unknown,
  isName: (name: string) => boolean,
): ReadonlyMap<string, string> | null {
  if (!isObject(value)) return null;
  const read = new Map<string, string>();
  for (const [name, each] of Object.entries(value)) {
    const isPlain = isText(each) || typeof each === 'number' || typeof each === 'boolean';
    if (!isName(name) || !isPlain || String(each).includes('\0')) return null;
    read.set(name, String(each));
  }
  return read;
}

function findPlaceholder(value: unknown): string | null {
  if (isText(value)) return PLACEHOLDER.exec(value)?.[0].slice(0, 100) ?? null;
  if (typeof value !== 'object' || value === null) return null;
  for (const each of Object.values(value)) {
    const found = findPlaceholder(each);
    if (found !== null) return found;
  }
  return null;
}

function refuse(problem: Problem, detail: string | null): ReadEntry {
  return { config: null, problem, detail };
}

const isText = (value: unknown): value is string => typeof value === 'string';

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
