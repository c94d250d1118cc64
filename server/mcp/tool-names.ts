/**
 * Names under which a model is told of the tools of several servers: legal for the engine, and each another's even where
 * its grammar tells only letters and digits apart. Pure, and the same for the same tools, so that prompts stay the same.
 */

/** Characters: what OpenAI's API takes, so that other servers' models take it too. */
const NAME_MAX = 64;

export interface NamedTool {
  server: string;
  tool: string;
  /** Names of its arguments. */
  arguments: readonly string[];
}

/** Of the grammar itself. */
const RESERVED = ['tool-call', 'tool-calls', 'tool-call-root', 'tool-call-first'];

/** In the order of the tools. */
export function engineNames(tools: readonly NamedTool[]): string[] {
  const counts = new Map<string, number>();
  for (const { tool } of tools) counts.set(legal(tool), (counts.get(legal(tool)) ?? 0) + 1);
  const taken = new Set(RESERVED);
  return tools.map(({ server, tool, arguments: args }) => {
    const isAlone = counts.get(legal(tool)) === 1;
    const wanted = isAlone ? legal(tool) : legal(`${server}_${tool}`);
    for (let n = 1; ; n++) {
      const name = n === 1 ? wanted : `${wanted.slice(0, NAME_MAX - 1 - `${n}`.length)}_${n}`;
      const rules = rulesOf(name, args);
      if (rules.some((rule) => taken.has(rule))) continue;
      for (const rule of rules) taken.add(rule);
      return name;
    }
  });
}

/** How a tool that is offered no more was called. */
export function legal(text: string): string {
  const name = text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, NAME_MAX);
  return /[A-Za-z0-9]/.test(name) ? name : 'tool';
}

/** Rules of the engine's grammar: see native/src/tool_check.cpp. */
function rulesOf(name: string, args: readonly string[]): string[] {
  const own = args.map((arg) => ruleName(`tool-${name}-arg-${arg}`));
  return [ruleName(`tool-${name}`), ...new Set(own)];
}

function ruleName(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replace(/[^A-Za-z0-9]+/g, '-');
}
