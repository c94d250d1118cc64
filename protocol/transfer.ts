/** Chats that leave and come in, and the backup of all. */
import { z } from 'zod';
import { chatFolderSchema, chatSchema } from './chats.js';

/** Of the shape of `chatExportSchema`; a newer one is refused. */
export const EXPORT_VERSION = 1;

/** Bytes of a file that comes in. An export of many years has some hundreds of MiB. */
export const IMPORT_BYTES_MAX = 4 * 1024 * 1024 * 1024;

/** One chat in our own JSON: the whole tree. */
export const exportedChatSchema = chatSchema.omit({ answering: true, draft_attachments: true });
export type ExportedChat = z.infer<typeof exportedChatSchema>;

/** GET /pilotlight/transfer/export?format=json. */
export const chatExportSchema = z.object({
  format: z.literal('pilotlight.chats'),
  version: z.literal(EXPORT_VERSION),
  exported_at: z.number().int().describe('Unix milliseconds.'),
  folders: z.array(chatFolderSchema),
  chats: z.array(exportedChatSchema),
});
export type ChatExport = z.infer<typeof chatExportSchema>;

export const TRANSFER_FORMATS = [
  'pilotlight',
  'markdown',
  'chatgpt',
  'lm-studio',
  'open-webui',
] as const;

/** What a file cannot give, and why. */
const refusedChatSchema = z.object({
  title: z.string().describe("The chat's title or place in the file."),
  reason: z.string().describe('A sentence for people.'),
});
export type RefusedChat = z.infer<typeof refusedChatSchema>;

/** POST /pilotlight/transfer/imports?name=…: the file as the body. Nothing has come in yet. */
export const importPreviewSchema = z.object({
  id: z.string(),
  name: z.string(),
  format: z.enum(TRANSFER_FORMATS),
  chats: z.number().int(),
  messages: z.number().int(),
  known: z.number().int().describe('How many of them have come in before.'),
  first_at: z.number().int().nullable().describe('Unix milliseconds; null: no chats.'),
  last_at: z.number().int().nullable(),
  left: z.number().int().describe('Pictures and other pieces that stay behind.'),
  titles: z.array(z.string()).describe('The first ones.'),
  refused: z.array(refusedChatSchema).describe('At most 100.'),
});
export type ImportPreview = z.infer<typeof importPreviewSchema>;

/** POST /pilotlight/transfer/imports/{id}: brings it in. */
export const runImportSchema = z.strictObject({
  known: z
    .enum(['skip', 'copy'])
    .optional()
    .describe('What happens with chats that have come in before. Default: skip.'),
});

export const importResultSchema = z.object({
  imported: z.number().int(),
  skipped: z.number().int(),
  refused: z.array(refusedChatSchema),
});
export type ImportResult = z.infer<typeof importResultSchema>;

/** DELETE /pilotlight/transfer/imports/{id}: the file is forgotten; nothing that came in changes. */
export const importDroppedSchema = z.object({ id: z.string() });

/** POST /pilotlight/transfer/imports/{id}/undo: what it brought in is deleted. */
export const importUndoneSchema = z.object({ deleted: z.number().int() });

/** manifest.json of a backup. */
export const backupManifestSchema = z.object({
  format: z.literal('pilotlight.backup'),
  version: z.literal(1),
  program: z.string().describe('Version of Pilotlight.'),
  schema: z.number().int().describe("The database's version."),
  created_at: z.number().int().describe('Unix milliseconds.'),
  files: z.record(z.string(), z.object({ bytes: z.number().int(), sha256: z.string() })),
});
export type BackupManifest = z.infer<typeof backupManifestSchema>;

/** POST /pilotlight/transfer/restores?name=…: the backup as the body, checked. Nothing has changed yet. */
export const restorePreviewSchema = z.object({
  id: z.string(),
  created_at: z.number().int(),
  program: z.string(),
  chats: z.number().int(),
  messages: z.number().int(),
  chats_now: z.number().int().describe('That are replaced.'),
});
export type RestorePreview = z.infer<typeof restorePreviewSchema>;

/** POST /pilotlight/transfer/restores/{id}: replaces all. */
export const restoreResultSchema = z.object({
  chats: z.number().int(),
  kept_aside: z.string().describe('Path of a backup of what was there before.'),
});
export type RestoreResult = z.infer<typeof restoreResultSchema>;
