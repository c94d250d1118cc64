/** The list of models, which OpenAI's and Anthropic's clients ask for at the same place. */
import { modelInfoPageSchema, modelInfoSchema } from '../../protocol/anthropic.js';
import { modelEntrySchema, modelListSchema } from '../../protocol/models.js';
import { anthropicError } from './anthropic-operations.js';
import { errorBody, NAMED_STATUSES } from './openai-errors.js';
import type { ErrorDescription, Operation } from './operation.js';

const TAG = 'Models';

const ERRORS: ErrorDescription = { bodies: [errorBody, anthropicError], statuses: NAMED_STATUSES };

const version = {
  name: 'anthropic-version',
  in: 'header',
  description: "The answer is in Anthropic's form where there is one.",
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
    parameters: [
      { name: 'id', in: 'path', description: 'Its id; slashes in it may stand as they are.' },
      version,
    ],
    answer: {
      description: 'The model.',
      bodies: [
        { name: 'Model', schema: modelEntrySchema },
        { name: 'ModelInfo', schema: modelInfoSchema },
      ],
    },
    errors: ERRORS,
  },
];
