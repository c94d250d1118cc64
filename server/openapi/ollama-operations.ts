/** Ollama's API, the part of it that runs models. */
import {
  ollamaChatChunkSchema,
  ollamaChatRequestSchema,
  ollamaDeletedSchema,
  ollamaEmbedAnswerSchema,
  ollamaEmbeddingsAnswerSchema,
  ollamaEmbeddingsRequestSchema,
  ollamaEmbedRequestSchema,
  ollamaErrorSchema,
  ollamaGenerateChunkSchema,
  ollamaGenerateRequestSchema,
  ollamaModelRequestSchema,
  ollamaProgressSchema,
  ollamaPsSchema,
  ollamaShowSchema,
  ollamaTagsSchema,
  ollamaVersionSchema,
} from '../../protocol/ollama.js';
import { REMOVAL_STATUSES } from './download-operations.js';
import { BODY_STATUSES, NAMED_STATUSES, PLAIN_STATUSES, WORK_STATUSES } from './openai-errors.js';
import type { Named, Operation, StreamDescription } from './operation.js';

const TAG = 'Ollama';

const error: Named = { name: 'OllamaError', schema: ollamaErrorSchema };
const chatChunk: Named = { name: 'OllamaChatChunk', schema: ollamaChatChunkSchema };
const generateChunk: Named = { name: 'OllamaGenerateChunk', schema: ollamaGenerateChunkSchema };
const progress: Named = { name: 'OllamaProgress', schema: ollamaProgressSchema };
const modelRequest = {
  name: 'OllamaModelRequest',
  schema: ollamaModelRequestSchema,
  example: { model: 'guide' },
};

const WORK = { bodies: [error], statuses: WORK_STATUSES };
const BODY = { bodies: [error], statuses: { ...NAMED_STATUSES, ...BODY_STATUSES } };
const NAMED = { bodies: [error], statuses: NAMED_STATUSES };
const PLAIN = { bodies: [error], statuses: PLAIN_STATUSES };

const streamOf = (chunk: Named): StreamDescription => ({
  mediaType: 'application/x-ndjson',
  event: [chunk, error],
  description:
    'Unless `"stream": false`: a chunk in each line, the last one with `"done": true` and the metrics. A failure after ' +
    'the first byte is an error in a line, and the last one.',
});

const info = (
  name: string,
  id: string,
  summary: string,
  description: string,
  body: Named,
): Operation => ({
  ...{ method: 'get', path: `/api/${name}`, id, tag: TAG, summary },
  answer: { description, bodies: [body] },
  errors: PLAIN,
});

/** Routes that say what to do instead. */
const refused = (
  method: Operation['method'],
  path: string,
  id: string,
  description: string,
): Operation => ({
  ...{ method, path: `/api/${path}`, id, tag: TAG, summary: 'Refused', description },
  ...(path.includes('{digest}')
    ? { parameters: [{ name: 'digest', in: 'path', description: 'Of a blob.' }] }
    : {}),
  answer: null,
  errors: NAMED,
});

