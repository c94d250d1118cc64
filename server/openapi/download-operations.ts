/** Models fetched from the hub, and their deletion: on the machine that the server runs on only. */
import {
  cancelledDownloadSchema,
  downloadListSchema,
  downloadSchema,
  removedModelSchema,
  startDownloadSchema,
} from '../../protocol/downloads.js';
import { BODY_STATUSES, errorBody, NAMED_STATUSES } from './openai-errors.js';
import type { ErrorDescription, Named, Operation } from './operation.js';

const TAG = 'Downloads';
const PATH = '/pilotlight/downloads';

const LOCAL = 'A foreign Host or Origin, or not from the machine that the server runs on.';

export const REMOVAL_STATUSES = {
  403: `${LOCAL} Or its files are not in the models folder, but another program's.`,
  409: 'It is in use, or its files cannot be deleted; the answer says which.',
};

const statuses = {
  ...NAMED_STATUSES,
  403: LOCAL,
  409: 'Another process has this download, or the models folder cannot be written.',
};
const errors: ErrorDescription = { bodies: [errorBody], statuses };

const download: Named = { name: 'Download', schema: downloadSchema };

const parameters = [{ name: 'id', in: 'path', description: 'From the list.' }] as const;

const action = (
  what: 'pause' | 'resume',
  summary: string,
  description: string,
  more: Record<number, string> = {},
): Operation => ({
  ...{ method: 'post', path: `${PATH}/{id}/${what}`, id: `${what}Download`, tag: TAG },
  ...{ summary, description, parameters },
  answer: { description: 'As it is now.', bodies: [download] },
  errors: { bodies: [errorBody], statuses: { ...statuses, ...more } },
});

const FULL = { 507: 'The disk has no room for it; the answer says how much is needed and free.' };

export const DOWNLOAD_OPERATIONS: readonly Operation[] = [
  {
    ...{ method: 'get', path: PATH, id: 'listDownloads', tag: TAG },
    summary: 'Models on their way, and those that have come since the start',
    description: 'The events of the server tell each change.',
    answer: {
      description: 'In the order in which they were begun.',
      bodies: [{ name: 'Downloads', schema: downloadListSchema }],
    },
    errors,
  },
  {
    ...{ method: 'post', path: PATH, id: 'startDownload', tag: TAG },
    summary: 'Fetch a model from Hugging Face',
    description:
      'Two at the same time, others wait for their turn. What is under way, paused or failed already is gone on with. ' +
      'The model appears once all of its files are there and their SHA-256 is right.',
    request: {
      name: 'StartDownload',
      schema: startDownloadSchema,
      example: { repo: 'owner/name', quantization: 'Q4_K_M' },
    },
    answer: { description: 'As it is now.', bodies: [download] },
    errors: {
      bodies: [errorBody],
      statuses: {
        ...statuses,
        ...BODY_STATUSES,
        503: 'The hub cannot be reached, or is in trouble.',
        ...FULL,
      },
    },
  },
  {
    ...{ method: 'delete', path: `${PATH}/{id}`, id: 'cancelDownload', tag: TAG, parameters },
    summary: 'End a download and remove what has come of it',
    description: 'A model that has arrived stays; its entry leaves the list.',
    answer: {
      description: 'It is gone.',
      bodies: [{ name: 'CancelledDownload', schema: cancelledDownloadSchema }],
    },
    errors,
  },
  action('pause', 'Pause a download', 'What has come stays, also over starts of the server.'),
  action('resume', 'Go on with a download', 'Also one that has failed.', FULL),
  {
    ...{ method: 'delete', path: '/pilotlight/models/{id}', id: 'deleteModel', tag: TAG },
    summary: 'Delete a model from the disk',
    description:
      'All of its parts, and its vision projector where no other model has the same. Only in the models folder; ' +
      'files of other programs are left alone.',
    parameters: [{ name: 'id', in: 'path', description: 'The id of a model.' }],
    answer: {
      description: 'What was deleted.',
      bodies: [{ name: 'RemovedModel', schema: removedModelSchema }],
    },
    errors: { bodies: [errorBody], statuses: { ...NAMED_STATUSES, ...REMOVAL_STATUSES } },
  },
];
