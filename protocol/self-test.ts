/** The self-test: what a server promises on the wire, tried at its own address, item by item. */
import { z } from 'zod';

export const SELF_TESTS = [
  'health',
  'models',
  'keep_alive',
  'chat',
  'chat_stream',
  'completion_stream',
  'stop',
  'max_tokens',
  'schema',
  'tools',
  'cancel',
  'embeddings',
  'responses',
  'anthropic',
  'ollama',
  'errors',
  'host_guard',
  'origin_guard',
  'cors',
  'key_guard',
] as const;
export const selfTestIdSchema = z.enum(SELF_TESTS);
export type SelfTestId = z.infer<typeof selfTestIdSchema>;

export const selfTestResultSchema = z.object({
  test: selfTestIdSchema,
  status: z.enum(['passed', 'failed', 'skipped']),
  ms: z.number().min(0),
  detail: z
    .string()
    .nullable()
    .describe('What was seen, what is wrong, or why it was left out; null: nothing to add.'),
});
export type SelfTestResult = z.infer<typeof selfTestResultSchema>;

/** POST /pilotlight/self-test */
export const selfTestRequestSchema = z.strictObject({
  model: z.string().min(1).optional().describe('Default: the current model.'),
});

export const selfTestEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('begin'),
    url: z.string(),
    model: z.string().nullable().describe('Null: there is none, and what needs one is left out.'),
  }),
  z.object({ type: z.literal('running'), test: selfTestIdSchema }),
  selfTestResultSchema.extend({ type: z.literal('result') }),
  z.object({
    type: z.literal('end'),
    passed: z.number().int(),
    failed: z.number().int(),
    skipped: z.number().int(),
  }),
]);
export type SelfTestEvent = z.infer<typeof selfTestEventSchema>;
