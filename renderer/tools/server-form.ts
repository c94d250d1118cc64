/** What is typed about a tool server ↔ its configuration. Pure. */
import type { McpServerConfig } from '../../protocol/mcp.js';

export type FormKind = 'program' | 'address';

export interface ServerForm {
  name: string;
  command: string;
  args: string;
  env: string;
  cwd: string;
  url: string;
  headers: string;
  /** As it was: nobody has to know of it. */
  type: 'http' | 'sse' | null;
}

export const EMPTY_FORM: ServerForm = {
  ...{ name: '', command: '', args: '', env: '', cwd: '', url: '', headers: '', type: null },
};

export function formOf(name: string, config: McpServerConfig): ServerForm {
  if ('command' in config) {
    return {
      ...{ ...EMPTY_FORM, name, command: config.command, cwd: config.cwd ?? '' },
      args: (config.args ?? []).join('\n'),
      env: linesOf(config.env ?? {}, '='),
    };
  }
  return {
    ...{ ...EMPTY_FORM, name, url: config.url, type: config.type ?? null },
    headers: linesOf(config.headers ?? {}, ': '),
  };
}

/** What is wrong with it the server says. */
export function configOf(kind: FormKind, form: ServerForm): McpServerConfig {
  if (kind === 'address') {
    const headers = valuesOf(form.headers, ':');
    return {
      url: form.url.trim(),
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
      ...(form.type === null ? {} : { type: form.type }),
    };
  }
  // Spaces may be a part of an argument; an empty line at the end is none.
  const args = form.args === '' ? [] : form.args.replace(/\n$/, '').split('\n');
  const env = valuesOf(form.env, '=');
  const cwd = form.cwd.trim();
  return {
    command: form.command.trim(),
    ...(args.length > 0 ? { args } : {}),
    ...(Object.keys(env).length > 0 ? { env } : {}),
    ...(cwd === '' ? {} : { cwd }),
  };
}

function linesOf(values: Record<string, string>, separator: string): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}${separator}${value}`)
    .join('\n');
}

function valuesOf(text: string, separator: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(separator);
      // Without a separator it is a name without a value.
      return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}
