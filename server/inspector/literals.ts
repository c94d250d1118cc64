/** Values of JSON as literals of a language, laid out for people. Pure. */

export interface Words {
  true: string;
  false: string;
  null: string;
  /** The name of a field with its separator, from its name as a JSON string. */
  field: (name: string) => string;
}

export const JSON_WORDS: Words = {
  true: 'true',
  false: 'false',
  null: 'null',
  field: (name) => `${name}: `,
};

/** A JSON string is a string of Python: it has the same escapes. */
export const PYTHON_WORDS: Words = { ...JSON_WORDS, true: 'True', false: 'False', null: 'None' };

/** A field of this name in an object's literal would set its prototype. */
export const JAVASCRIPT_WORDS: Words = {
  ...JSON_WORDS,
  field: (name) => (name === '"__proto__"' ? '["__proto__"]: ' : `${name}: `),
};

/** Arrays of nothing but numbers, such as token ids, are one line. */
const isNumbers = (value: readonly unknown[]): boolean =>
  value.every((item) => typeof item === 'number');

/**
 * @param value What JSON.parse gives.
 * @param indent What the lines after the first one begin with.
 */
export function literal(value: unknown, words: Words, indent = ''): string {
  if (value === null || typeof value === 'boolean') return words[`${value}`];
  // Escapes all control characters and lone surrogates, so that it is one line of valid UTF-8.
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (isNumbers(value)) return JSON.stringify(value);
    return block(
      '[',
      value.map((item) => literal(item, words, inner)),
      ']',
      indent,
    );
  }
  const fields = Object.entries(value).map(
    ([name, item]) => words.field(JSON.stringify(name)) + literal(item, words, inner),
  );
  return block('{', fields, '}', indent);
}

function block(open: string, items: readonly string[], close: string, indent: string): string {
  if (items.length === 0) return open + close;
  return `${open}\n${items.map((item) => `${indent}  ${item}`).join(',\n')}\n${indent}${close}`;
}

/** How deep arrays and objects are nested; 0: it is neither. */
export function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return (
    1 + Object.values(value).reduce<number>((depth, item) => Math.max(depth, depthOf(item)), 0)
  );
}
