/** The inspector as its routes tell it: what runs, and what ran while it was on. */
import { z } from 'zod';
import { SPECULATION } from './engine-load.js';
import { timingsSchema } from './openai.js';

/** Requests that are kept unless the person says otherwise. */
export const DEFAULT_KEEP = 50;
export const MAX_KEEP = 1000;

const count = z.number().int().min(0);
const milliseconds = z.number().min(0);

export const inspectorSwitchSchema = z.strictObject({
  enabled: z
    .boolean()
    .describe('False deletes at once what is kept. Not remembered: the server always starts off.'),
  keep: z
    .number()
    .int()
    .min(1)
    .max(MAX_KEEP)
    .default(DEFAULT_KEEP)
    .describe('Requests that are kept; the oldest goes first.'),
});

const headShape = {
  id: z.string().describe('As in the header `x-pilotlight-receipt` of the answer.'),
  request_id: z.string().describe('As in the header `x-request-id` of the answer.'),
  client: z.string().describe('The name of its key, else what it says it is.'),
  is_owner: z.boolean().describe("It came with a key of the person's own."),
  route: z.string().describe('Such as "/v1/chat/completions".'),
  model: z.string().nullable().describe('Null where the request was not understood.'),
  began_at: z.number().describe('Milliseconds since 1970.'),
};

export const liveRequestSchema = z.object({
  ...headShape,
  stage: z
    .enum(['reading', 'loading', 'queued', 'prefill', 'running'])
    .describe(
      'Its body is read; its model is loaded; it waits for its turn; its prompt is computed; it is answered.',
    ),
  progress: z.number().min(0).max(1).nullable().describe('Of loading and prefill.'),
  ahead: count.nullable().describe('Requests before it in the queue of its model.'),
  prompt_tokens: count,
  output_tokens: count.describe('Of all choices.'),
  tokens_per_s: z.number().min(0).describe('Since its first token; 0 with fewer than two.'),
  cancelled: z.boolean().describe('It has been cancelled here and is about to end.'),
  inspected: z.boolean().describe('The inspector was on when it began.'),
});
export type LiveRequest = z.infer<typeof liveRequestSchema>;

export const finishReasonSchema = z.enum([
  ...['eog', 'stop_string', 'stop_token', 'length', 'tool_calls', 'cancelled'],
] as const);

const endShape = {
  status: count.describe('Of HTTP; 0: there was no answer at all.'),
  complete: z.boolean().describe('The whole answer was handed to the connection.'),
  finish_reason: finishReasonSchema
    .nullable()
    .describe('Of the choice that ended last; null: nothing was generated to an end.'),
  error_code: z.string().nullable(),
  prompt_tokens: count.describe('Each prompt once.'),
  cached_tokens: count.describe('Of them, taken from the KV cache.'),
  output_tokens: count.describe('Of all choices.'),
  total_ms: milliseconds.describe('From its admission to its end.'),
  tokens_per_s: z.number().min(0),
};

const replayOf = z.string().nullable().describe('Id of the request that was run again.');

export const keptRequestSchema = z.object({ ...headShape, ...endShape, replay_of: replayOf });
export type KeptRequest = z.infer<typeof keptRequestSchema>;

export const inspectorStateSchema = z.object({
  enabled: z.boolean(),
  keep: count,
  bytes: count.describe('What is kept takes so much memory.'),
  max_bytes: count.describe(
    'Beyond it the oldest requests go, and parts of new ones are left out.',
  ),
  live: z.array(liveRequestSchema).describe('Oldest first. Told also while the inspector is off.'),
  kept: z.array(keptRequestSchema).describe('Those that have ended, in order of their ends.'),
});
export type InspectorState = z.infer<typeof inspectorStateSchema>;

