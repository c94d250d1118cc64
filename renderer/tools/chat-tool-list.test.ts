import { expect, test } from 'vitest';
import type { McpServer, McpTool } from '../../protocol/mcp.js';
import { toolCount, toolsOn } from './chat-tool-list.js';

const tool = (changes: Partial<McpTool> = {}): McpTool => ({
  ...{ name: 'a', title: null, description: '', input_schema: {}, read_only: false },
  ...{ consent: 'ask', unusable: null, ...changes },
});
const server = (id: string, tools: McpTool[], changes: Partial<McpServer> = {}): McpServer => ({
  ...{ id, enabled: true, config: { command: 'a' }, status: 'ready', problem: null },
  ...{ retry_at: null, log: [], tools, ...changes },
});

const servers = [
  server('a', [tool(), tool({ consent: 'always' }), tool({ consent: 'never' })]),
  server('b', [tool(), tool({ unusable: 'Its schema is too long.' })]),
  server('c', [tool()], { status: 'failed' }),
];

test('those count that a model may be told of', () => {
  expect(toolCount(servers, null)).toBe(3);
  expect(toolCount(servers, ['b', 'c'])).toBe(1);
  expect(toolCount(servers, [])).toBe(0);
});

test('a chat may have some, none, or all there will be', () => {
  expect(toolsOn(servers, null, 'b', false)).toEqual(['a', 'c']);
  expect(toolsOn(servers, ['a'], 'a', false)).toEqual([]);
  expect(toolsOn(servers, ['a', 'c'], 'b', true)).toBeNull();
  expect(toolsOn(servers, ['a'], 'b', true)).toEqual(['a', 'b']);
});
