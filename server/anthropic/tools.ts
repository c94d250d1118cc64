/** Tools and how they are to be chosen, as clients send them → as the engine takes them. */
import type { WireAnthropicTool, WireAnthropicToolChoice } from '../../protocol/anthropic.js';
import type { WireTool, WireToolChoice } from '../../protocol/openai.js';
import { invalidRequest } from '../http/errors.js';
import { type ToolUse, toToolUse } from '../openai/tools.js';

/** @throws ApiError 400 with the tool's place in `param`. */
export function toTools(
  wire: readonly WireAnthropicTool[],
  choice: WireAnthropicToolChoice | null | undefined,
): ToolUse {
  const tools = wire.map((tool, i) => toWireTool(tool, `tools[${i}]`));
  return toToolUse(tools, toWireChoice(choice), choice?.disable_parallel_tool_use !== true);
}

function toWireTool(tool: WireAnthropicTool, at: string): WireTool {
  const { type, name, description, input_schema: schema, input_examples: examples } = tool;
  if (type != null && type !== 'custom') {
    throw invalidRequest(
      `"${type.slice(0, 100)}" is not available: Pilotlight has no tools of its own. Describe a tool that you run with "name" and "input_schema".`,
      `${at}.type`,
      'unsupported_parameter',
    );
  }
  if (name == null || !/^[\w.-]{1,128}$/.test(name)) {
    throw invalidRequest(
      `${at}.name must be a text of 1 to 128 letters, digits, "_", "-" and ".".`,
      `${at}.name`,
    );
  }
  if (schema == null) {
    throw invalidRequest(
      `${at}.input_schema is missing: a JSON Schema is needed.`,
      `${at}.input_schema`,
      'missing_parameter',
    );
  }
  refuseDeferred(tool, at);
  const lines = (examples ?? []).map((example) => JSON.stringify(example));
  const shown = lines.length > 0 ? [`Examples of its input:\n${lines.join('\n')}`] : [];
  return {
    type: 'function',
    function: {
      name,
      description: [...(description ? [description] : []), ...shown].join('\n\n'),
      parameters: schema,
      strict: tool.strict,
    },
  };
}

/** A tool that a search would bring in, or that only other tools may call. */
function refuseDeferred(tool: WireAnthropicTool, at: string): void {
  const { defer_loading: isDeferred, allowed_callers: callers } = tool;
  if (isDeferred) {
    throw invalidRequest(
      `${at}.defer_loading is not available: without a search for tools it would never be loaded.`,
      `${at}.defer_loading`,
      'unsupported_parameter',
    );
  }
  if (Array.isArray(callers) && !callers.includes('direct')) {
    throw invalidRequest(
      `${at}.allowed_callers must contain "direct": here only the model calls tools.`,
      `${at}.allowed_callers`,
      'unsupported_parameter',
    );
  }
}

function toWireChoice(choice: WireAnthropicToolChoice | null | undefined): WireToolChoice {
  switch (choice?.type) {
    case 'any':
      return 'required';
    case 'none':
      return 'none';
    case 'tool':
      return { type: 'function', function: { name: choice.name } };
    default:
      return 'auto';
  }
}
