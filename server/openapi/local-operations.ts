/** What local servers share beyond OpenAI's API, and what is Pilotlight's own. */
import { z } from 'zod';
import { receiptSchema } from '../../protocol/ledger.js';
import { healthSchema, selectModelSchema, serverStateSchema } from '../../protocol/models.js';
import {
  applyTemplateAnswerSchema,
  detokenizeAnswerSchema,
  detokenizeRequestSchema,
  tokenizeAnswerSchema,
  tokenizeRequestSchema,
} from '../../protocol/tokens.js';
import { usageSchema } from '../../protocol/usage.js';
import { NAMED_ERRORS, PLAIN_ERRORS, WORK_ERRORS } from './openai-errors.js';
import { chatCompletionRequest } from './openai-operations.js';
import type { Named, Operation } from './operation.js';

const serverState: Named = { name: 'ServerState', schema: serverStateSchema };

/** Each is there with and without /v1. */
const TOKEN_OPERATIONS: readonly Omit<Operation, 'method' | 'tag' | 'errors'>[] = [
  {
    path: '/tokenize',
    id: 'tokenize',
    summary: 'Text to tokens',
    description: 'The text is `content`, or `prompt`.',
    request: {
      name: 'TokenizeRequest',
      schema: tokenizeRequestSchema,
      example: { content: 'Hello!' },
    },
    answer: {
      description: 'The tokens.',
      bodies: [{ name: 'TokenizeAnswer', schema: tokenizeAnswerSchema }],
    },
  },
  {
    path: '/detokenize',
    id: 'detokenize',
    summary: 'Tokens to text',
    request: {
      name: 'DetokenizeRequest',
      schema: detokenizeRequestSchema,
      example: { tokens: [1, 2, 3] },
    },
    answer: {
      description: 'The text.',
      bodies: [{ name: 'DetokenizeAnswer', schema: detokenizeAnswerSchema }],
    },
  },
  {
    path: '/apply-template',
    id: 'applyTemplate',
    summary: 'What the model would read of a chat',
    description: 'Takes the body of a chat completion.',
    request: chatCompletionRequest,
    answer: {
      description: 'The prompt.',
      bodies: [{ name: 'ApplyTemplateAnswer', schema: applyTemplateAnswerSchema }],
    },
  },
];

export const LOCAL_OPERATIONS: readonly Operation[] = [
  ...TOKEN_OPERATIONS.flatMap((operation): Operation[] => {
    const whole = { ...operation, method: 'post', tag: 'Tokens', errors: WORK_ERRORS } as const;
    return [whole, { ...whole, path: `/v1${operation.path}`, id: `${operation.id}V1` }];
  }),
  {
    method: 'get',
    path: '/health',
    id: 'health',
    tag: 'Pilotlight',
    summary: 'Whether the server runs, and what it computes with',
    answer: { description: 'It runs.', bodies: [{ name: 'Health', schema: healthSchema }] },
    errors: PLAIN_ERRORS,
    open: true,
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'openapi',
    tag: 'Pilotlight',
    summary: 'This document',
    answer: {
      description: 'OpenAPI 3.1; to read at /docs.',
      bodies: [
        {
          name: 'OpenApiDocument',
          schema: z.looseObject({ openapi: z.string(), info: z.looseObject({}) }),
        },
      ],
    },
    errors: PLAIN_ERRORS,
    open: true,
  },
  {
    method: 'get',
    path: '/v1/receipts/{id}',
    id: 'retrieveReceipt',
    tag: 'Pilotlight',
    summary: 'The signed row of a request in the ledger',
    description:
      'There as soon as the answer is whole. It tells counts, times and the SHA-256 of the answer, never a text.',
    parameters: [
      {
        name: 'id',
        in: 'path',
        description: 'From the header `x-pilotlight-receipt` of the answer.',
      },
    ],
    answer: {
      description: 'The receipt.',
      bodies: [{ name: 'Receipt', schema: receiptSchema }],
    },
    errors: NAMED_ERRORS,
  },
  {
    method: 'get',
    path: '/v1/usage',
    id: 'usage',
    tag: 'Pilotlight',
    summary: 'Requests and tokens by day, model and client',
    description:
      'Totals of all requests to models, kept for good. A parameter that is none of these is refused.',
    parameters: [
      { name: 'from', in: 'query', description: 'The first day; default: 30 days with `to`.' },
      { name: 'to', in: 'query', description: 'The last day, such as 2026-11-30; default: today.' },
      {
        name: 'group_by',
        in: 'query',
        description:
          'Any of "day", "model" and "client" with commas between them, which is the default; empty: only the total.',
      },
      { name: 'model', in: 'query', description: 'Only this one.' },
      { name: 'client', in: 'query', description: 'Only this one.' },
    ],
    answer: { description: 'The totals.', bodies: [{ name: 'Usage', schema: usageSchema }] },
    errors: PLAIN_ERRORS,
  },
  {
    method: 'get',
    path: '/metrics',
    id: 'metrics',
    tag: 'Pilotlight',
    summary: 'Counts and times for Prometheus',
    description: 'Counts begin at 0 with each start of the server.',
    answer: {
      description: "Prometheus' text format, version 0.0.4.",
      bodies: [],
      text: 'text/plain',
    },
    errors: PLAIN_ERRORS,
  },
  {
    method: 'get',
    path: '/pilotlight/events',
    id: 'serverEvents',
    tag: 'Pilotlight',
    summary: 'The state of the server, now and after each change',
    answer: {
      description: 'A stream without end.',
      bodies: [],
      stream: {
        mediaType: 'text/event-stream',
        event: [serverState],
        description: 'The whole state in each `data:` line.',
      },
    },
    errors: PLAIN_ERRORS,
  },
  {
    method: 'put',
    path: '/pilotlight/current-model',
    id: 'selectModel',
    tag: 'Pilotlight',
    summary: 'Switch to another model',
    description: 'Answers at once; the events tell how the loading goes.',
    request: {
      name: 'ModelChoice',
      schema: selectModelSchema,
      example: { model: 'guide' },
    },
    answer: { description: 'The state of the server.', bodies: [serverState] },
    errors: NAMED_ERRORS,
  },
];
