/** OpenAI's API, apart from the Responses API. */
import {
  completionChunkSchema,
  completionRequestSchema,
  completionSchema,
} from '../../protocol/completions.js';
import {
  embeddingListSchema,
  embeddingRequestSchema,
  rerankListSchema,
  rerankRequestSchema,
} from '../../protocol/embeddings.js';
import { modelEntrySchema, modelListSchema } from '../../protocol/models.js';
import {
  chatCompletionChunkSchema,
  chatCompletionRequestSchema,
  chatCompletionSchema,
  errorBodySchema,
} from '../../protocol/openai.js';
import type { ErrorDescription, Named, Operation, StreamDescription } from './operation.js';

const TAG = 'OpenAI';

const errorBody: Named = { name: 'Error', schema: errorBodySchema };

/** Of every route, whatever it does. */
const REQUEST_STATUSES = {
  400: 'A parameter is missing, malformed, out of range or not available; `param` names it.',
  401: 'No key that the server knows.',
  403: 'A foreign Host or Origin.',
};

/** Of routes that only tell something. */
export const PLAIN_ERRORS: ErrorDescription = { body: errorBody, statuses: REQUEST_STATUSES };

/** Of routes that name a model. */
export const MODEL_ERRORS: ErrorDescription = {
  body: errorBody,
  statuses: { ...REQUEST_STATUSES, 404: 'There is no such model.' },
};

/** Of routes where a model works. */
export const WORK_ERRORS: ErrorDescription = {
  body: errorBody,
  statuses: {
    ...MODEL_ERRORS.statuses,
    413: 'The body is larger than 32 MB.',
    415: 'The body has a charset or an encoding that is not supported.',
    429: 'Too many requests wait; Retry-After says when to come back.',
    500: 'Something went wrong inside.',
    503: 'The model ran out of memory, its engine was lost, or the server stops.',
  },
};

const streamOf = (chunk: Named): StreamDescription => ({
  mediaType: 'text/event-stream',
  event: [chunk, errorBody],
  description:
    'With `"stream": true`: a chunk in each `data:` line, `data: [DONE]` at the end. Comment lines (":") keep the ' +
    'connection alive and tell progress. A failure after the first byte is an error in a `data:` line, and the last one.',
});

export const chatCompletionRequest: Named = {
  name: 'ChatCompletionRequest',
  schema: chatCompletionRequestSchema,
};

const rerankOperation = (path: string, id: string): Operation => ({
  method: 'post',
  path,
  id,
  tag: TAG,
  summary: 'Score documents against a query',
  description: "In the shape that Jina's and Cohere's APIs share. Needs a rerank model.",
  request: { name: 'RerankRequest', schema: rerankRequestSchema },
  answer: { description: 'The scores.', body: { name: 'RerankList', schema: rerankListSchema } },
  errors: WORK_ERRORS,
});

export const OPENAI_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/chat/completions',
    id: 'createChatCompletion',
    tag: TAG,
    summary: 'Chat',
    description:
      'Whole or streamed; with tools, JSON schemas, several choices and log probabilities. Without `model` the current ' +
      'one answers. What would change the answer and is not available is refused by name.',
    request: chatCompletionRequest,
    answer: {
      description: 'The answer.',
      body: { name: 'ChatCompletion', schema: chatCompletionSchema },
      stream: streamOf({ name: 'ChatCompletionChunk', schema: chatCompletionChunkSchema }),
    },
    errors: WORK_ERRORS,
  },
  {
    method: 'post',
    path: '/v1/completions',
    id: 'createCompletion',
    tag: TAG,
    summary: 'Go on with a text',
    description: '`prompt` is one text, or one list of token ids, or a list of either.',
    request: { name: 'CompletionRequest', schema: completionRequestSchema },
    answer: {
      description: 'How the texts go on.',
      body: { name: 'Completion', schema: completionSchema },
      stream: streamOf({ name: 'CompletionChunk', schema: completionChunkSchema }),
    },
    errors: WORK_ERRORS,
  },
  {
    method: 'post',
    path: '/v1/embeddings',
    id: 'createEmbedding',
    tag: TAG,
    summary: 'Make vectors of texts',
    description: 'Needs an embedding model.',
    request: { name: 'EmbeddingRequest', schema: embeddingRequestSchema },
    answer: {
      description: 'A vector for each text.',
      body: { name: 'EmbeddingList', schema: embeddingListSchema },
    },
    errors: WORK_ERRORS,
  },
  rerankOperation('/v1/rerank', 'rerank'),
  rerankOperation('/v2/rerank', 'rerankV2'),
  {
    method: 'get',
    path: '/v1/models',
    id: 'listModels',
    tag: TAG,
    summary: 'List the models',
    answer: { description: 'All of them.', body: { name: 'ModelList', schema: modelListSchema } },
    errors: PLAIN_ERRORS,
  },
  {
    method: 'get',
    path: '/v1/models/{id}',
    id: 'retrieveModel',
    tag: TAG,
    summary: 'One model',
    parameters: [
      { name: 'id', in: 'path', description: 'Its id; slashes in it may stand as they are.' },
    ],
    answer: { description: 'The model.', body: { name: 'Model', schema: modelEntrySchema } },
    errors: MODEL_ERRORS,
  },
];
