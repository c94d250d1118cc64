/** The person's chats; seen and changed on this machine only. */
import {
  askAgainSchema,
  askedSchema,
  askSchema,
  chatEventSchema,
  chatFolderListSchema,
  chatFolderPatchSchema,
  chatIdsSchema,
  chatListSchema,
  chatMessageSchema,
  chatPatchSchema,
  chatSchema,
  chatSearchSchema,
  chatSummarySchema,
  editMessageSchema,
  newChatFolderSchema,
  newChatSchema,
  newPresetSchema,
  presetListSchema,
  presetSchema,
} from '../../protocol/chats.js';
import { toolDecisionSchema } from '../../protocol/mcp.js';
import { BODY_STATUSES, errorBody, NAMED_STATUSES, PLAIN_STATUSES } from './openai-errors.js';
import type { ErrorDescription, Named, Operation } from './operation.js';

const TAG = 'Chats';
const PATH = '/pilotlight/chats';
const MESSAGE = `${PATH}/{id}/messages/{message}`;
const FOLDERS = '/pilotlight/chat-folders';
const PRESETS = '/pilotlight/presets';

const LOCAL = {
  403: "From another machine and without a key of the person's own, or a foreign Host or Origin.",
};
const SAVED = { 503: 'It could not be saved, and nothing has changed.' };
const RUNNING = { 409: 'The answer is still being written, or has come to its end.' };

const errors = (...statuses: ErrorDescription['statuses'][]): ErrorDescription => ({
  bodies: [errorBody],
  statuses: Object.assign({}, ...statuses, LOCAL),
});
const READ = errors(PLAIN_STATUSES);
const READ_ONE = errors(NAMED_STATUSES);
const ADD = errors(PLAIN_STATUSES, BODY_STATUSES, SAVED);
const CHANGE = errors(NAMED_STATUSES, BODY_STATUSES, SAVED);
const ACT = errors(NAMED_STATUSES, SAVED);

const chat: Named = { name: 'Chat', schema: chatSchema };
const message: Named = { name: 'StoredMessage', schema: chatMessageSchema };
const summary: Named = { name: 'ChatSummary', schema: chatSummarySchema };
const asked: Named = { name: 'Asked', schema: askedSchema };
const ids: Named = { name: 'ChatIds', schema: chatIdsSchema };
const folders: Named = { name: 'ChatFolders', schema: chatFolderListSchema };
const preset: Named = { name: 'Preset', schema: presetSchema };
const newPreset: Named = { name: 'NewPreset', schema: newPresetSchema };
const presets: Named = { name: 'Presets', schema: presetListSchema };

const named = (what: string) =>
  [{ name: 'id', in: 'path', description: `Of the ${what}.` }] as const;
const ofMessage = [
  ...named('chat'),
  { name: 'message', in: 'path', description: 'Id of the message.' },
] as const;

const presetExample = { name: 'Translator', system_prompt: 'Translate into English.' };

