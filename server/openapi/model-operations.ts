/** The list of models, which OpenAI's and Anthropic's clients ask for at the same place. */
import { modelInfoPageSchema, modelInfoSchema } from '../../protocol/anthropic.js';
import { fitSchema } from '../../protocol/fit.js';
import { cancelledRequestSchema } from '../../protocol/inspector.js';
import {
  estimateModelSchema,
  loadEventSchema,
  loadModelSchema,
  modelEventSchema,
} from '../../protocol/model-control.js';
import { modelEntrySchema, modelListSchema } from '../../protocol/models.js';
import { anthropicError } from './anthropic-operations.js';
import {
  BODY_STATUSES,
  errorBody,
  NAMED_ERRORS,
  NAMED_STATUSES,
  PLAIN_ERRORS,
} from './openai-errors.js';
import type { ErrorDescription, Operation } from './operation.js';

const TAG = 'Models';

const ERRORS: ErrorDescription = { bodies: [errorBody, anthropicError], statuses: NAMED_STATUSES };

const LOAD_ERRORS: ErrorDescription = {
  bodies: [errorBody],
  statuses: {
    ...{ ...NAMED_STATUSES, ...BODY_STATUSES },
    503: 'It needs more memory than there is, its engine was lost, or the server stops.',
  },
};

const version = {
  name: 'anthropic-version',
  in: 'header',
  description: "The answer is in Anthropic's form where there is one.",
} as const;

const ID = {
  name: 'id',
  in: 'path',
  description: 'Its id; slashes in it may stand as they are.',
} as const;

/** Of Anthropic's form. */
const PAGING = [
  { name: 'limit', in: 'query', description: 'From 1 to 1000.' },
  { name: 'after_id', in: 'query', description: 'Only what comes after this model.' },
  { name: 'before_id', in: 'query', description: 'Only what comes before this model.' },
] as const;

export const MODEL_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/models',
    id: 'listModels',
    tag: TAG,
    summary: 'List the models',
    description: "Pages are for clients of Anthropic's API; others get all models.",
    parameters: [version, ...PAGING],
    answer: {
      description: 'The models.',
      bodies: [
        { name: 'ModelList', schema: modelListSchema },
        { name: 'ModelInfoPage', schema: modelInfoPageSchema },
      ],
    },
    errors: ERRORS,
  },
  {
    method: 'get',
    path: '/v1/models/{id}',
    id: 'retrieveModel',
    tag: TAG,
    summary: 'One model',
    parameters: [ID, version],
    answer: {
      description: 'The model.',
      bodies: [
        { name: 'Model', schema: modelEntrySchema },
        { name: 'ModelInfo', schema: modelInfoSchema },
      ],
    },
    errors: ERRORS,
  },
  {
    method: 'post',
    path: '/v1/models/{id}/load',
    id: 'loadModel',
    tag: TAG,
    summary: 'Load a model',
    description:
      'Requests load their model by themselves; this one has it ready before. The body may be left out.',
    parameters: [ID],
    request: { name: 'LoadModel', schema: loadModelSchema, example: { ttl: 600 } },
    answer: {
      description: 'The model, when it is loaded.',
      bodies: [{ name: 'Model', schema: modelEntrySchema }],
      stream: {
        mediaType: 'text/event-stream',
        event: [{ name: 'LoadEvent', schema: loadEventSchema }],
        description: 'With `accept: text/event-stream`: how far it is, and `loaded` last.',
      },
    },
    errors: LOAD_ERRORS,
  },
  {
    method: 'post',
    path: '/v1/models/{id}/unload',
    id: 'unloadModel',
    tag: TAG,
    summary: 'Have a model leave memory',
    description:
      'Its answers come to their end first. A request that comes meanwhile waits, and has it loaded again.',
    parameters: [ID],
    answer: {
      description: 'The model, when it has left.',
      bodies: [{ name: 'Model', schema: modelEntrySchema }],
    },
    errors: NAMED_ERRORS,
  },
  {
    method: 'get',
    path: '/pilotlight/models/events',
    id: 'modelEvents',
    tag: TAG,
    summary: 'Models and downloads, now and as they change',
    answer: {
      description: 'A stream without end.',
      bodies: [],
      stream: {
        mediaType: 'text/event-stream',
        event: [{ name: 'ModelEvent', schema: modelEventSchema }],
        description: 'A snapshot first, then what has changed.',
      },
    },
    errors: PLAIN_ERRORS,
  },
  {
    method: 'post',
    path: '/pilotlight/models/{id}/estimate',
    id: 'estimateModel',
    tag: TAG,
    summary: 'What a model would take of memory, with settings that are not set yet',
    description: 'On this machine only. What is left out is as it is set.',
    parameters: [ID],
    request: {
      name: 'EstimateModel',
      schema: estimateModelSchema,
      example: { settings: { context_length: 2048, parallel: 2 } },
    },
    answer: { description: 'Exactly.', bodies: [{ name: 'Fit', schema: fitSchema }] },
    errors: LOAD_ERRORS,
  },
  {
    method: 'post',
    path: '/pilotlight/requests/{id}/cancel',
    id: 'cancelByRequestId',
    tag: TAG,
    summary: 'End a request',
    description: 'On this machine only. Its client is told that it was cancelled here.',
    parameters: [{ name: 'id', in: 'path', description: 'The `x-request-id` of its answer.' }],
    answer: {
      description: 'It ends.',
      bodies: [{ name: 'CancelledRequest', schema: cancelledRequestSchema }],
    },
    errors: NAMED_ERRORS,
  },
];