/** The parameters of a generation as they were handed to the engine. */
export const understoodParametersSchema = z.object({
  prompt: z.enum(['chat', 'text', 'tokens']),
  n: count.describe('Choices for each prompt.'),
  max_tokens: count.nullable(),
  stop: z.array(z.string()),
  stop_token_ids: z.array(count),
  ignore_eos: z.boolean(),
  temperature: z
    .number()
    .nullable()
    .describe("Null, as the next three: what the model's file recommends."),
  top_p: z.number().nullable(),
  top_k: z.number().nullable(),
  min_p: z.number().nullable(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  repeat_penalty: z.number(),
  repeat_last_n: count.nullable().describe('Null: the whole answer.'),
  seed: count.nullable().describe('Null: a random one.'),
  logit_bias: z.record(z.string(), z.number()),
  top_logprobs: count.nullable().describe('Null: no log probabilities.'),
  prompt_logprobs: z
    .number()
    .int()
    .min(-1)
    .nullable()
    .describe('Of the tokens of the prompt; -1: of the whole vocabulary.'),
  grammar: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('json_schema'), schema: z.unknown() }),
      z.object({ type: z.literal('json_object') }),
      z.object({ type: z.literal('gbnf'), grammar: z.string() }),
    ])
    .nullable(),
  priority: z.enum(['interactive', 'normal', 'background']),
  speculation: z.enum(SPECULATION).nullable().describe('Null: as the server was started.'),
  chat: z
    .object({
      enable_thinking: z.boolean(),
      continue_final_message: z.boolean(),
      tools: z.array(
        z.object({
          name: z.string(),
          description: z.string(),
          parameters: z.unknown(),
          strict: z.boolean(),
        }),
      ),
      tool_choice: z.union([z.enum(['auto', 'none', 'required']), z.object({ name: z.string() })]),
      parallel_tool_calls: z.boolean(),
      chat_template_kwargs: z.record(z.string(), z.unknown()),
    })
    .nullable()
    .describe('Null where the prompt is no chat.'),
});
export type UnderstoodParameters = z.infer<typeof understoodParametersSchema>;

/** What may be missing of a request because there was no room for it. */
export const PARTS = ['body', 'parameters', 'prompts', 'answers', 'refusal'] as const;
export type Part = (typeof PARTS)[number];

export const inspectedRequestSchema = z.object({
  ...headShape,
  replay_of: replayOf,
  live: liveRequestSchema.nullable().describe('Null once it has ended.'),
  end: z
    .object({
      ...endShape,
      error_message: z.string().nullable().describe('What the engine said.'),
      timings: timingsSchema.nullable(),
    })
    .nullable()
    .describe('Null while it is live.'),
  ignored: z.array(z.string()).describe('Names of fields that had no effect.'),
  parameters: understoodParametersSchema
    .nullable()
    .describe('Null where nothing is generated, as for embeddings.'),
  body: z.unknown().describe('The request as it was sent; null where it is no JSON.'),
  prompts: z
    .array(
      z.object({
        text: z.string().nullable().describe('As rendered; null where the request had token ids.'),
        token_ids: z.array(count),
      }),
    )
    .describe('As the model read them. Empty where nothing is generated.'),
  answers: z
    .array(
      z.object({
        text: z.string().describe('All that the model wrote: reasoning and calls with their tags.'),
        token_ids: z.array(count),
      }),
    )
    .describe("One for each choice, those of the second prompt behind the first one's."),
  refusal: z.string().nullable().describe('The body of an answer with a status of 400 or above.'),
  timeline: z
    .array(z.tuple([milliseconds, count, count]))
    .describe(
      'Milliseconds since its begin, tokens that were sampled, bytes that were sent. Long ones become coarser.',
    ),
  left_out: z.array(z.enum(PARTS)).describe('Parts for which there was no room.'),
});
export type InspectedRequest = z.infer<typeof inspectedRequestSchema>;

export const cancelledRequestSchema = z.object({ id: z.string(), cancelled: z.literal(true) });
export const replayedRequestSchema = z.object({
  id: z.string().describe('Of the new request.'),
  replay_of: z.string(),
});

export const snippetsSchema = z.object({
  snippets: z.array(
    z.object({
      language: z.enum(['shell', 'python', 'javascript']),
      client: z
        .enum(['curl', 'urllib', 'openai', 'fetch'])
        .describe('What it needs; urllib and fetch are part of their languages.'),
      code: z.string(),
    }),
  ),
});
export type Snippet = z.infer<typeof snippetsSchema>['snippets'][number];

/** First `state`, then `changes`. */
export const inspectorEventSchema = z.discriminatedUnion('type', [
  inspectorStateSchema.extend({ type: z.literal('state') }),
  z.object({
    type: z.literal('changes'),
    enabled: z.boolean().optional(),
    keep: count.optional(),
    bytes: count.optional(),
    live: z
      .array(liveRequestSchema.partial().required({ id: true }))
      .optional()
      .describe('New ones whole, of others what has changed.'),
    gone: z.array(z.string()).optional().describe('Ids of those that are live no more.'),
    kept: z.array(keptRequestSchema).optional().describe('New ones.'),
    dropped: z.array(z.string()).optional().describe('Ids of those that are kept no more.'),
  }),
]);
export type InspectorEvent = z.infer<typeof inspectorEventSchema>;
