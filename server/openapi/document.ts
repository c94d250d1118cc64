/**
 * The API as an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1.html), made from the zod schemas that the
 * routes work with. Streams: OpenAPI 3.1 has no words for what one event is, so `x-event-schema` says it.
 */
import { z } from 'zod';
import { ANTHROPIC_OPERATIONS } from './anthropic-operations.js';
import { ATTACHMENT_OPERATIONS } from './attachment-operations.js';
import { CHAT_OPERATIONS } from './chat-operations.js';
import { DOWNLOAD_OPERATIONS } from './download-operations.js';
import { GENERATE_OPERATIONS } from './generate-operations.js';
import { HUB_OPERATIONS } from './hub-operations.js';
import { INSPECTOR_OPERATIONS } from './inspector-operations.js';
import { LOCAL_OPERATIONS } from './local-operations.js';
import { MCP_OPERATIONS } from './mcp-operations.js';
import { MODEL_OPERATIONS } from './model-operations.js';
import { OLLAMA_OPERATIONS } from './ollama-operations.js';
import { OPENAI_OPERATIONS } from './openai-operations.js';
import type { Named, Operation } from './operation.js';
import { RESPONSE_OPERATIONS } from './response-operations.js';
import { SERVING_OPERATIONS } from './serving-operations.js';
import { SETTING_OPERATIONS } from './setting-operations.js';
import { TRANSFER_OPERATIONS } from './transfer-operations.js';
import { UPSTREAM_OPERATIONS } from './upstream-operations.js';

type Json = Record<string, unknown>;

export const OPERATIONS: readonly Operation[] = [
  ...OPENAI_OPERATIONS,
  ...RESPONSE_OPERATIONS,
  ...ANTHROPIC_OPERATIONS,
  ...OLLAMA_OPERATIONS,
  ...GENERATE_OPERATIONS,
  ...MODEL_OPERATIONS,
  ...LOCAL_OPERATIONS,
  ...HUB_OPERATIONS,
  ...DOWNLOAD_OPERATIONS,
  ...INSPECTOR_OPERATIONS,
  ...UPSTREAM_OPERATIONS,
  ...MCP_OPERATIONS,
  ...SERVING_OPERATIONS,
  ...SETTING_OPERATIONS,
  ...CHAT_OPERATIONS,
  ...ATTACHMENT_OPERATIONS,
  ...TRANSFER_OPERATIONS,
];

/** @param version Of the server. */
export function createDocument(version: string, operations = OPERATIONS): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method]: toOperation(operation),
    };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Pilotlight',
      version,
      summary: 'Language models on your own machine.',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    // The last one: nothing, as long as no key has been made.
    security: [{ bearer: [] }, { apiKey: [] }, {}],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...schemas(operations, 'input'), ...schemas(operations, 'output') },
      headers: HEADERS,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
    },
  };
}

const INTRODUCTION = `Fields that nobody knows, and those that ask for thinking where the model cannot, are ignored and
named in the response header \`x-pilotlight-ignored\`; what would change an answer and is not available is refused by
name. An explicit null means the default.

Answers for models of other servers name that server in the response header \`x-pilotlight-upstream\`.

Keys are needed once there are any, and always beyond this machine. \`pilotlight keys add NAME\` makes one; where
Pilotlight runs from its source, \`npx pilotlight keys add NAME\` in its folder.`;

const HEADERS = {
  RequestId: {
    description: 'Also in the log; the one that the client sent in the same header, where it did.',
    schema: { type: 'string' },
  },
  Receipt: {
    description:
      'Id of the receipt of this answer; read it at /v1/receipts/{id} once the answer is whole.',
    schema: { type: 'string' },
  },
  Ignored: {
    description:
      'Names of fields in the request that had no effect: those that nobody knows, and what the model cannot do, such ' +
      'as thinking. Of the latter a stream that waits for its model to load is not told.',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds.', schema: { type: 'integer' } },
};

const requestId = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };
const receipt = { 'x-pilotlight-receipt': { $ref: '#/components/headers/Receipt' } };
const ignored = { 'x-pilotlight-ignored': { $ref: '#/components/headers/Ignored' } };

