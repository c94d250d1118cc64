/** Files that go with a question. Their text is taken out on this machine, once, when they come in. */
import { z } from 'zod';

/** Bytes of one file. */
export const ATTACHMENT_BYTES_MAX = 100 * 1024 * 1024;

/** Files of one question. */
export const ATTACHMENTS_MAX = 100;

/** Characters of the text that is taken out of one: no model's context has room for more. */
export const ATTACHMENT_TEXT_MAX = 4_000_000;

/** Characters of its name. */
export const ATTACHMENT_NAME_MAX = 255;

/**
 * What the person should know of its text. `no_text`: there is none, such as where all pages are pictures.
 * `pages_without_text`: some pages have none. `cut`: it is longer than ATTACHMENT_TEXT_MAX, and its end is left out.
 */
export const attachmentNoticeSchema = z.enum(['no_text', 'pages_without_text', 'cut']);
export type AttachmentNotice = z.infer<typeof attachmentNoticeSchema>;

/** POST /pilotlight/attachments?name=…: the file as the body. GET /pilotlight/attachments/{id}/file gives it back. */
export const attachmentSchema = z.object({
  id: z.string().min(1).max(64),
  name: z.string(),
  media_type: z.string().describe('Found from the content, such as "application/pdf".'),
  kind: z.enum(['text', 'image']),
  bytes: z.number().int(),
  characters: z
    .number()
    .int()
    .nullable()
    .describe('Of the text that goes to the model; null: an image.'),
  pages: z.number().int().nullable().describe('Of the file; null: it has none.'),
  first_pages: z
    .number()
    .int()
    .nullable()
    .describe('Only so many pages go to the model; null: all of it.'),
  width: z.number().int().nullable(),
  height: z.number().int().nullable(),
  notice: attachmentNoticeSchema.nullable(),
});
export type Attachment = z.infer<typeof attachmentSchema>;

/** POST /pilotlight/attachments/{id}/pages: the same file, of which only the first pages go to the model. */
export const firstPagesSchema = z.strictObject({ first: z.number().int().min(1) });

/**
 * POST /pilotlight/chats/{id}/count: what a question takes of its model's context with all that comes before it.
 * `parent_id`, `text` and `attachments` are those of the question, as in `askSchema`; `model` is one of its `models`.
 */
export const countSchema = z.strictObject({
  parent_id: z.string().min(1).max(64).nullable(),
  text: z.string().max(4_000_000),
  attachments: z.array(z.string().min(1).max(64)).max(ATTACHMENTS_MAX).optional(),
  model: z.string().min(1).optional().describe("The chat's where left out."),
});

export const questionCountSchema = z.object({
  tokens: z
    .number()
    .int()
    .nullable()
    .describe(
      'Of the whole prompt without its images; null: its model is not loaded, or not of this machine.',
    ),
  context_size: z.number().int().nullable().describe('Tokens that prompt and answer may have.'),
  attachments: z
    .record(z.string(), z.number().int())
    .describe('Tokens of the text of each attachment, by id.'),
  sees: z.boolean().describe('Whether the model can be shown images.'),
});
export type QuestionCount = z.infer<typeof questionCountSchema>;
