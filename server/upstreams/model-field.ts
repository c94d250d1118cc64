/** The name of the model in a request's body, changed in the bytes themselves: all others stay as they came. Pure. */

/** By which a body names its model; Ollama's older clients say `name`. */
export type ModelField = 'model' | 'name';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const SPACE = 0x20;
/** "[" and "{", "]" and "}" differ in this bit only. */
const BRACKET_OR_BRACE = 0x20;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * The body with another model in it.
 * @param body An object of JSON, whose text is well formed.
 * @param field Every value of this field is replaced, so that it does not matter which one of several a server takes;
 * where there is none, one is put in front.
 */
export function withModel(body: Buffer, field: ModelField, model: string): Buffer {
  const value = Buffer.from(JSON.stringify(model));
  const places = valuesOf(body, field);
  if (places.length === 0) {
    const start = body.indexOf(OPENING_BRACE) + 1;
    const comma = isEmptyObject(body, start) ? '' : ',';
    return Buffer.concat([
      body.subarray(0, start),
      Buffer.from(`${JSON.stringify(field)}:`),
      value,
      Buffer.from(comma),
      body.subarray(start),
    ]);
  }
  const parts: Buffer[] = [];
  let from = 0;
  for (const { start, end } of places) {
    parts.push(body.subarray(from, start), value);
    from = end;
  }
  return Buffer.concat([...parts, body.subarray(from)]);
}

/** The field that names the model. `model` is null where none does; an empty name is none. */
export function namedModel(
  body: unknown,
  isOllama: boolean,
): { field: ModelField; model: string | null } {
  const values = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  for (const field of isOllama ? (['model', 'name'] as const) : (['model'] as const)) {
    const value = values[field];
    if (typeof value === 'string' && value !== '') return { field, model: value };
  }
  return { field: 'model', model: null };
}

interface Span {
  start: number;
  end: number;
}

/** Where the values of a field of the outermost object are. */
function valuesOf(body: Buffer, field: ModelField): Span[] {
  const found: Span[] = [];
  let depth = 0;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i] as number;
    if (byte === QUOTE) {
      const end = endOfString(body, i);
      const colon = skipSpace(body, end);
      if (depth === 1 && body[colon] === COLON && isName(body, i, end, field)) {
        const start = skipSpace(body, colon + 1);
        const stop = endOfValue(body, start);
        found.push({ start, end: stop });
        i = stop - 1;
      } else {
        i = end - 1;
      }
    } else if ((byte | BRACKET_OR_BRACE) === OPENING_BRACE) {
      depth++;
    } else if ((byte | BRACKET_OR_BRACE) === CLOSING_BRACE) {
      depth--;
    }
  }
  return found;
}

/** A name may be written with escapes. */
function isName(body: Buffer, start: number, end: number, field: string): boolean {
  // The longest way to write a character takes six bytes.
  if (end - start > 2 + 6 * field.length) return false;
  return JSON.parse(body.toString('utf8', start, end)) === field;
}

/** @returns the place after the quote that ends the string. */
function endOfString(body: Buffer, start: number): number {
  for (let i = start + 1; i < body.length; i++) {
    const byte = body[i];
    if (byte === BACKSLASH) i++;
    else if (byte === QUOTE) return i + 1;
  }
  return body.length;
}

function skipSpace(body: Buffer, from: number): number {
  let i = from;
  while ((body[i] ?? BACKSLASH) <= SPACE) i++;
  return i;
}

/** @returns the place after the value that begins at `start`. */
function endOfValue(body: Buffer, start: number): number {
  let depth = 0;
  for (let i = start; i < body.length; i++) {
    const byte = body[i] as number;
    if (byte === QUOTE) {
      i = endOfString(body, i) - 1;
      if (depth === 0) return i + 1;
    } else if ((byte | BRACKET_OR_BRACE) === OPENING_BRACE) {
      depth++;
    } else if ((byte | BRACKET_OR_BRACE) === CLOSING_BRACE) {
      if (depth === 0) return i;
      depth--;
      if (depth === 0) return i + 1;
    } else if (depth === 0 && (byte === COMMA || byte <= SPACE)) {
      return i;
    }
  }
  return body.length;
}

function isEmptyObject(body: Buffer, afterBrace: number): boolean {
  return body[skipSpace(body, afterBrace)] === CLOSING_BRACE;
}
