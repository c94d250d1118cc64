/** Where the server is, its API keys and its log; on this machine only. */
import { z } from 'zod';
import { selfTestEventSchema, selfTestRequestSchema } from '../../protocol/self-test.js';
import {
  apiKeyListSchema,
  logEventSchema,
  madeApiKeySchema,
  newApiKeySchema,
  servingSchema,
} from '../../protocol/serving.js';
import { BODY_STATUSES, errorBody, PLAIN_STATUSES } from './openai-errors.js';
import type { ErrorDescription, Operation } from './operation.js';

const TAG = 'Developer';

const LOCAL = {
  ...PLAIN_STATUSES,
  403: "From another machine and without a key of the person's own, or a foreign Host or Origin.",
};

const errors = (statuses: ErrorDescription['statuses']): ErrorDescription => ({
  bodies: [errorBody],
  statuses,
});

export const SERVING_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/pilotlight/server',
    id: 'getServer',
    tag: TAG,
    summary: 'Where the server is reached, and who may use it',
    description: 'It is changed by the settings.',
    answer: {
      description: 'The server.',
      bodies: [{ name: 'ServingInfo', schema: servingSchema }],
    },
    errors: errors(LOCAL),
  },
  {
    method: 'get',
    path: '/pilotlight/keys',
    id: 'listApiKeys',
    tag: TAG,
    summary: 'API keys by name',
    answer: {
      description: 'The keys, without what opens anything.',
      bodies: [{ name: 'ApiKeyList', schema: apiKeyListSchema }],
    },
    errors: errors(LOCAL),
  },
  {
    method: 'post',
    path: '/pilotlight/keys',
    id: 'makeApiKey',
    tag: TAG,
    summary: 'Make an API key',
    description: 'From the first one on programs are asked for a key.',
    request: { name: 'NewApiKey', schema: newApiKeySchema, example: { name: 'laptop' } },
    answer: {
      description: 'The key, this once.',
      bodies: [{ name: 'MadeApiKey', schema: madeApiKeySchema }],
    },
    errors: errors({
      ...LOCAL,
      ...BODY_STATUSES,
      409: 'There is one of the name, or it cannot be kept.',
    }),
  },
  {
    method: 'delete',
    path: '/pilotlight/keys/{name}',
    id: 'deleteApiKey',
    tag: TAG,
    summary: 'Forget an API key',
    description: 'It opens nothing from then on.',
    parameters: [{ name: 'name', in: 'path', description: 'Of the key.' }],
    answer: {
      description: 'It is gone.',
      bodies: [{ name: 'DeletedApiKey', schema: z.strictObject({}) }],
    },
    errors: errors({
      ...LOCAL,
      409: 'There is none of the name, or it is the last one of a server that is open to others.',
    }),
  },
  {
    method: 'get',
    path: '/pilotlight/log/events',
    id: 'logEvents',
    tag: TAG,
    summary: 'The log: its latest lines, then new ones',
    answer: {
      description: 'A stream without end.',
      bodies: [],
      stream: {
        mediaType: 'text/event-stream',
        event: [{ name: 'LogEvent', schema: logEventSchema }],
        description: 'Some lines in each `data:` line.',
      },
    },
    errors: errors(LOCAL),
  },
  {
    method: 'post',
    path: '/pilotlight/self-test',
    id: 'selfTest',
    tag: TAG,
    summary: 'Try what the server promises, at its own address',
    description:
      'Asks the model some short questions, as any client would, with the key that the request came with.',
    request: {
      name: 'SelfTestRequest',
      schema: selfTestRequestSchema,
      example: { model: 'guide' },
    },
    answer: {
      description: 'A stream that ends with the last test.',
      bodies: [],
      stream: {
        mediaType: 'text/event-stream',
        event: [{ name: 'SelfTestEvent', schema: selfTestEventSchema }],
        description: 'First `begin`, then each test as it runs and its result, then `end`.',
      },
    },
    errors: errors({ ...LOCAL, ...BODY_STATUSES }),
  },
];
