/**
 * The person's chats: what the server keeps of them, and what it tells while one is being answered. A chat is a tree of
 * messages: whoever edits a question or asks again begins a branch, and nothing of the old one is lost.
 */
import { z } from 'zod';
import { attachmentSchema } from './attachments.js';
import { chatSettingsSchema } from './chat-settings.js';

/** Characters. A window shows no more of a title; a text of a million is a book. */
export const TITLE_LENGTH_MAX = 200;
export const TEXT_LENGTH_MAX = 4_000_000;

const id = z.string().min(1).max(64);
const time = z.number().int().describe('Unix milliseconds.');

/** What the list shows of a chat. */
export const chatSummarySchema = z.object({
  id,
  title: z.string().describe('Empty: it has none yet.'),
  title_by: z.enum(['person', 'model']).nullable(),
  folder_id: id.nullable(),
  pinned: z.boolean(),
  archived: z.boolean(),
  created_at: time,
  updated_at: time.describe('Of the last question or answer, not of a new title or place.'),
  model: z.string().nullable().describe('That answered last.'),
  answering: z.boolean(),
});
export type ChatSummary = z.infer<typeof chatSummarySchema>;

export const chatFolderSchema = z.object({
  id,
  name: z.string().min(1).max(TITLE_LENGTH_MAX),
  position: z.number().int().min(0).describe('Place in the list, from 0.'),
});
export type ChatFolder = z.infer<typeof chatFolderSchema>;

/** `writing`: its arguments still come. `waiting`: for the person's consent. `done`: with a result. */
export const toolCallStateSchema = z.enum([
  'writing',
  'waiting',
  'running',
  'done',
  'failed',
  'refused',
]);

/**
 * Why a call came to nothing. `person`: said no. `steps`: the limit of steps is reached. `stopped`: the answer was
 * stopped, or the server ended. `arguments`: they are no JSON object. `unknown`: there is no such tool, or it is off.
 * `tool`: it said itself that it failed. `server`: its server does not run, or ended.
 */
export const toolCallReasonSchema = z.enum([
  'person',
  'steps',
  'stopped',
  'arguments',
  'unknown',
  'tool',
  'server',
  'timeout',
]);

/** A piece of an answer, in the order in which it came. */
export const messagePartSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('reasoning'),
    text: z.string(),
    ms: z.number().nullable().describe('How long it took; null while it lasts.'),
  }),
  z.object({
    type: z.literal('tool_call'),
    id,
    step: z.number().int().describe('Calls that the model made at once have the same one.'),
    server: z.string().describe('Id of the MCP server; empty: there is no such tool.'),
    tool: z.string(),
    arguments: z.string().describe('JSON text, as the model wrote it.'),
    state: toolCallStateSchema,
    result: z
      .string()
      .nullable()
      .describe('What the model is told: the result, or why there is none.'),
    reason: toolCallReasonSchema.nullable(),
    ms: z.number().nullable(),
  }),
]);
export type MessagePart = z.infer<typeof messagePartSchema>;

/** `interrupted`: the server ended meanwhile; what had come is kept. `length`: cut off at a limit of tokens. */
export const answerStatusSchema = z.enum([
  'running',
  'complete',
  'length',
  'stopped',
  'failed',
  'interrupted',
]);
export type AnswerStatus = z.infer<typeof answerStatusSchema>;

export const answerFailureSchema = z.object({
  code: z.string().describe("As in the API's errors, such as context_length_exceeded."),
  message: z.string().describe('A sentence for people.'),
  retry_after: z.number().nullable().describe('Seconds after which a retry makes sense.'),
});
export type AnswerFailure = z.infer<typeof answerFailureSchema>;

/** Counts come from sampling; times are milliseconds on one monotonic clock. */
export const answerMeasureSchema = z.object({
  prompt_tokens: z.number().int(),
  cached_tokens: z.number().int(),
  output_tokens: z.number().int(),
  ttft_ms: z.number(),
  total_ms: z.number(),
  tokens_per_s: z.number(),
  context_size: z
    .number()
    .int()
    .nullable()
    .describe('Tokens that a request of the model may have.'),
});
export type AnswerMeasure = z.infer<typeof answerMeasureSchema>;

const messageShape = {
  id,
  parent_id: id
    .nullable()
    .describe('Null: it begins the chat. Messages with the same parent are branches.'),
  created_at: time,
  edited_at: time.nullable(),
};