export const OLLAMA_OPERATIONS: readonly Operation[] = [
  {
    ...{ method: 'post', path: '/api/chat', id: 'ollamaChat', tag: TAG, summary: 'Chat' },
    description: 'Without messages the model is loaded, or unloaded with a `keep_alive` of 0.',
    request: {
      name: 'OllamaChatRequest',
      schema: ollamaChatRequestSchema,
      example: { messages: [{ role: 'user', content: 'Hello!' }], stream: false },
    },
    answer: { description: 'The answer.', bodies: [chatChunk], stream: streamOf(chatChunk) },
    errors: WORK,
  },
  {
    method: 'post',
    path: '/api/generate',
    id: 'ollamaGenerate',
    tag: TAG,
    summary: 'Answer one prompt, or go on with it as it is (`raw`)',
    request: {
      name: 'OllamaGenerateRequest',
      schema: ollamaGenerateRequestSchema,
      example: { prompt: 'Hello!', stream: false },
    },
    answer: {
      description: 'The answer.',
      bodies: [generateChunk],
      stream: streamOf(generateChunk),
    },
    errors: WORK,
  },
  {
    method: 'post',
    path: '/api/embed',
    id: 'ollamaEmbed',
    tag: TAG,
    summary: 'Make vectors of texts',
    request: {
      name: 'OllamaEmbedRequest',
      schema: ollamaEmbedRequestSchema,
      example: { input: ['A tower with a light.', 'A pear.'] },
    },
    answer: {
      description: 'A vector for each text.',
      bodies: [{ name: 'OllamaEmbedAnswer', schema: ollamaEmbedAnswerSchema }],
    },
    errors: WORK,
  },
  {
    method: 'post',
    path: '/api/embeddings',
    id: 'ollamaEmbeddings',
    tag: TAG,
    summary: 'Make a vector of one text: the older form',
    request: {
      name: 'OllamaEmbeddingsRequest',
      schema: ollamaEmbeddingsRequestSchema,
      example: { prompt: 'A tower with a light.' },
    },
    answer: {
      description: 'The vector.',
      bodies: [{ name: 'OllamaEmbeddingsAnswer', schema: ollamaEmbeddingsAnswerSchema }],
    },
    errors: WORK,
  },
  {
    ...{ method: 'post', path: '/api/show', id: 'ollamaShow', tag: TAG, summary: 'One model' },
    request: modelRequest,
    answer: {
      description: 'The model.',
      bodies: [{ name: 'OllamaShow', schema: ollamaShowSchema }],
    },
    errors: BODY,
  },
  {
    method: 'post',
    path: '/api/pull',
    id: 'ollamaPull',
    tag: TAG,
    summary: 'Fetch a model from Hugging Face',
    description:
      'Such as "hf.co/OWNER/NAME:Q4_K_M"; one that is there needs no pulling. Whoever goes away pauses what they began, ' +
      'and the next pull goes on with what has come. On the machine that the server runs on only.',
    request: modelRequest,
    answer: {
      description: 'It is there.',
      bodies: [progress],
      stream: {
        mediaType: 'application/x-ndjson',
        event: [progress, error],
        description:
          'Unless `"stream": false`: a stage in each line, the last one "success". A failure after the first byte is an ' +
          'error in a line, and the last one.',
      },
    },
    errors: BODY,
  },
  {
    ...{ method: 'delete', path: '/api/delete', id: 'ollamaDelete', tag: TAG },
    summary: 'Delete a model',
    description: 'As DELETE /pilotlight/models/{id}, with the same conditions.',
    request: modelRequest,
    answer: {
      description: 'It is gone.',
      bodies: [{ name: 'OllamaDeleted', schema: ollamaDeletedSchema }],
    },
    errors: { bodies: [error], statuses: { ...BODY.statuses, ...REMOVAL_STATUSES } },
  },
  info('tags', 'ollamaTags', 'List the models', 'The models.', {
    name: 'OllamaTags',
    schema: ollamaTagsSchema,
  }),
  info('ps', 'ollamaPs', 'List the models that are loaded', 'The models.', {
    name: 'OllamaPs',
    schema: ollamaPsSchema,
  }),
  info('version', 'ollamaVersion', 'Whose API this is', 'Of Ollama, and of the server.', {
    name: 'OllamaVersion',
    schema: ollamaVersionSchema,
  }),
  refused('post', 'create', 'ollamaCreate', 'Models are made elsewhere.'),
  refused('post', 'copy', 'ollamaCopy', 'Copy the file in the models folder.'),
  refused('post', 'push', 'ollamaPush', 'Models are not published.'),
  refused('post', 'blobs/{digest}', 'ollamaUploadBlob', 'Put a GGUF file into the models folder.'),
  refused('head', 'blobs/{digest}', 'ollamaHasBlob', 'There are none.'),
];
