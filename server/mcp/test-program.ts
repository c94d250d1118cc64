/** The tests' tool server as a program. */
import path from 'node:path';
import type { McpProgram } from '../../protocol/mcp.js';

const SCRIPT = path.resolve(import.meta.dirname, '../../scripts/test-tools/stdio-server.mjs');

/** @param how See there. */
export function testProgram(how = 'plain'): McpProgram {
  return { command: process.execPath, args: [SCRIPT, how] };
}
