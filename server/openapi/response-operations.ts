/** OpenAI's Responses API. */
import { responseEventSchema } from '../../protocol/response-events.js';
import {
  deletedResponseSchema,
  inputItemListSchema,
  inputTokensSchema,
  responseSchema,
} from '../../protocol/response-object.js';
import { responseRequestSchema } from '../../protocol/responses.js';
import { NAMED_ERRORS, NAMED_STATUSES, WORK_ERRORS } from './openai-errors.js';
import type { Named, Operation } from './operation.js';

const TAG = 'OpenAI Responses';

const request = {
  name: 'ResponseRequest',
  schema: responseRequestSchema,
  example: { input: 'Hello!' },
};
const response: Named = { name: 'Response', schema: responseSchema };

const event: Named = { name: 'ResponseEvent', schema: responseEventSchema };

const id = { name: 'id', in: 'path', description: 'Of a response that is kept.' } as const;

export const RESPONSE_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/responses',
    id: 'createResponse',
    tag: TAG,
    summary: 'Chat',
    description:
      'Whole or streamed; with tools, JSON schemas and reasoning. A response is kept unless `store` is false, and ' +
      '`previous_response_id` goes on with it.',
    request,
    answer: {
      description: 'The response.',
      bodies: [response],
      stream: {
        mediaType: 'text/event-stream',
        event: [event],
        description:
          'With `"stream": true`: events whose name is the `type` of their data, from `response.created` to ' +
          '`response.completed`, `response.incomplete` or `response.failed`.',
      },
    },
    errors: WORK_ERRORS,
  },
  {
    method: 'post',
    path: '/v1/responses/input_tokens',
    id: 'countResponseInputTokens',
    tag: TAG,
    summary: 'Count what the model would read',
    request,
    answer: {
      description: 'The count.',
      bodies: [{ name: 'InputTokens', schema: inputTokensSchema }],
    },
    errors: WORK_ERRORS,
  },
  {
    method: 'get',
    path: '/v1/responses/{id}',
    id: 'retrieveResponse',
    tag: TAG,
    summary: 'A response that is kept',
    parameters: [
      id,
      {
        ...{ name: 'stream', in: 'query' },
        description: '"true": as the events of its stream once more; default "false".',
      },
      {
        ...{ name: 'starting_after', in: 'query' },
        description:
          'With stream=true: only the events whose sequence_number is greater. From 0 to that of the last event.',
      },
    ],
    answer: {
      description: 'The response.',
      bodies: [response],
      stream: {
        mediaType: 'text/event-stream',
        event: [event],
        description:
          'With `stream=true`: events as of a new response, but each text in one delta, so that their numbers are ' +
          'not those of the first stream. It ends with `response.completed`, `response.failed`, or ' +
          '`response.incomplete`, also where the client left before the end and the status is `cancelled`.',
      },
    },
    errors: NAMED_ERRORS,
  },
  {
    method: 'delete',
    path: '/v1/responses/{id}',
    id: 'deleteResponse',
    tag: TAG,
    summary: 'Forget a response',
    parameters: [id],
    answer: {
      description: 'It is forgotten.',
      bodies: [{ name: 'DeletedResponse', schema: deletedResponseSchema }],
    },
    errors: {
      ...NAMED_ERRORS,
      statuses: {
        ...NAMED_STATUSES,
        503: 'It is still kept: the disk is full, say, or another program holds the database.',
      },
    },
  },
  {
    method: 'get',
    path: '/v1/responses/{id}/input_items',
    id: 'listResponseInputItems',
    tag: TAG,
    summary: 'What a response was an answer to',
    parameters: [
      id,
      { name: 'limit', in: 'query', description: 'From 1 to 100; default 20.' },
      { name: 'order', in: 'query', description: '"asc" or "desc"; default "desc".' },
      { name: 'after', in: 'query', description: 'Only what comes after this item.' },
    ],
    answer: {
      description: 'A page of items.',
      bodies: [{ name: 'InputItemList', schema: inputItemListSchema }],
    },
    errors: NAMED_ERRORS,
  },
  {
    method: 'post',
    path: '/v1/responses/{id}/cancel',
    id: 'cancelResponse',
    tag: TAG,
    summary: 'Refused',
    description:
      'Only responses in the background could be cancelled: others end when their client leaves.',
    parameters: [id],
    answer: null,
    errors: NAMED_ERRORS,
  },
];
