/** A JSON Schema as the person types it. Pure. */

/** `line`: of the first mistake, from 1. `object`: it is JSON, but no schema. */
export type SchemaProblem = { kind: 'json'; line: number } | { kind: 'object' };

/** null: it is one, or nothing. */
export function schemaProblem(text: string): SchemaProblem | null {
  if (text.trim() === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { kind: 'json', line: lineOf(text, error instanceof Error ? error.message : '') };
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? null : { kind: 'object' };
}

/** Engines of JavaScript tell the place as "position 12", "line 3", or not at all: then it is the end. */
function lineOf(text: string, message: string): number {
  const line = /line (\d+)/.exec(message)?.[1];
  if (line !== undefined) return Number(line);
  const position = /position (\d+)/.exec(message)?.[1];
  const before = position === undefined ? text : text.slice(0, Number(position));
  return before.split('\n').length;
}

export const EXAMPLE_SCHEMA = `{
  "type": "object",
  "properties": {
    "answer": { "type": "string" },
    "confidence": { "type": "number", "minimum": 0, "maximum": 1 }
  },
  "required": ["answer", "confidence"],
  "additionalProperties": false
}`;
