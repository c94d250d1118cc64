/** Files that go with questions; on this machine only. */
import {
  attachmentSchema,
  countSchema,
  firstPagesSchema,
  questionCountSchema,
} from '../../protocol/attachments.js';
import { BODY_STATUSES, errorBody, NAMED_STATUSES, PLAIN_STATUSES } from './openai-errors.js';
import type { ErrorDescription, Named, Operation } from './operation.js';

const TAG = 'Attachments';
const ROOT = '/pilotlight/attachments';

const LOCAL = {
  403: "From another machine and without a key of the person's own, or a foreign Host or Origin.",
};
const SAVED = { 503: 'It could not be saved, and nothing has changed.' };
const FILE = { 413: 'The file is too big.', 507: 'The disk is full.' };

const errors = (...statuses: ErrorDescription['statuses'][]): ErrorDescription => ({
  bodies: [errorBody],
  statuses: Object.assign({}, ...statuses, LOCAL),
});

const attachment: Named = { name: 'Attachment', schema: attachmentSchema };
const named = [{ name: 'id', in: 'path', description: 'Of the attachment.' }] as const;

export const ATTACHMENT_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: ROOT,
    id: 'addAttachment',
    tag: TAG,
    summary: 'Bring a file in',
    description:
      'What it is, its content says. The text of texts, code, PDF and docx is taken out at once; pictures stay as they are. What no draft and no message has goes after an hour.',
    parameters: [
      { name: 'name', in: 'query', description: 'Of the file, as the person knows it.' },
    ],
    requestFile: 'The file.',
    answer: { description: 'What it is.', bodies: [attachment] },
    errors: errors(PLAIN_STATUSES, FILE, SAVED),
  },
  {
    method: 'get',
    path: `${ROOT}/{id}`,
    id: 'getAttachment',
    tag: TAG,
    summary: 'What an attachment is',
    parameters: named,
    answer: { description: 'What it is.', bodies: [attachment] },
    errors: errors(NAMED_STATUSES),
  },
  {
    method: 'get',
    path: `${ROOT}/{id}/file`,
    id: 'getAttachmentFile',
    tag: TAG,
    summary: 'The file of an attachment',
    parameters: named,
    answer: {
      description: 'As it came in.',
      bodies: [],
      file: ['application/octet-stream', 'image/png', 'image/jpeg', 'image/gif'],
    },
    errors: errors(NAMED_STATUSES),
  },
  {
    method: 'get',
    path: `${ROOT}/{id}/text`,
    id: 'getAttachmentText',
    tag: TAG,
    summary: 'The text that goes to the model',
    description: 'Pages are parted by form feeds. A picture has none.',
    parameters: named,
    answer: { description: 'The text.', bodies: [], text: 'text/plain' },
    errors: errors(NAMED_STATUSES),
  },
  {
    method: 'post',
    path: `${ROOT}/{id}/pages`,
    id: 'takeFirstPages',
    tag: TAG,
    summary: 'The same file, of which only the first pages go to the model',
    parameters: named,
    request: { name: 'FirstPages', schema: firstPagesSchema, example: { first: 1 } },
    answer: { description: 'Another attachment of the same file.', bodies: [attachment] },
    errors: errors(NAMED_STATUSES, BODY_STATUSES, SAVED),
  },
  {
    method: 'post',
    path: '/pilotlight/chats/{id}/count',
    id: 'countQuestion',
    tag: TAG,
    summary: 'What a question would take of its model',
    description: 'Nobody is asked, and no model is loaded for it.',
    parameters: [{ name: 'id', in: 'path', description: 'Of the chat.' }],
    request: {
      ...{ name: 'QuestionToCount', schema: countSchema },
      example: { parent_id: null, text: 'What does it say?' },
    },
    answer: {
      description: 'Tokens.',
      bodies: [{ name: 'QuestionCount', schema: questionCountSchema }],
    },
    errors: errors(NAMED_STATUSES, BODY_STATUSES),
  },
];
