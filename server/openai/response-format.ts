/** `response_format` → the grammar that the answer is held to. */
import type { Grammar } from '../../protocol/engine.js';
import type { WireResponseFormat } from '../../protocol/openai.js';
import { invalidRequest } from '../http/errors.js';
import { toSchemaGrammar } from '../request/schema.js';

/**
 * A schema is enforced whether or not it says `strict`. Null: any text.
 * @param schemaParam The request parameter that holds the schema.
 * @throws ApiError 400 where the schema is missing or cannot be used.
 */
export function toGrammar(
  format: WireResponseFormat | null | undefined,
  schemaParam = 'response_format',
): Grammar | null {
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
      return toSchemaGrammar(schema, schemaParam);
    }
    default:
      return null;
  }
}
