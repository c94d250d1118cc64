/** Why a tool server does not run, in words. Pure. */
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { McpProblem } from '../../protocol/mcp.js';

type Code = McpProblem['code'];

/** @param detail See McpProblem. */
const WORDS: Record<Code, (detail: string) => string> = {
  not_found: (detail) =>
    `The program "${detail}" was not found. Install it, or give its whole path.`,
  not_permitted: (detail) => `"${detail}" is no program that may be run.`,
  no_folder: (detail) => `There is no folder ${detail} to run it in.`,
  exited: (detail) => (detail === '' ? 'The program ended.' : `The program ended: ${detail}`),
  refused: (detail) => `Nothing answers at ${detail}. Is the server running?`,
  unreachable: (detail) => `${detail} cannot be reached. Check the address and the network.`,
  unauthorized: (detail) => `${detail} asks for a key: add it under headers.`,
  status: (detail) => `The server answered with ${detail}.`,
  timeout: () => 'It did not answer in time.',
  too_much: () => 'It sent more than can be read at once.',
  protocol: (detail) =>
    detail === ''
      ? 'What it answers is not the Model Context Protocol.'
      : `What it answers is not the Model Context Protocol: ${detail}`,
  secrets: (detail) => detail,
};

/** Characters of a stranger's words in a sentence. */
const DETAIL_MAX = 300;

export class ToolServerError extends Error {
  override readonly name = 'ToolServerError';
  readonly problem: McpProblem;

  constructor(code: Code, detail: string | null = null) {
    const shown = detail === null ? null : oneLine(detail);
    super(WORDS[code](shown ?? ''));
    this.problem = { code, message: this.message, detail: shown };
  }
}

/** Codes with which trying again by itself cannot help: the person has to change something. */
const LASTING: ReadonlySet<Code> = new Set<Code>([
  ...(['not_found', 'not_permitted', 'no_folder', 'unauthorized', 'secrets'] as const),
]);

export const isLasting = ({ code }: McpProblem) => LASTING.has(code);

/** @param where The program or the origin of the address. */
export function toProblem(error: unknown, where: string): McpProblem {
  if (error instanceof ToolServerError) return error.problem;
  const as = (code: Code, detail: string | null = where) =>
    new ToolServerError(code, detail).problem;
  if (error instanceof McpError) {
    if (error.code === ErrorCode.RequestTimeout) return as('timeout', null);
    if (error.code === ErrorCode.ConnectionClosed) return as('exited', null);
    return as('protocol', error.message.replace(/^MCP error -?\d+: /, ''));
  }
  const status = statusOf(error);
  if (status === 401 || status === 403) return as('unauthorized');
  if (status !== null) return as('status', `status ${status}`);
  const code = systemCode(error);
  if (code === 'ECONNREFUSED') return as('refused');
  if (code !== null || error instanceof TypeError) return as('unreachable');
  return as('protocol', error instanceof Error ? error.message : String(error));
}

/** Of an HTTP answer; null: there was none. */
export function statusOf(error: unknown): number | null {
  if (error instanceof UnauthorizedError) return 401;
  const isHttp = error instanceof StreamableHTTPError || error instanceof SseError;
  return isHttp && error.code !== undefined && error.code >= 100 ? error.code : null;
}

/** Such as "ECONNREFUSED", of the error or of what caused it. */
function systemCode(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; depth++) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    at = at instanceof AggregateError ? at.errors[0] : at.cause;
  }
  return null;
}

function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim();
  return line.length > DETAIL_MAX ? `${line.slice(0, DETAIL_MAX)}…` : line;
}
