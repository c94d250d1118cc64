/** The routes for those who evaluate and train models. */
import {
  generateAnswerSchema,
  generateEventSchema,
  generateRequestSchema,
} from '../../protocol/generate.js';
import {
  inferenceAnswerSchema,
  inferenceChunkSchema,
  inferenceRequestSchema,
} from '../../protocol/inference.js';
import { errorBody, WORK_ERRORS } from './openai-errors.js';
import type { Operation } from './operation.js';

const TAG = 'Tokens';

export const GENERATE_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/inference/v1/generate',
    id: 'inferenceGenerate',
    tag: TAG,
    summary: 'Token ids in, token ids out',
    description:
      "The shape is vLLM's, and so are the defaults of sampling_params: unlike on the other routes, not what the model's " +
      'file recommends. The prompt is not tokenized again.',
    request: {
      name: 'InferenceRequest',
      schema: inferenceRequestSchema,
      example: { token_ids: [72, 105], sampling_params: { max_tokens: 16, temperature: 0 } },
    },
    answer: {
      description: 'The tokens of each choice.',
      bodies: [{ name: 'InferenceAnswer', schema: inferenceAnswerSchema }],
      stream: {
        mediaType: 'text/event-stream',
        event: [{ name: 'InferenceChunk', schema: inferenceChunkSchema }, errorBody],
        description:
          'With `"stream": true`: a chunk for each token and one for the end of each choice, `data: [DONE]` at the end. ' +
          'A failure after the first byte is an error in a `data:` line, and the last one.',
      },
    },
    errors: WORK_ERRORS,
  },
  {
    method: 'post',
    path: '/v1/generate',
    id: 'generate',
    tag: TAG,
    summary: 'An event for each token',
    description:
      'Goes on with one of `prompt`, `token_ids` and `messages`. A field that is not named here is refused.',
    request: {
      name: 'GenerateRequest',
      schema: generateRequestSchema,
      example: { prompt: 'Once upon a time', max_tokens: 16 },
    },
    answer: {
      description: 'The tokens, their text, counts and times.',
      bodies: [{ name: 'GenerateAnswer', schema: generateAnswerSchema }],
      stream: {
        mediaType: 'text/event-stream',
        event: [{ name: 'GenerateEvent', schema: generateEventSchema }],
        description:
          'With `"stream": true`: an event in each `data:` line, `done` or `error` once and last. Comment lines (":") ' +
          'keep the connection alive and tell progress.',
      },
    },
    errors: WORK_ERRORS,
  },
];