const CHATS: readonly Operation[] = [
  {
    method: 'get',
    path: PATH,
    id: 'listChats',
    tag: TAG,
    summary: 'All chats, and their folders',
    answer: { description: 'The list.', bodies: [{ name: 'ChatList', schema: chatListSchema }] },
    errors: READ,
  },
  {
    method: 'post',
    path: PATH,
    id: 'newChat',
    tag: TAG,
    summary: 'Begin a chat',
    request: { name: 'NewChat', schema: newChatSchema, example: {} },
    answer: { description: 'The chat, empty.', bodies: [chat] },
    errors: ADD,
  },
  {
    method: 'get',
    path: `${PATH}/events`,
    id: 'chatEvents',
    tag: TAG,
    summary: 'What changes of the list and of one chat',
    parameters: [
      { name: 'open', in: 'query', description: 'Id of the chat whose messages are told, too.' },
      { name: 'list', in: 'query', description: 'Version of the list that the reader has.' },
    ],
    answer: {
      description: 'A stream without end.',
      bodies: [],
      stream: {
        mediaType: 'text/event-stream',
        event: [{ name: 'ChatEvent', schema: chatEventSchema }],
        description:
          'First `list` (`list-same` where it still has the version that the reader has) and, with `open`, `open`; then each change. A reader who falls far behind gets those two again.',
      },
    },
    errors: READ,
  },
  {
    method: 'get',
    path: `${PATH}/search`,
    id: 'searchChats',
    tag: TAG,
    summary: 'Search in titles and messages',
    description: 'What has all words, or parts of words, in any order; without case and accents.',
    parameters: [{ name: 'q', in: 'query', description: 'Words.' }],
    answer: {
      description: 'Titles first, then messages, best first.',
      bodies: [{ name: 'ChatSearch', schema: chatSearchSchema }],
    },
    errors: READ,
  },
  {
    method: 'get',
    path: `${PATH}/{id}`,
    id: 'getChat',
    tag: TAG,
    summary: 'A chat with all of its messages',
    parameters: named('chat'),
    answer: { description: 'The chat.', bodies: [chat] },
    errors: READ_ONE,
  },
  {
    method: 'patch',
    path: `${PATH}/{id}`,
    id: 'changeChat',
    tag: TAG,
    summary: 'Change a chat',
    description: 'All of what the body names, or nothing.',
    parameters: named('chat'),
    request: { name: 'ChatPatch', schema: chatPatchSchema, example: { pinned: true } },
    answer: { description: 'The chat, as in the list.', bodies: [summary] },
    errors: CHANGE,
  },
  {
    method: 'delete',
    path: `${PATH}/{id}`,
    id: 'deleteChat',
    tag: TAG,
    summary: 'Delete a chat',
    description: 'It can be restored for an hour, then it goes for good.',
    parameters: named('chat'),
    answer: { description: 'Its id.', bodies: [ids] },
    errors: ACT,
  },
  {
    method: 'post',
    path: `${PATH}/{id}/restore`,
    id: 'restoreChat',
    tag: TAG,
    summary: 'Take back that a chat was deleted',
    parameters: named('chat'),
    answer: { description: 'The chat, as in the list.', bodies: [summary] },
    errors: ACT,
  },
];

const MESSAGES: readonly Operation[] = [
  {
    method: 'post',
    path: `${PATH}/{id}/messages`,
    id: 'askInChat',
    tag: TAG,
    summary: 'Ask',
    description:
      'The answer is made by the server, whether anybody waits for it or not, and told by the events of chats. With several models each gives one.',
    parameters: named('chat'),
    request: { name: 'Ask', schema: askSchema, example: { parent_id: null, text: 'Hi.' } },
    answer: { description: 'Ids of what begins.', bodies: [asked] },
    errors: errors(CHANGE.statuses, RUNNING),
  },
  {
    method: 'post',
    path: `${PATH}/{id}/stop`,
    id: 'stopChat',
    tag: TAG,
    summary: 'Stop all answers of a chat',
    parameters: named('chat'),
    answer: { description: 'Those that ran; what has come is kept.', bodies: [ids] },
    errors: READ_ONE,
  },
  {
    method: 'patch',
    path: MESSAGE,
    id: 'editMessage',
    tag: TAG,
    summary: 'Change the words of a message',
    parameters: ofMessage,
    request: { name: 'EditMessage', schema: editMessageSchema, example: { text: 'Hi.' } },
    answer: {
      description: 'The message.',
      bodies: [message],
    },
    errors: errors(CHANGE.statuses, RUNNING),
  },
  {
    method: 'delete',
    path: MESSAGE,
    id: 'deleteMessage',
    tag: TAG,
    summary: 'Delete a message with all that follows it',
    description: 'It can be restored for an hour, then it goes for good.',
    parameters: ofMessage,
    answer: { description: 'All that went.', bodies: [ids] },
    errors: ACT,
  },
  {
    method: 'post',
    path: `${MESSAGE}/restore`,
    id: 'restoreMessage',
    tag: TAG,
    summary: 'Take back that a message was deleted',
    parameters: ofMessage,
    answer: { description: 'All that is back.', bodies: [ids] },
    errors: ACT,
  },
  {
    method: 'post',
    path: `${MESSAGE}/answers`,
    id: 'askAgain',
    tag: TAG,
    summary: 'One more answer to a question',
    parameters: ofMessage,
    request: { name: 'AskAgain', schema: askAgainSchema, example: {} },
    answer: { description: 'Ids of what begins.', bodies: [asked] },
    errors: CHANGE,
  },
  {
    method: 'post',
    path: `${MESSAGE}/continue`,
    id: 'continueAnswer',
    tag: TAG,
    summary: 'Go on with an answer that ended before its end',
    description: 'Where nothing had come, it begins anew.',
    parameters: ofMessage,
    answer: { description: 'Ids of what begins.', bodies: [asked] },
    errors: errors(ACT.statuses, RUNNING),
  },
  {
    method: 'post',
    path: `${MESSAGE}/tools/{call}`,
    id: 'decideToolCall',
    tag: TAG,
    summary: 'Allow a call of a tool, or refuse it',
    parameters: [...ofMessage, { name: 'call', in: 'path', description: 'Id of the call.' }],
    request: { name: 'ToolDecision', schema: toolDecisionSchema, example: { decision: 'refuse' } },
    answer: { description: 'The answer as it is now.', bodies: [message] },
    errors: errors(CHANGE.statuses, { 409: 'The call does not wait for a decision.' }),
  },
  {
    method: 'post',
    path: `${MESSAGE}/stop`,
    id: 'stopAnswer',
    tag: TAG,
    summary: 'Stop an answer',
    parameters: ofMessage,
    answer: { description: 'Its id where it ran; what has come is kept.', bodies: [ids] },
    errors: READ_ONE,
  },
];

