/** Models to be fetched from Hugging Face: for programs on the machine itself. */
import {
  hubAccountSchema,
  hubModelDetailsSchema,
  hubModelPageSchema,
  putHubTokenSchema,
} from '../../protocol/hub.js';
import { errorBody, NAMED_STATUSES, PLAIN_STATUSES } from './openai-errors.js';
import type { ErrorDescription, Named, Operation } from './operation.js';

const TAG = 'Models on Hugging Face';
const PATH = '/pilotlight/hub';

const HUB_STATUSES = {
  400: 'A parameter is wrong, or what the hub answers is no use; the message says it.',
  403: 'Not from this machine; or the hub refuses it, as for a gated model without a token.',
  503: 'The hub cannot be reached, or is in trouble.',
};
const ERRORS: ErrorDescription = {
  bodies: [errorBody],
  statuses: { ...PLAIN_STATUSES, ...HUB_STATUSES },
};
const NAMED_ERRORS: ErrorDescription = {
  bodies: [errorBody],
  statuses: { ...NAMED_STATUSES, ...HUB_STATUSES },
};
const TOKEN_ERRORS: ErrorDescription = {
  bodies: [errorBody],
  statuses: {
    ...PLAIN_STATUSES,
    ...HUB_STATUSES,
    403: 'Not from this machine; or the hub does not know the token.',
    409: 'The token is in the environment of the server.',
  },
};

const account: Named = { name: 'HubAccount', schema: hubAccountSchema };

export const HUB_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: `${PATH}/models`,
    id: 'searchHub',
    tag: TAG,
    summary: 'Models with GGUF files',
    parameters: [
      { name: 'search', in: 'query', description: "Words, a model's name, or its page's address." },
      {
        name: 'sort',
        in: 'query',
        description: 'trending (the default), downloads, likes, updated or created.',
      },
      { name: 'limit', in: 'query', description: 'Models of a page, 1 to 100; 30 by default.' },
      { name: 'cursor', in: 'query', description: 'The next_cursor of the page before.' },
    ],
    answer: {
      description: 'A page of them.',
      bodies: [{ name: 'HubModelPage', schema: hubModelPageSchema }],
    },
    errors: ERRORS,
  },
  {
    method: 'get',
    path: `${PATH}/models/{repo}`,
    id: 'retrieveHubModel',
    tag: TAG,
    summary: 'What can be fetched of a model, and whether it fits this machine',
    parameters: [
      { name: 'repo', in: 'path', description: '"owner/name"; the slash may stand as it is.' },
      { name: 'revision', in: 'query', description: 'A branch, tag or commit; "main" by default.' },
      {
        name: 'fit',
        in: 'query',
        description: 'Name of the variant whose fit is told; its header is fetched for that.',
      },
      { name: 'context', in: 'query', description: 'Tokens of each request, for the fit.' },
    ],
    answer: {
      description: 'The model and its variants.',
      bodies: [{ name: 'HubModelDetails', schema: hubModelDetailsSchema }],
    },
    errors: NAMED_ERRORS,
  },
  {
    method: 'get',
    path: `${PATH}/token`,
    id: 'retrieveHubToken',
    tag: TAG,
    summary: 'Whether there is a token for the hub, and whose it is',
    answer: { description: 'Never the token itself.', bodies: [account] },
    errors: TOKEN_ERRORS,
  },
  {
    method: 'put',
    path: `${PATH}/token`,
    id: 'setHubToken',
    tag: TAG,
    summary: 'Keep a token, which the hub is asked about first',
    description: 'For gated and private models. It is kept for the endpoint that is set now.',
    request: { name: 'HubToken', schema: putHubTokenSchema, example: { token: 'hf_letmein' } },
    answer: { description: 'The account.', bodies: [account] },
    errors: TOKEN_ERRORS,
  },
  {
    method: 'delete',
    path: `${PATH}/token`,
    id: 'deleteHubToken',
    tag: TAG,
    summary: 'Forget the token',
    answer: { description: 'The account, without one.', bodies: [account] },
    errors: TOKEN_ERRORS,
  },
];
