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
import {
  chatCompletionChunkSchema,
  chatCompletionRequestSchema,
  chatCompletionSchema,
} from '../../protocol/openai.js';
import { errorBody, WORK_ERRORS } from './openai-errors.js';
import type { Named, Operation, StreamDescription } from './operation.js';

const TAG = 'OpenAI';

const streamOf = (chunk: Named): StreamDescription => ({
  mediaType: 'text/event-stream',
  event: [chunk, errorBody],
  description:
    'With `"stream": true`: a chunk in each `data:` line, `data: [DONE]` at the end. Comment lines (":") keep the ' +
    'connection alive and tell progress. A failure after the first byte is an error in a `data:` line, and the last one.',
});

export const chatCompletionRequest = {
  name: 'ChatCompletionRequest',
  schema: chatCompletionRequestSchema,
  example: { messages: [{ role: 'user', content: 'Hello!' }] },
};

const rerankOperation = (path: string, id: string): Operation => ({
  method: 'post',
  path,
  id,
  tag: TAG,
  summary: 'Score documents against a query',
  description: "In the shape that Jina's and Cohere's APIs share. Needs a rerank model.",
  request: {
    name: 'RerankRequest',
    schema: rerankRequestSchema,
    example: { query: 'What is a lighthouse?', documents: ['A tower with a light.', 'A pear.'] },
  },
  answer: {
    description: 'The scores.',
    bodies: [{ name: 'RerankList', schema: rerankListSchema }],
  },
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
      bodies: [{ name: 'ChatCompletion', schema: chatCompletionSchema }],
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
    request: {
      name: 'CompletionRequest',
      schema: completionRequestSchema,
      example: { prompt: 'Once upon a time', max_tokens: 32 },
    },
    answer: {
      description: 'How the texts go on.',
      bodies: [{ name: 'Completion', schema: completionSchema }],
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
    request: {
      name: 'EmbeddingRequest',
      schema: embeddingRequestSchema,
      example: { input: ['A tower with a light.', 'A pear.'] },
    },
    answer: {
      description: 'A vector for each text.',
      bodies: [{ name: 'EmbeddingList', schema: embeddingListSchema }],
    },
    errors: WORK_ERRORS,
  },
  rerankOperation('/v1/rerank', 'rerank'),
  rerankOperation('/v2/rerank', 'rerankV2'),
];
