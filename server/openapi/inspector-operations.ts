/** The inspector, which is for the person whose machine this is and not for clients of the API. */
import {
  cancelledRequestSchema,
  inspectedRequestSchema,
  inspectorEventSchema,
  inspectorStateSchema,
  inspectorSwitchSchema,
  replayedRequestSchema,
  snippetsSchema,
} from '../../protocol/inspector.js';
import { errorBody, NAMED_STATUSES } from './openai-errors.js';
import type { ErrorDescription, Named, Operation } from './operation.js';

const TAG = 'Inspector';
const PATH = '/pilotlight/inspector';

const STATUSES = {
  ...NAMED_STATUSES,
  403: 'No key of the person\'s own ("pilotlight inspector key" prints one), or a foreign Host or Origin.',
};
const ERRORS: ErrorDescription = { bodies: [errorBody], statuses: STATUSES };
const ERRORS_WITHOUT_BODY: ErrorDescription = {
  bodies: [errorBody],
  statuses: { ...STATUSES, 409: 'The body of that request is not kept.' },
};

const state: Named = { name: 'InspectorState', schema: inspectorStateSchema };

const parameters = [
  { name: 'id', in: 'path', description: 'From the lists of the state.' },
] as const;

export const INSPECTOR_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: PATH,
    id: 'inspectorState',
    tag: TAG,
    summary: 'Requests that run or wait, and those that are kept',
    answer: { description: 'Without any text.', bodies: [state] },
    errors: ERRORS,
  },
  {
    method: 'put',
    path: `${PATH}/switch`,
    id: 'switchInspector',
    tag: TAG,
    summary: 'Begin to keep requests with their texts, or delete what is kept',
    request: {
      name: 'InspectorSwitch',
      schema: inspectorSwitchSchema,
      example: { enabled: true, keep: 50 },
    },
    answer: { description: 'The state.', bodies: [state] },
    errors: ERRORS,
  },
  {
    method: 'get',
    path: `${PATH}/events`,
    id: 'inspectorEvents',
    tag: TAG,
    summary: 'The state, then what changes of it',
    answer: {
      description: 'A stream without end.',
      bodies: [],
      stream: {
        mediaType: 'text/event-stream',
        event: [{ name: 'InspectorEvent', schema: inspectorEventSchema }],
        description: 'Four events a second at most.',
      },
    },
    errors: ERRORS,
  },
  {
    method: 'get',
    path: `${PATH}/requests/{id}`,
    id: 'inspectRequest',
    tag: TAG,
    summary: 'All that is kept of a request',
    parameters,
    answer: {
      description: 'The request, as far as it has got.',
      bodies: [{ name: 'InspectedRequest', schema: inspectedRequestSchema }],
    },
    errors: ERRORS,
  },
  {
    method: 'post',
    path: `${PATH}/requests/{id}/cancel`,
    id: 'cancelRequest',
    tag: TAG,
    summary: 'End a request that runs or waits',
    description: 'Its client is told so with the error `request_cancelled`.',
    parameters,
    answer: {
      description: 'It is about to end.',
      bodies: [{ name: 'CancelledRequest', schema: cancelledRequestSchema }],
    },
    errors: ERRORS,
  },
  {
    method: 'post',
    path: `${PATH}/requests/{id}/replay`,
    id: 'replayRequest',
    tag: TAG,
    summary: 'Run a request again',
    description:
      'As it was sent, over the same route. Nobody reads the new answer but the inspector.',
    parameters,
    answer: {
      description: 'It has begun.',
      bodies: [{ name: 'ReplayedRequest', schema: replayedRequestSchema }],
    },
    errors: ERRORS_WITHOUT_BODY,
  },
  {
    method: 'get',
    path: `${PATH}/requests/{id}/snippets`,
    id: 'requestSnippets',
    tag: TAG,
    summary: 'A request as code for curl, Python and JavaScript',
    description: 'Each reads its key from the environment variable PILOTLIGHT_API_KEY.',
    parameters,
    answer: {
      description: 'The same request in several languages.',
      bodies: [{ name: 'Snippets', schema: snippetsSchema }],
    },
    errors: ERRORS_WITHOUT_BODY,
  },
];
