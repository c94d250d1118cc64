/** Tools and how they are to be chosen, as clients send them → as the engine takes them. */
import type { Tool, ToolChoice } from '../../protocol/engine.js';
import type { WireTool, WireToolChoice } from '../../protocol/openai.js';
import { invalidRequest } from '../http/errors.js';
import { toSchemaText } from '../request/schema.js';

export interface ToolUse {
  tools: Tool[];
  toolChoice: ToolChoice;
  /** False: at most one call. */
  parallelToolCalls: boolean;
}

/**
 * `none` takes the tools out of the prompt; `allowed_tools` leaves only those in it that are allowed. A function that is
 * named is called once, as at the vendor, whatever is said of parallel calls.
 * @param parallelToolCalls Whether there may be several calls.
 * @throws ApiError 400 that names the parameter.
 */
export function toToolUse(
  wire: readonly WireTool[],
  choice: WireToolChoice | null | undefined,
  parallelToolCalls: boolean,
): ToolUse {
  const tools = wire.map(toTool);
  refuseTwins(tools);
  const wanted = choice ?? 'auto';
  if (wanted === 'none') return { tools: [], toolChoice: 'none', parallelToolCalls };
  if (wanted === 'auto') return { tools, toolChoice: 'auto', parallelToolCalls };
  if (tools.length === 0) {
    throw invalidRequest('tool_choice asks for a tool, and "tools" has none.', 'tool_choice');
  }
  if (wanted === 'required') return { tools, toolChoice: 'required', parallelToolCalls };
  if ('allowed_tools' in wanted) {
    const { mode, tools: named } = wanted.allowed_tools as {
      mode: 'auto' | 'required';
      tools: { function: { name: string } }[];
    };
    const names = new Set(named.map(({ function: { name } }) => known(name, tools)));
    const allowed = tools.filter(({ name }) => names.has(name));
    return { tools: allowed, toolChoice: mode, parallelToolCalls };
  }
  const { name } = (wanted as { function: { name: string } }).function;
  return { tools, toolChoice: { name: known(name, tools) }, parallelToolCalls: false };
}

function toTool(
  { function: { name, description, parameters, strict } }: WireTool,
  index: number,
): Tool {
  return {
    name,
    description: description ?? '',
    parameters: toSchemaText(parameters ?? {}, {
      what: `The schema of the tool "${name}"`,
      param: `tools[${index}]`,
      code: 'invalid_tool',
    }),
    strict: strict ?? false,
  };
}

function refuseTwins(tools: readonly Tool[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) throw invalidRequest(`tools has two functions called "${name}".`, 'tools');
    names.add(name);
  }
}

function known(name: string, tools: readonly Tool[]): string {
  if (tools.some((tool) => tool.name === name)) return name;
  throw invalidRequest(
    `tool_choice names "${name.slice(0, 100)}", which is not in "tools".`,
    'tool_choice',
  );
}
