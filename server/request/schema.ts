/**
 * JSON Schemas as clients send them → as the engine takes them. Pure. What its converter cannot follow is written in
 * another way, and what it would not come to an end with is refused.
 */
import type { Grammar } from '../../protocol/engine.js';
import { isDeeperThan } from '../http/body.js';
import { invalidRequest } from '../http/errors.js';
import { rewriteSchema } from './schema-rewrite.js';
import { type Schema, schemaWork } from './schema-work.js';

/** The engine's own limits. What is beyond them is left to it, which refuses it in words of its own. */
const ENGINE_LIMITS = { bytes: 256 * 1024, depth: 64 };

/** Schemas that the converter may go through; the grammar of so many is larger than the engine takes. */
const WORK_LIMIT = 20_000;

/** Whose schema it is, for a refusal. */
export interface SchemaPlace {
  /** Such as "The JSON schema". */
  what: string;
  param: string;
  code: 'invalid_grammar' | 'invalid_tool';
}

/** @throws ApiError 400 that names the parameter. */
export function toSchemaGrammar(schema: Schema, param: string): Grammar {
  const place = { what: 'The JSON schema', param, code: 'invalid_grammar' } as const;
  return { kind: 'json_schema', schema: toSchemaText(schema, place) };
}

/**
 * @returns JSON text.
 * @throws ApiError 400 that names the parameter.
 */
export function toSchemaText(schema: Schema, { what, param, code }: SchemaPlace): string {
  const text = JSON.stringify(schema);
  const bytes = Buffer.from(text);
  if (bytes.length > ENGINE_LIMITS.bytes || isDeeperThan(ENGINE_LIMITS.depth, bytes)) return text;
  const read = rewriteSchema(schema);
  const work = schemaWork(read);
  if (work > WORK_LIMIT) {
    const reason =
      work === Infinity
        ? 'it leads back to itself without a value in between'
        : 'its lists of types and its "allOf" have too many combinations';
    throw invalidRequest(`${what} cannot be used: ${reason}.`, param, code);
  }
  return JSON.stringify(read);
}
