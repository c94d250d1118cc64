/** Models on their way from the hub. */
import { z } from 'zod';
import { REPO_NAME } from './hub.js';

/**
 * `paused`: by the person, or because the disk is full, as `reason` says. `waiting`: for a try after a failure that may
 * pass, at `retry_at`. `verifying`: all bytes are there and their SHA-256 is computed. `failed`: nothing more happens
 * until the person resumes or cancels it.
 */
export const downloadStatusSchema = z.enum([
  'queued',
  'downloading',
  'waiting',
  'paused',
  'verifying',
  'done',
  'failed',
]);
export type DownloadStatus = z.infer<typeof downloadStatusSchema>;

export const downloadSchema = z.object({
  id: z.string(),
  repo: z.string(),
  revision: z.string().describe('Commit of the hub that the bytes are of.'),
  name: z.string().describe('As HubVariant.name.'),
  quantization: z.string().nullable(),
  files: z.array(z.string()).describe('Paths within the repo.'),
  status: downloadStatusSchema,
  total_bytes: z.number().int(),
  received_bytes: z.number().int(),
  bytes_per_second: z
    .number()
    .nullable()
    .describe('Of the last seconds; null while nothing comes.'),
  seconds_left: z.number().int().nullable(),
  retry_at: z.number().int().nullable().describe('Unix seconds.'),
  reason: z
    .string()
    .nullable()
    .describe('A sentence for people where waiting or failed, or paused by a full disk.'),
  model_id: z.string().nullable().describe('Id in the library once it is done.'),
});
export type Download = z.infer<typeof downloadSchema>;

/**
 * POST /pilotlight/downloads. With neither `name` nor `quantization` the best one that fits is taken: Q4_K_M, else the
 * largest that fits.
 */
export const startDownloadSchema = z.strictObject({
  repo: z.string().regex(REPO_NAME),
  revision: z.string().min(1).default('main'),
  name: z.string().min(1).optional(),
  quantization: z.string().min(1).optional(),
});
export type StartDownload = z.infer<typeof startDownloadSchema>;

/** GET /pilotlight/downloads */
export const downloadListSchema = z.object({ downloads: z.array(downloadSchema) });
export type DownloadList = z.infer<typeof downloadListSchema>;

/** DELETE /pilotlight/downloads/{id} */
export const cancelledDownloadSchema = z.object({ id: z.string(), cancelled: z.literal(true) });
export type CancelledDownload = z.infer<typeof cancelledDownloadSchema>;

/** DELETE /pilotlight/models/{id} */
export const removedModelSchema = z.object({
  id: z.string(),
  files: z.array(z.string()).describe('Absolute paths of what was deleted.'),
  freed_bytes: z.number().int(),
});
export type RemovedModel = z.infer<typeof removedModelSchema>;
