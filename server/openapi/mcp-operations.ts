/** Servers of tools for the chats; seen and changed on this machine only. */
import {
  mcpCheckSchema,
  mcpConfigSchema,
  mcpServerListSchema,
  mcpServerPatchSchema,
  mcpTextSchema,
} from '../../protocol/mcp.js';
import { errorBody, NAMED_STATUSES } from './openai-errors.js';
import type { ErrorDescription, Named, Operation } from './operation.js';

const TAG = 'Tools';
const PATH = '/pilotlight/mcp';

const STATUSES = {
  ...NAMED_STATUSES,
  403: "From another machine and without a key of the person's own, or a foreign Host or Origin.",
};
const ERRORS: ErrorDescription = { bodies: [errorBody], statuses: STATUSES };
const CHANGE_ERRORS: ErrorDescription = {
  bodies: [errorBody],
  statuses: { ...STATUSES, 500: 'It cannot be saved.' },
};

const list: Named = { name: 'McpServerList', schema: mcpServerListSchema };
const config: Named = { name: 'McpConfig', schema: mcpConfigSchema };
const serverPatch: Named = { name: 'McpServerPatch', schema: mcpServerPatchSchema };
const text: Named = { name: 'McpText', schema: mcpTextSchema };
const read: Named = { name: 'McpCheck', schema: mcpCheckSchema };

const parameters = [{ name: 'id', in: 'path', description: 'Its name.' }] as const;
const answer = { description: 'All servers, with their tools; never a secret.', bodies: [list] };

export const MCP_OPERATIONS: readonly Operation[] = [
  {
    ...{ method: 'get', path: `${PATH}/servers`, id: 'listToolServers', tag: TAG, answer },
    summary: 'Tool servers, and the tools of those that run',
    errors: ERRORS,
  },
  {
    ...{ method: 'put', path: `${PATH}/servers`, id: 'putToolServers', tag: TAG, answer },
    summary: 'Add tool servers, or replace those of the same names',
    description:
      'New ones are off. One that would start another program or go to another address than before is switched off.',
    request: {
      ...config,
      example: { mcpServers: { memory: { command: 'npx', args: ['-y', 'server-memory'] } } },
    },
    errors: CHANGE_ERRORS,
  },
  {
    ...{ method: 'patch', path: `${PATH}/servers/{id}`, id: 'changeToolServer', tag: TAG, answer },
    summary: 'Switch a tool server on or off, and say which of its tools may be called',
    parameters,
    request: { ...serverPatch, example: { enabled: false } },
    errors: CHANGE_ERRORS,
  },
  {
    ...{ method: 'delete', path: `${PATH}/servers/{id}`, id: 'removeToolServer', tag: TAG, answer },
    summary: 'Remove a tool server, and its secrets',
    parameters,
    errors: CHANGE_ERRORS,
  },
  {
    method: 'post',
    path: `${PATH}/servers/{id}/restart`,
    ...{ id: 'restartToolServer', tag: TAG, answer },
    summary: 'Start a tool server anew',
    parameters,
    errors: { ...ERRORS, statuses: { ...STATUSES, 409: 'It is switched off.' } },
  },
  {
    ...{ method: 'post', path: `${PATH}/check`, id: 'checkToolConfig', tag: TAG },
    summary: 'Read the configuration of another app, and change nothing',
    request: { ...text, example: { text: '{"mcpServers": {"a": {"command": "npx"}}}' } },
    answer: { description: 'Each server in it, with what is wrong about it.', bodies: [read] },
    errors: ERRORS,
  },
];
