/** Models to be fetched from Hugging Face, or from a mirror of it. */
import { z } from 'zod';
import { fitSchema } from './fit.js';

/** "owner/name", as the hub allows it. Safe in a URL, and each part as the name of a folder. */
export const REPO_NAME =
  /^(?!.*\.\.)[A-Za-z0-9_][\w.-]{0,95}\/[A-Za-z0-9_][\w.-]{0,95}(?<!\.)(?<!\.git)$/;

export const HUB_SORTS = ['trending', 'downloads', 'likes', 'updated', 'created'] as const;

/** GET /pilotlight/hub/models?search=…&sort=…&cursor=…: repos with GGUF files only. */
export const hubModelSchema = z.object({
  repo: z.string().describe('"owner/name".'),
  downloads: z.number().int(),
  likes: z.number().int(),
  updated_at: z.string().describe('ISO 8601.'),
  gated: z.boolean().describe('Its terms must be accepted on the hub, and a token set here.'),
  private: z.boolean(),
  task: z.string().nullable().describe('Such as "text-generation".'),
});
export type HubModel = z.infer<typeof hubModelSchema>;

export const hubModelPageSchema = z.object({
  models: z.array(hubModelSchema),
  next_cursor: z.string().nullable(),
});
export type HubModelPage = z.infer<typeof hubModelPageSchema>;

export const hubFileSchema = z.object({
  path: z.string(),
  size_bytes: z.number().int(),
  sha256: z.string().nullable().describe('Lower-case hex; null where the hub tells none.'),
});
export type HubFile = z.infer<typeof hubFileSchema>;

/** One choice within a repo: a quantisation, all parts of a split one together. */
export const hubVariantSchema = z.object({
  name: z.string().describe('The files\' common name without ".gguf" and part number.'),
  quantization: z.string().nullable().describe('Such as "Q4_K_M".'),
  files: z.array(hubFileSchema).describe('In order; a vision projector that belongs to it last.'),
  size_bytes: z.number().int(),
  installed_as: z.string().nullable().describe('Id in the library, where it is there already.'),
  fit: fitSchema.nullable().describe('Null while it is not known: GET …?fit=NAME tells it.'),
});
export type HubVariant = z.infer<typeof hubVariantSchema>;

/** GET /pilotlight/hub/models/OWNER/NAME?context=TOKENS */
export const hubModelDetailsSchema = hubModelSchema.extend({
  revision: z.string().describe('Commit that the files are of.'),
  license: z.string().nullable(),
  architecture: z.string().nullable(),
  parameters: z.number().int().nullable(),
  trained_context_length: z.number().int().nullable(),
  variants: z.array(hubVariantSchema).describe('Smallest first.'),
});
export type HubModelDetails = z.infer<typeof hubModelDetailsSchema>;

/** GET, PUT and DELETE /pilotlight/hub/token. The token itself is never told. */
export const hubAccountSchema = z.object({
  has_token: z.boolean(),
  stored_in: z.enum(['keychain', 'file', 'environment']).nullable(),
  user: z
    .string()
    .nullable()
    .describe('Whom the hub takes it for; null: not asked yet, or refused.'),
  reason: z.string().nullable().describe('A sentence for people where the token does not work.'),
  default_endpoint: z
    .string()
    .describe('The hub where hub_endpoint of the settings is null: HF_ENDPOINT, or Hugging Face.'),
});
export type HubAccount = z.infer<typeof hubAccountSchema>;

export const putHubTokenSchema = z.strictObject({ token: z.string().min(1).max(1000) });