export const userMessageSchema = z.object({
  ...messageShape,
  role: z.literal('user'),
  text: z.string(),
  attachments: z.array(attachmentSchema),
});
export type UserMessage = z.infer<typeof userMessageSchema>;

export const answerMessageSchema = z.object({
  ...messageShape,
  role: z.literal('assistant'),
  model: z.string().describe('Id of the model that was asked.'),
  parts: z.array(messagePartSchema),
  status: answerStatusSchema,
  failure: answerFailureSchema.nullable(),
  measure: answerMeasureSchema.nullable(),
});
export type AnswerMessage = z.infer<typeof answerMessageSchema>;

export const chatMessageSchema = z.discriminatedUnion('role', [
  userMessageSchema,
  answerMessageSchema,
]);
export type ChatMessage = z.infer<typeof chatMessageSchema>;

/** GET /pilotlight/chats/{id}: all of it. */
export const chatSchema = chatSummarySchema.extend({
  settings: chatSettingsSchema,
  draft: z.string().describe('What the person is writing.'),
  draft_attachments: z.array(attachmentSchema),
  leaf_id: id.nullable().describe('End of the branch that is shown; null: it is empty.'),
  messages: z.array(chatMessageSchema).describe('Of all branches, oldest first.'),
});
export type Chat = z.infer<typeof chatSchema>;

/** GET /pilotlight/chats. */
export const chatListSchema = z.object({
  chats: z.array(chatSummarySchema).describe('Also archived ones; used last first.'),
  folders: z.array(chatFolderSchema).describe('In their order.'),
});
export type ChatList = z.infer<typeof chatListSchema>;

/**
 * POST /pilotlight/chats: a chat, empty. DELETE /pilotlight/chats/{id} removes one, and POST …/{id}/restore takes that
 * back within an hour.
 */
export const newChatSchema = z.strictObject({
  title: z.string().max(TITLE_LENGTH_MAX).optional(),
  folder_id: id.nullable().optional(),
  settings: chatSettingsSchema.partial().optional(),
});

/** PATCH /pilotlight/chats/{id}. Settings that are left out stay. Answers with its summary, as POST …/restore does. */
export const chatPatchSchema = z.strictObject({
  title: z.string().max(TITLE_LENGTH_MAX).optional().describe('Empty: the model makes one.'),
  folder_id: id.nullable().optional(),
  pinned: z.boolean().optional(),
  archived: z.boolean().optional(),
  settings: chatSettingsSchema.partial().optional(),
  draft: z.string().max(TEXT_LENGTH_MAX).optional(),
  draft_attachments: z.array(id).max(100).optional().describe('Ids.'),
  leaf_id: id.nullable().optional().describe('Of a message within: its newest branch is shown.'),
});
export type ChatPatch = z.infer<typeof chatPatchSchema>;

/** One answer each; two are shown side by side. Left out: the chat's model. */
const models = z.array(z.string().min(1)).min(1).max(4).optional();

/**
 * POST /pilotlight/chats/{id}/messages: asks, and empties the draft. Answers at once with `askedSchema`; the answers come
 * as events.
 */
export const askSchema = z.strictObject({
  parent_id: id.nullable().describe('The answer that it goes on from; null: the first question.'),
  text: z.string().max(TEXT_LENGTH_MAX),
  attachments: z.array(id).max(100).optional().describe('Ids.'),
  models,
});
export type Ask = z.infer<typeof askSchema>;

/** POST /pilotlight/chats/{id}/messages/{message}/answers: answers a question once more, as a branch. */
export const askAgainSchema = z.strictObject({ models });

/**
 * Of the two above, and of POST …/messages/{message}/continue: an answer that ended before its end goes on in place, and
 * begins anew where nothing had come. POST …/messages/{message}/stop ends a running one, which keeps what has come;
 * POST /pilotlight/chats/{id}/stop ends all of a chat.
 */
export const askedSchema = z.object({
  question_id: id,
  answer_ids: z.array(id),
});
export type Asked = z.infer<typeof askedSchema>;

/**
 * PATCH /pilotlight/chats/{id}/messages/{message}: changes its words in place; nobody is asked. DELETE removes it with all
 * that follows it, and POST …/restore takes that back within an hour.
 */
export const editMessageSchema = z.strictObject({ text: z.string().max(TEXT_LENGTH_MAX) });

