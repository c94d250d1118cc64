/**
 * JSON Schemas with the same meaning in words that the engine's converter knows. Pure.
 * - `"$ref": "#"`, the whole, as many generators write recursion: the converter follows references to places within the
 *   schema only, so the whole becomes a definition.
 * - An `allOf` of one, as many generators hang words on a reference: the converter only puts objects together there, so
 *   that it finds no end in recursion and makes an empty object of anything else. It is the one itself.
 */
import { isSchema, type Schema } from './schema-work.js';

/** Keywords whose value is data. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);

/** Keywords whose value has schemas under names of the client's own. */
const BY_NAME = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
]);

/** Keywords that ask nothing of a value. */
const WORDS = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['$comment', '$schema', '$id', '$defs', 'definitions'],
]);

export function rewriteSchema(schema: Schema): Schema {
  const { $defs: defined = {}, $ref } = schema;
  const refersToAll = JSON.stringify(schema).includes('"$ref":"#"');
  // What is nothing but itself has no meaning, and the engine refuses it.
  if (!refersToAll || $ref === '#' || !isSchema(defined)) return rewritten(schema, '#');
  let name = 'root';
  while (name in defined) name += '_';
  const { $defs = {}, ...whole } = rewritten(schema, `#/$defs/${name}`);
  const { definitions: _, ...definition } = whole;
  return { ...whole, $defs: { ...(isSchema($defs) ? $defs : {}), [name]: definition } };
}

/** @param all What refers to the whole. */
function rewritten(schema: Schema, all: string): Schema {
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === '$ref' && value === '#') return [key, all];
    if (DATA.has(key)) return [key, value];
    if (BY_NAME.has(key) && isSchema(value)) {
      const schemas = Object.entries(value).map(([name, each]) => [name, inside(each, all)]);
      return [key, Object.fromEntries(schemas)];
    }
    return [key, inside(value, all)];
  });
  return unwrapped(Object.fromEntries(entries));
}

function inside(value: unknown, all: string): unknown {
  if (Array.isArray(value)) return value.map((each) => inside(each, all));
  // With an id of its own it is another whole.
  return isSchema(value) && !('$id' in value) ? rewritten(value, all) : value;
}

/** Its only part, where it is an `allOf` of one and asks for nothing else. */
function unwrapped(schema: Schema): Schema {
  const { allOf, ...outer } = schema;
  const [part, ...others] = Array.isArray(allOf) ? allOf : [];
  if (!isSchema(part) || others.length > 0) return schema;
  const asksNothing = ([key, value]: [string, unknown]) =>
    WORDS.has(key) || (key === 'type' && ('$ref' in part || (part.type ?? value) === value));
  return Object.entries(outer).every(asksNothing) ? { ...part, ...outer } : schema;
}
