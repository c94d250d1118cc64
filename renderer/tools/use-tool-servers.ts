import { useEffect } from 'react';
import type { McpServer } from '../../protocol/mcp.js';
import { listToolServers } from '../api/mcp.js';
import { type ResourceState, ResourceStore } from '../shell/resource-store.js';
import { useStore } from '../shell/use-store.js';

/** One for the window: the settings and the chat show the same. */
export const toolServers = new ResourceStore(listToolServers);

/** @param changes Of the server's state; they are read anew with each. Null: the server is not there. */
export function useToolServers(changes: number | null): ResourceState<McpServer[]> {
  useEffect(() => {
    if (changes !== null) void toolServers.load();
  }, [changes]);
  return useStore(toolServers);
}
