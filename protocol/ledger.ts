/** The ledger: a chain of signed rows, one for each request to a model; docs/ledger.md says how to verify one alone. */
import { z } from 'zod';

/** Answer header with the id of the receipt, on every route that asks a model. */
export const RECEIPT_HEADER = 'x-pilotlight-receipt';

const count = z.number().int().min(0);
const microseconds = z.number().int().min(0);
const unixMs = z.number().int().describe('Milliseconds since 1970.');
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const publicKey = z
  .string()
  .regex(/^[A-Za-z0-9+/]{43}=$/)
  .describe('Of Ed25519: its 32 bytes in base64.');

/** Every row has these. */
const chainShape = {
  v: z.literal(1),
  seq: z.number().int().min(1).describe('Place in the chain, from 1 without gaps.'),
  previous: sha256.describe('SHA-256 of the row before; 64 zeros in the first one.'),
  key: publicKey.describe('Signs this row. It changes only with a row of kind "key".'),
  written_at: unixMs,
};

/** How a request ended. */
export const outcomeSchema = z
  .enum(['answered', 'failed', 'cancelled', 'left', 'cut'])
  .describe(
    'answered: in whole. failed: with an error, told as a status or in the stream. cancelled: by the person at this machine. left: the client was gone before its answer was whole. cut: the server ended first, so what was sent is not known.',
  );
export type Outcome = z.infer<typeof outcomeSchema>;

const modelFileSchema = z.strictObject({
  bytes: count,
  head_sha256: sha256.describe('Of its first MiB, or of all where it is shorter.'),
  sha256: sha256
    .nullable()
    .describe(
      'Of the whole file (of its parts one after the other, where it is split). Null: not computed yet when the row was written, as in the first moments with a new file.',
    ),
});

export type ModelFile = z.infer<typeof modelFileSchema>;

export const requestDraftSchema = z.strictObject({
  kind: z.literal('request'),
  id: z.string(),
  began_at: unixMs,
  method: z.string(),
  route: z.string(),
  client: z.string().describe('Name of its key, else what it says it is (user agent), else empty.'),
  model: z.string().nullable().describe('Null: the request was refused before one was chosen.'),
  model_file: modelFileSchema
    .nullable()
    .describe(
      'As it was at its path when the request came. Null: no model, not readable then, or on an upstream.',
    ),
  upstream: z
    .string()
    .optional()
    .describe(
      'Name of the server that the request was passed on to, which ran the model: the tokens are what it said. Left out where the model ran on this machine.',
    ),
  outcome: outcomeSchema,
  finish_reason: z
    .enum(['eog', 'stop_string', 'stop_token', 'length', 'tool_calls', 'cancelled'])
    .nullable()
    .describe(
      'Of the choice that ended last; null: nothing was generated, not to an end, or by an upstream.',
    ),
  error_code: z.string().nullable(),
  tokens: z
    .strictObject({ prompt: count, cached: count, output: count })
    .nullable()
    .describe(
      'Of all choices and prompts, as sampled; null where cut, and where an upstream did not say.',
    ),
  timings: z
    .strictObject({
      total_us: microseconds.describe('From admission to the end.'),
      queue_us: microseconds.nullable(),
      prefill_us: microseconds.nullable(),
      ttft_us: microseconds.nullable(),
    })
    .nullable()
    .describe(
      'Microseconds; the last three of the first choice as the engine measured, null where nothing was generated to an end. Null as a whole where cut.',
    ),
  response: z
    .strictObject({
      status: count.describe('Of HTTP; 0: there was no answer at all.'),
      bytes: count,
      sha256: sha256.describe("Of the body's bytes as they were sent."),
      complete: z.boolean().describe('All of it was handed to the connection.'),
    })
    .nullable()
    .describe('Null where cut.'),
});
/** What is known of a request but its place in the chain. */
export type RequestDraft = z.infer<typeof requestDraftSchema>;

export const requestRowSchema = z.strictObject({ ...chainShape, ...requestDraftSchema.shape });

/** From this row on another key signs, or the first one. */
const keyDraftSchema = z.strictObject({
  kind: z.literal('key'),
  former: publicKey.nullable().describe('The key of the row before; null: none, or not readable.'),
});

/** Rows up to here have been deleted, by age or for room. */
const checkpointDraftSchema = z.strictObject({
  kind: z.literal('checkpoint'),
  through: z.number().int().min(1).describe('seq of the last row that was deleted.'),
  hash: sha256.describe('Of that row.'),
});

/** Finished requests whose rows could not be written in time. */
const lossDraftSchema = z.strictObject({
  kind: z.literal('loss'),
  requests: z.number().int().min(1),
  first_began_at: unixMs,
  last_began_at: unixMs,
});

export const ledgerDraftSchema = z.discriminatedUnion('kind', [
  requestDraftSchema,
  keyDraftSchema,
  checkpointDraftSchema,
  lossDraftSchema,
]);
export type LedgerDraft = z.infer<typeof ledgerDraftSchema>;

export const ledgerRowSchema = z.discriminatedUnion('kind', [
  requestRowSchema,
  z.strictObject({ ...chainShape, ...keyDraftSchema.shape }),
  z.strictObject({ ...chainShape, ...checkpointDraftSchema.shape }),
  z.strictObject({ ...chainShape, ...lossDraftSchema.shape }),
]);
export type LedgerRow = z.infer<typeof ledgerRowSchema>;

/** GET /v1/receipts/{id}: the row with all that is needed to verify it alone. */
export const receiptSchema = z.strictObject({
  object: z.literal('receipt'),
  id: z.string(),
  row: requestRowSchema.describe(
    'Its canonical form (RFC 8785: keys sorted, no spaces, UTF-8) is what is hashed and signed.',
  ),
  hash: sha256.describe("Of the row's canonical form."),
  signature: z
    .string()
    .regex(/^[A-Za-z0-9+/]{86}==$/)
    .describe("Ed25519 of the row's canonical form, in base64."),
  public_key: z.string().describe("The row's key in PEM, as openssl reads it."),
});
export type Receipt = z.infer<typeof receiptSchema>;