/** Of DELETE, of POST …/stop and of a message's …/restore. */
export const chatIdsSchema = z.object({ ids: z.array(id).describe('That it concerned.') });

/** POST /pilotlight/chat-folders. DELETE /pilotlight/chat-folders/{id} leaves its chats, in no folder. */
export const newChatFolderSchema = z.strictObject({
  name: z.string().min(1).max(TITLE_LENGTH_MAX),
});

/** PATCH /pilotlight/chat-folders/{id}; all folders are numbered anew where a place changes. */
export const chatFolderPatchSchema = z.strictObject({
  name: z.string().min(1).max(TITLE_LENGTH_MAX).optional(),
  position: z.number().int().min(0).optional(),
});

export const chatFolderListSchema = z.object({ folders: z.array(chatFolderSchema) });

/** Before the first token. `load`: 0..1; `queue`: requests ahead. */
export const chatProgressSchema = z.discriminatedUnion('stage', [
  z.object({ stage: z.literal('memory') }),
  z.object({ stage: z.literal('loading'), fraction: z.number() }),
  z.object({ stage: z.literal('queued'), ahead: z.number().int() }),
  z.object({
    stage: z.literal('prefill'),
    prefilled: z.number().int(),
    prompt_tokens: z.number().int(),
  }),
]);
export type ChatProgress = z.infer<typeof chatProgressSchema>;

/** Of the list; each change of it has the next one. Whoever misses one in between does not know the list any more. */
const version = z.number().int();

/**
 * GET /pilotlight/chats/events?open={id}&list={version}: one stream for the list and for the chat that is open. First
 * `list` (`list-same` where the reader has that version) and, with `open`, `open`; then every change, whoever made it.
 * What concerns messages is sent of the open chat only.
 */
export const chatEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('list'),
    version,
    chats: z.array(chatSummarySchema).describe('Also archived ones.'),
    folders: z.array(chatFolderSchema),
  }),
  z.object({ type: z.literal('list-same') }),
  z.object({
    type: z.literal('open'),
    chat: chatSchema.nullable().describe('Null: there is none of that id.'),
  }),
  z.object({ type: z.literal('chat'), version, chat: chatSummarySchema }),
  z.object({ type: z.literal('chat-deleted'), version, id }),
  z.object({ type: z.literal('folders'), version, folders: z.array(chatFolderSchema) }),
  z.object({
    type: z.literal('state'),
    settings: chatSettingsSchema,
    leaf_id: id.nullable(),
    draft: z.string(),
    draft_attachments: z.array(attachmentSchema),
  }),
  z.object({ type: z.literal('message'), message: chatMessageSchema.describe('New, or changed.') }),
  z.object({ type: z.literal('messages-deleted'), ids: z.array(id) }),
  z.object({
    type: z.literal('delta'),
    message_id: id,
    part: z.number().int().describe('Index of the part; a new one begins with its first text.'),
    kind: z.enum(['text', 'reasoning']),
    text: z.string(),
  }),
  z.object({ type: z.literal('progress'), message_id: id, progress: chatProgressSchema }),
  z.object({
    type: z.literal('rate'),
    message_id: id,
    output_tokens: z.number().int(),
    tokens_per_s: z.number(),
  }),
]);
export type ChatEvent = z.infer<typeof chatEventSchema>;

/** GET /pilotlight/chats/search?q=…: full text over titles and messages, best first. */
export const chatSearchSchema = z.object({
  results: z.array(
    z.object({
      chat_id: id,
      message_id: id.nullable().describe('Null: the title.'),
      title: z.string(),
      archived: z.boolean(),
      excerpt: z
        .array(z.object({ text: z.string(), hit: z.boolean() }))
        .describe('In order; put together it is the text around the hit.'),
      at: time,
    }),
  ),
});
export type ChatSearch = z.infer<typeof chatSearchSchema>;

/** GET /pilotlight/presets: system prompts under a name; `built_in` ones cannot be changed. */
export const presetSchema = z.object({
  id,
  name: z.string().min(1).max(TITLE_LENGTH_MAX),
  system_prompt: z.string().max(1_000_000),
  built_in: z.boolean(),
});
export type Preset = z.infer<typeof presetSchema>;

export const presetListSchema = z.object({ presets: z.array(presetSchema) });

/** POST /pilotlight/presets, and PUT /pilotlight/presets/{id}. */
export const newPresetSchema = presetSchema.omit({ id: true, built_in: true }).strict();
