/**
 * What a person pastes from another app → tool servers, each with what is wrong about it. Pure. Taken are whole files of
 * Claude, Cursor, LM Studio ("mcpServers"), VS Code ("servers", with comments), Zed ("context_servers"), and parts of
 * them.
 */
import stripJsonComments from 'strip-json-comments';
import type { McpCheck } from '../../protocol/mcp.js';
import { isDeeperThan } from '../http/body.js';
import { isObject, nameProblem, readEntry } from './config-entry.js';

const LIST_KEYS = ['mcpServers', 'servers', 'context_servers', 'mcp_servers'] as const;

/** What tells one server from a list of them. */
const OWN_KEYS = ['command', 'url', 'serverUrl', 'httpUrl'] as const;

/** Nobody writes deeper. */
const DEPTH_MAX = 32;

/** More than anybody has. */
const ENTRIES_MAX = 200;

/** @param isKnown Whether there is a server of this name. */
export function checkText(text: string, isKnown: (name: string) => boolean): McpCheck {
  const value = parse(text);
  if (value === undefined) return { problem: 'not_json', entries: [] };
  const entries = listIn(value).slice(0, ENTRIES_MAX);
  if (entries.length === 0) return { problem: 'no_servers', entries: [] };
  return {
    problem: null,
    entries: entries.map(([name, each]) => {
      const problem = nameProblem(name);
      const read = problem === null ? readEntry(each) : { config: null, problem, detail: null };
      return { name, ...read, replaces: isKnown(name) };
    }),
  };
}

/** Undefined where it is none. What was copied from the middle of a file lacks its braces. */
function parse(text: string): unknown {
  const bare = stripJsonComments(text.replace(/^\uFEFF/, '').trim(), { trailingCommas: true });
  for (const candidate of [bare, `{${bare.replace(/,\s*$/, '')}}`]) {
    if (isDeeperThan(DEPTH_MAX, Buffer.from(candidate))) return undefined;
    try {
      return JSON.parse(candidate);
    } catch {
      // The next one, if any.
    }
  }
  return undefined;
}

function listIn(value: unknown): [string, unknown][] {
  if (!isObject(value)) return [];
  for (const key of LIST_KEYS) {
    const list = value[key];
    if (isObject(list)) return Object.entries(list);
  }
  // VS Code's settings.json has its servers one level further in.
  if (isObject(value.mcp)) return listIn(value.mcp);
  if (OWN_KEYS.some((key) => value[key] !== undefined)) return [[nameOf(value), value]];
  const entries = Object.entries(value);
  return entries.every(([, each]) => isObject(each)) ? entries : [];
}

/** Of a server without one: after its program, its package or its host. */
function nameOf(value: Record<string, unknown>): string {
  const url = value.url ?? value.serverUrl ?? value.httpUrl;
  if (typeof url === 'string' && URL.canParse(url)) return new URL(url).hostname.slice(0, 64);
  const args = Array.isArray(value.args) ? value.args : [];
  const named = [...args, value.command].find(
    (each) => typeof each === 'string' && /^[^-\s]/.test(each),
  );
  const last = String(named ?? 'server')
    .split(/[\\/]/)
    .at(-1);
  return last?.replace(/@[\w.-]*$/, '').slice(0, 64) || 'server';
}
