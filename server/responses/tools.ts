/** Tools and tool_choice in the flat shape of the Responses API → as the chat route has them. */
import { z } from 'zod';
import type { WireToolChoice } from '../../protocol/openai.js';
import {
  functionToolSchema,
  type ResponseTool,
  type ResponseToolChoice,
} from '../../protocol/responses.js';
import { invalidRequest } from '../http/errors.js';
import { type ToolUse, toToolUse } from '../openai/tools.js';

/**
 * Tools that a server would run itself are refused by name.
 * @throws ApiError 400 with the tool's place in `param`.
 */
export function readTools(wire: readonly { type: string }[]): ResponseTool[] {
  return wire.map((tool, i) => {
    const at = `tools[${i}]`;
    if (tool.type !== 'function') {
      throw invalidRequest(
        `The tool "${tool.type.slice(0, 50)}" is not available: the tools of Pilotlight are functions, which your program runs.`,
        `${at}.type`,
        'unsupported_tool',
      );
    }
    const parsed = functionToolSchema.safeParse(tool);
    if (parsed.success) return parsed.data;
    const field = String(parsed.error.issues[0]?.path[0]);
    throw invalidRequest(
      `${at}.${field} is not right: a function is {"type": "function", "name": …, "parameters": …}, its name made of letters, digits, "_", "-" and "."; a JSON Schema is an object.`,
      `${at}.${field}`,
    );
  });
}

/** @throws ApiError 400 that names the parameter. */
export function toResponseToolUse(
  tools: readonly ResponseTool[],
  choice: ResponseToolChoice,
  parallelToolCalls: boolean,
): ToolUse {
  return toToolUse(
    tools.map(({ type, name, description, parameters, strict }) => ({
      type,
      function: { name, description, parameters, strict },
    })),
    nested(choice),
    parallelToolCalls,
  );
}

const namedSchema = z.object({ name: z.string() });

function nested(choice: ResponseToolChoice): WireToolChoice {
  if (typeof choice === 'string') return choice;
  if (choice.type === 'function') {
    return { type: 'function', function: { name: namedSchema.parse(choice).name } };
  }
  const { mode, tools } = choice as {
    mode: 'auto' | 'required';
    tools: { name: string }[];
  };
  return {
    type: 'allowed_tools',
    allowed_tools: {
      mode,
      tools: tools.map(({ name }) => ({ type: 'function', function: { name } })),
    },
  };
}
