/** The person's tool servers. All throw ApiError with a sentence for people. */
import {
  type McpCheck,
  type McpServer,
  type McpServerConfig,
  type McpServerPatch,
  mcpCheckSchema,
  mcpServerListSchema,
  type ToolDecision,
} from '../../protocol/mcp.js';
import { readJson, request, sendJson } from './http.js';

const PATH = '/pilotlight/mcp';
const one = (id: string) => `${PATH}/servers/${encodeURIComponent(id)}`;

async function servers(response: Promise<Response>): Promise<McpServer[]> {
  return (await readJson(mcpServerListSchema, await response)).servers;
}

export function listToolServers(): Promise<McpServer[]> {
  return servers(request(`${PATH}/servers`));
}

/** Adds them, or replaces those of the same names. */
export function putToolServers(configs: Record<string, McpServerConfig>): Promise<McpServer[]> {
  return servers(sendJson('PUT', `${PATH}/servers`, { mcpServers: configs }));
}

export function patchToolServer(id: string, patch: McpServerPatch): Promise<McpServer[]> {
  return servers(sendJson('PATCH', one(id), patch));
}

export function restartToolServer(id: string): Promise<McpServer[]> {
  return servers(request(`${one(id)}/restart`, { method: 'POST' }));
}

export function removeToolServer(id: string): Promise<McpServer[]> {
  return servers(request(one(id), { method: 'DELETE' }));
}

/** Reads what was pasted, and changes nothing. */
export async function checkToolText(text: string, signal: AbortSignal): Promise<McpCheck> {
  return readJson(mcpCheckSchema, await sendJson('POST', `${PATH}/check`, { text }, signal));
}

/** The person's word on a call that waits for it. */
export async function decideToolCall(
  place: { chat: string; message: string; call: string },
  decision: ToolDecision['decision'],
): Promise<void> {
  const { chat, message, call } = place;
  const path = ['chats', chat, 'messages', message, 'tools', call]
    .map(encodeURIComponent)
    .join('/');
  await sendJson('POST', `/pilotlight/${path}`, { decision });
}