const retryAfter = { 'retry-after': { $ref: '#/components/headers/RetryAfter' } };

/** Such a request may find its queue full. */
const asksModel = ({ errors }: Operation): boolean => 429 in errors.statuses;

const refTo = ({ name }: Named): Json => ({ $ref: `#/components/schemas/${name}` });

function toOperation(operation: Operation): Json {
  const { id, tag, summary, description, parameters, request, requestFile, errors, open } =
    operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description ? { description } : {}),
    ...(open ? { security: [] } : {}),
    ...(parameters ? { parameters: parameters.map(toParameter) } : {}),
    ...(request
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: refTo(request), example: request.example } },
          },
        }
      : {}),
    ...(requestFile
      ? {
          requestBody: {
            required: true,
            description: requestFile,
            content: { 'application/octet-stream': { schema: {} } },
          },
        }
      : {}),
    responses: {
      ...toAnswer(operation),
      ...Object.fromEntries(
        Object.entries(errors.statuses)
          .filter(([status]) => !(open && status === '401'))
          .map(([status, meaning]) => [status, toError(operation, meaning, status)]),
      ),
      default: toError(operation, 'Any other failure.'),
    },
  };
}

function toParameter(parameter: { name: string; in: string; description: string }): Json {
  return { ...parameter, required: parameter.in === 'path', schema: { type: 'string' } };
}

function toAnswer(operation: Operation): Json {
  const { answer, request } = operation;
  if (answer === null) return {};
  const { bodies, stream, text, file, description } = answer;
  const content = {
    ...(bodies.length > 0 ? { 'application/json': { schema: anyOf(bodies) } } : {}),
    ...(stream
      ? {
          [stream.mediaType]: {
            schema: { type: 'string', description: stream.description },
            'x-event-schema': anyOf(stream.event),
          },
        }
      : {}),
    ...(text ? { [text]: { schema: { type: 'string' } } } : {}),
    ...Object.fromEntries((file ?? []).map((type) => [type, { schema: {} }])),
  };
  const headers = { ...commonHeaders(operation), ...(request ? ignored : {}) };
  return { 200: { description, headers, content } };
}

function anyOf(named: readonly Named[]): Json {
  const [only, ...others] = named.map(refTo);
  return only && others.length === 0 ? only : { anyOf: named.map(refTo) };
}

function toError(operation: Operation, description: string, status = ''): Json {
  // A request without a key is refused before it becomes one to a model.
  const common = status === '401' || status === '403' ? requestId : commonHeaders(operation);
  const headers = { ...common, ...(status === '429' ? retryAfter : {}) };
  const schema = anyOf(operation.errors.bodies);
  return { description, headers, content: { 'application/json': { schema } } };
}

function commonHeaders(operation: Operation): Json {
  return { ...requestId, ...(asksModel(operation) ? receipt : {}) };
}

/** Requests may hold more than is named, answers may not; zod knows the difference as input and output. */
function schemas(operations: readonly Operation[], io: 'input' | 'output'): Record<string, Json> {
  const registry = z.registry<{ id: string }>();
  for (const { request, answer, errors } of operations) {
    const told = [...(answer?.bodies ?? []), ...errors.bodies, ...(answer?.stream?.event ?? [])];
    const named = io === 'input' ? [request] : told;
    for (const each of named) {
      if (each) registry.add(each.schema, { id: each.name });
    }
  }
  const converted = z.toJSONSchema(registry, {
    io,
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => dropSafeBounds(jsonSchema),
  });
  return Object.fromEntries(
    Object.entries(converted.schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema]),
  );
}

/** The bounds of what JavaScript counts without rounding say nothing about the parameter. */
function dropSafeBounds(schema: Json): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
