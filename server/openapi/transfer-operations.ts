/** Chats that leave and come in, and the backup of all; on this machine only. */
import {
  importDroppedSchema,
  importPreviewSchema,
  importResultSchema,
  importUndoneSchema,
  restorePreviewSchema,
  restoreResultSchema,
  runImportSchema,
} from '../../protocol/transfer.js';
import { errorBody, NAMED_STATUSES, PLAIN_STATUSES } from './openai-errors.js';
import type { ErrorDescription, Operation } from './operation.js';

const TAG = 'Export, import, backup';
const ROOT = '/pilotlight/transfer';

const LOCAL = {
  403: "From another machine and without a key of the person's own, or a foreign Host or Origin.",
};
const FILE = { 413: 'The file is too big.', 507: 'The disk is full.' };
const SAVED = { 503: 'It could not be saved, and nothing has changed.' };

const errors = (...statuses: ErrorDescription['statuses'][]): ErrorDescription => ({
  bodies: [errorBody],
  statuses: Object.assign({}, ...statuses, LOCAL),
});

const fileName = [
  { name: 'name', in: 'query', description: 'Of the file, as the person knows it.' },
] as const;
const ofFile = [{ name: 'id', in: 'path', description: 'Of the file that waits.' }] as const;

export const TRANSFER_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: `${ROOT}/export`,
    id: 'exportChats',
    tag: TAG,
    summary: 'Chats as a file',
    description:
      'JSON holds all branches and comes back whole; Markdown has the branch that is shown.',
    parameters: [
      { name: 'format', in: 'query', description: '"json" (default) or "markdown".' },
      { name: 'chats', in: 'query', description: 'Ids, separated by commas; left out: all.' },
    ],
    answer: {
      description: 'One chat as Markdown is a text, several are a ZIP archive of texts.',
      bodies: [],
      file: ['application/json', 'text/markdown', 'application/zip'],
    },
    errors: errors(NAMED_STATUSES),
  },
  {
    method: 'post',
    path: `${ROOT}/imports`,
    id: 'previewImport',
    tag: TAG,
    summary: 'Look into a file with chats',
    description:
      'Nothing comes in yet. The file waits an hour. It may be of Pilotlight (JSON, Markdown), ChatGPT, LM Studio or Open WebUI, or a ZIP archive of such.',
    parameters: fileName,
    requestFile: 'The file.',
    answer: {
      description: 'What it would bring.',
      bodies: [{ name: 'ImportPreview', schema: importPreviewSchema }],
    },
    errors: errors(PLAIN_STATUSES, FILE),
  },
  {
    method: 'post',
    path: `${ROOT}/imports/{id}`,
    id: 'runImport',
    tag: TAG,
    summary: 'Bring its chats in',
    description: 'The body may be left out.',
    parameters: ofFile,
    request: { name: 'RunImport', schema: runImportSchema, example: { known: 'skip' } },
    answer: {
      description: 'What came in, and what did not.',
      bodies: [{ name: 'ImportResult', schema: importResultSchema }],
    },
    errors: errors(NAMED_STATUSES, SAVED),
  },
  {
    method: 'delete',
    path: `${ROOT}/imports/{id}`,
    id: 'dropImport',
    tag: TAG,
    summary: 'Forget a file that waits',
    parameters: ofFile,
    answer: {
      description: 'It is gone.',
      bodies: [{ name: 'ImportDropped', schema: importDroppedSchema }],
    },
    errors: errors(NAMED_STATUSES),
  },
  {
    method: 'post',
    path: `${ROOT}/imports/{id}/undo`,
    id: 'undoImport',
    tag: TAG,
    summary: 'Delete what the file brought in',
    parameters: ofFile,
    answer: {
      description: 'How many chats.',
      bodies: [{ name: 'ImportUndone', schema: importUndoneSchema }],
    },
    errors: errors(NAMED_STATUSES, SAVED),
  },
  {
    method: 'get',
    path: `${ROOT}/backup`,
    id: 'backUp',
    tag: TAG,
    summary: "All that is the person's, as one archive",
    description:
      'The database, settings, tool servers and attachments, with checksums; no models, keys or other secrets.',
    answer: { description: 'The archive.', bodies: [], file: ['application/zip'] },
    errors: errors(PLAIN_STATUSES, SAVED),
  },
  {
    method: 'post',
    path: `${ROOT}/restores`,
    id: 'previewRestore',
    tag: TAG,
    summary: 'Check a backup',
    description: 'Nothing changes yet. The file waits an hour.',
    parameters: fileName,
    requestFile: 'The backup.',
    answer: {
      description: 'What it holds.',
      bodies: [{ name: 'RestorePreview', schema: restorePreviewSchema }],
    },
    errors: errors(PLAIN_STATUSES, FILE),
  },
  {
    method: 'post',
    path: `${ROOT}/restores/{id}`,
    id: 'runRestore',
    tag: TAG,
    summary: 'Put the backup in the place of what is here',
    description: 'What was here is kept aside as a backup first.',
    parameters: ofFile,
    answer: {
      description: 'Done.',
      bodies: [{ name: 'RestoreResult', schema: restoreResultSchema }],
    },
    errors: errors(NAMED_STATUSES, FILE, SAVED),
  },
];
