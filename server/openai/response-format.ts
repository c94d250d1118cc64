/** `response_format` → the grammar that the answer is held to. */
import type { Grammar } from '../../protocol/engine.js';
import type { WireResponseFormat } from '../../protocol/openai.js';
import { invalidRequest } from '../http/errors.js';

/**
 * A schema is enforced whether or not it says `strict`. Null: any text.
 * @throws ApiError 400 where the schema is missing.
 */
export function toGrammar(format: WireResponseFormat | null | undefined): Grammar | null {
  switch (format?.type) {
    case 'json_object':
      return { kind: 'json_object' };
    case 'json_schema': {
      const { schema } = format.json_schema;
      if (!schema) {
        throw invalidRequest(
          'response_format.json_schema.schema is missing: a JSON Schema is needed.',
          'response_format.json_schema.schema',
          'missing_parameter',
        );
      }
      return { kind: 'json_schema', schema: JSON.stringify(schema) };
    }
    default:
      return null;
  }
}