const BESIDES: readonly Operation[] = [
  {
    method: 'get',
    path: FOLDERS,
    id: 'listChatFolders',
    tag: TAG,
    summary: 'Folders of chats',
    answer: { description: 'In their order.', bodies: [folders] },
    errors: READ,
  },
  {
    method: 'post',
    path: FOLDERS,
    id: 'addChatFolder',
    tag: TAG,
    summary: 'Make a folder',
    request: { name: 'NewChatFolder', schema: newChatFolderSchema, example: { name: 'Work' } },
    answer: { description: 'All of them, the new one last.', bodies: [folders] },
    errors: ADD,
  },
  {
    method: 'patch',
    path: `${FOLDERS}/{id}`,
    id: 'changeChatFolder',
    tag: TAG,
    summary: 'Rename or move a folder',
    parameters: named('folder'),
    request: { name: 'ChatFolderPatch', schema: chatFolderPatchSchema, example: { position: 0 } },
    answer: { description: 'All of them.', bodies: [folders] },
    errors: CHANGE,
  },
  {
    method: 'delete',
    path: `${FOLDERS}/{id}`,
    id: 'deleteChatFolder',
    tag: TAG,
    summary: 'Remove a folder; its chats stay',
    parameters: named('folder'),
    answer: { description: 'Those that are left.', bodies: [folders] },
    errors: ACT,
  },
  {
    method: 'get',
    path: PRESETS,
    id: 'listPresets',
    tag: TAG,
    summary: 'System prompts under a name',
    answer: { description: 'By name.', bodies: [presets] },
    errors: READ,
  },
  {
    method: 'post',
    path: PRESETS,
    id: 'addPreset',
    tag: TAG,
    summary: 'Keep a system prompt under a name',
    request: { ...newPreset, example: presetExample },
    answer: { description: 'As it is kept.', bodies: [preset] },
    errors: ADD,
  },
  {
    method: 'put',
    path: `${PRESETS}/{id}`,
    id: 'changePreset',
    tag: TAG,
    summary: 'Change a system prompt under a name',
    parameters: named('preset'),
    request: { ...newPreset, example: presetExample },
    answer: { description: 'As it is kept.', bodies: [preset] },
    errors: CHANGE,
  },
  {
    method: 'delete',
    path: `${PRESETS}/{id}`,
    id: 'deletePreset',
    tag: TAG,
    summary: 'Remove a system prompt under a name',
    parameters: named('preset'),
    answer: { description: 'Those that are left.', bodies: [presets] },
    errors: ACT,
  },
];

export const CHAT_OPERATIONS: readonly Operation[] = [...CHATS, ...MESSAGES, ...BESIDES];
