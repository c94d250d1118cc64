/** Anthropic's API. */
import {
  anthropicErrorSchema,
  countTokensRequestSchema,
  messageEventSchema,
  messageSchema,
  messagesRequestSchema,
  tokenCountSchema,
} from '../../protocol/anthropic.js';
import { WORK_STATUSES } from './openai-errors.js';
import type { ErrorDescription, Named, Operation } from './operation.js';

const TAG = 'Anthropic';

export const anthropicError: Named = { name: 'AnthropicError', schema: anthropicErrorSchema };

const ERRORS: ErrorDescription = { bodies: [anthropicError], statuses: WORK_STATUSES };

export const ANTHROPIC_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/messages',
    id: 'createMessage',
    tag: TAG,
    summary: 'Chat',
    description:
      "Anthropic's Messages API: whole or streamed, with tools, thinking and JSON schemas. Without `model` the current " +
      'one answers.',
    request: {
      name: 'MessagesRequest',
      schema: messagesRequestSchema,
      example: { max_tokens: 256, messages: [{ role: 'user', content: 'Hello!' }] },
    },
    answer: {
      description: 'The answer.',
      bodies: [{ name: 'Message', schema: messageSchema }],
      stream: {
        mediaType: 'text/event-stream',
        event: [{ name: 'MessageEvent', schema: messageEventSchema }, anthropicError],
        description:
          'With `"stream": true`: events whose name is the `type` of their data, from `message_start` to `message_stop`. ' +
          'A failure after the first byte is an event `error`, and the last one.',
      },
    },
    errors: ERRORS,
  },
  {
    method: 'post',
    path: '/v1/messages/count_tokens',
    id: 'countMessageTokens',
    tag: TAG,
    summary: 'Count what the model would read',
    request: {
      name: 'CountTokensRequest',
      schema: countTokensRequestSchema,
      example: { messages: [{ role: 'user', content: 'Hello!' }] },
    },
    answer: {
      description: 'The count.',
      bodies: [{ name: 'TokenCount', schema: tokenCountSchema }],
    },
    errors: ERRORS,
  },
];
