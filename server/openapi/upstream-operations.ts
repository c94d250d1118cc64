/** Other servers whose models are offered here; seen and changed on this machine only. */
import {
  putUpstreamSchema,
  upstreamListSchema,
  upstreamOrderSchema,
  upstreamSchema,
} from '../../protocol/upstreams.js';
import { errorBody, NAMED_STATUSES } from './openai-errors.js';
import type { ErrorDescription, Named, Operation } from './operation.js';

const TAG = 'Upstreams';
const PATH = '/pilotlight/upstreams';

const STATUSES = {
  ...NAMED_STATUSES,
  403: "From another machine and without a key of the person's own, or a foreign Host or Origin.",
};
const ERRORS: ErrorDescription = { bodies: [errorBody], statuses: STATUSES };
const CHANGE_ERRORS: ErrorDescription = {
  bodies: [errorBody],
  statuses: {
    ...STATUSES,
    409: 'Its name is taken, or there are too many.',
    500: 'It cannot be saved.',
  },
};

const upstream: Named = { name: 'Upstream', schema: upstreamSchema };
const upstreamList: Named = { name: 'UpstreamList', schema: upstreamListSchema };
const upstreamOrder: Named = { name: 'UpstreamOrder', schema: upstreamOrderSchema };
const putUpstream: Named = { name: 'PutUpstream', schema: putUpstreamSchema };

const example = { name: 'vLLM', url: 'http://127.0.0.1:8000/v1', models: null, enabled: true };

const parameters = [{ name: 'id', in: 'path', description: 'From the list.' }] as const;

export const UPSTREAM_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: PATH,
    id: 'listUpstreams',
    tag: TAG,
    summary: 'Other servers whose models are offered here',
    answer: {
      description: 'In the order in which they are tried for a model that several have.',
      bodies: [upstreamList],
    },
    errors: ERRORS,
  },
  {
    method: 'post',
    path: PATH,
    id: 'addUpstream',
    tag: TAG,
    summary: 'Add a server',
    description: 'Answers at once; its health and its models are known some moments later.',
    request: { ...putUpstream, example },
    answer: { description: 'As it is kept; never its key.', bodies: [upstream] },
    errors: CHANGE_ERRORS,
  },
  {
    method: 'get',
    path: `${PATH}/order`,
    id: 'upstreamOrder',
    tag: TAG,
    summary: 'Which server is tried first',
    answer: { description: 'Ids, first tried first.', bodies: [upstreamOrder] },
    errors: ERRORS,
  },
  {
    method: 'put',
    path: `${PATH}/order`,
    id: 'orderUpstreams',
    tag: TAG,
    summary: 'Change which server is tried first',
    description: 'Those that are left out follow, as they were.',
    request: { ...upstreamOrder, example: { ids: [] } },
    answer: { description: 'Ids, first tried first.', bodies: [upstreamOrder] },
    errors: CHANGE_ERRORS,
  },
  {
    method: 'put',
    path: `${PATH}/{id}`,
    id: 'changeUpstream',
    tag: TAG,
    summary: 'Change a server',
    description:
      'All of it but its key, which stays where it is left out. Where the URL leads to another server, the key must be given anew.',
    parameters,
    request: { ...putUpstream, example },
    answer: { description: 'As it is kept; never its key.', bodies: [upstream] },
    errors: CHANGE_ERRORS,
  },
  {
    method: 'delete',
    path: `${PATH}/{id}`,
    id: 'removeUpstream',
    tag: TAG,
    summary: 'Remove a server, and its key',
    parameters,
    answer: { description: 'Those that are left.', bodies: [upstreamList] },
    errors: CHANGE_ERRORS,
  },
  {
    method: 'post',
    path: `${PATH}/{id}/check`,
    id: 'checkUpstream',
    tag: TAG,
    summary: 'Ask a server now how it is, and for its models',
    parameters,
    answer: { description: 'What it said.', bodies: [upstream] },
    errors: { ...ERRORS, statuses: { ...STATUSES, 409: 'It is switched off.' } },
  },
];
