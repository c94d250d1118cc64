/** The validator for a request, which knows what was asked for from its body. */
import { z } from 'zod';
import type { Protocol } from './api.js';
import type { Follower } from './ask.js';
import { OpenAiValidator } from './openai-validator.js';
import { TypedValidator } from './typed-validator.js';

const limit = z.number().nullish().catch(null);
const askedSchema = z.object({
  n: z.number().int().min(1).max(1024).catch(1),
  max_tokens: limit,
  max_completion_tokens: limit,
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish().catch(null),
});

export function followerOf(protocol: Protocol, body: object): Follower {
  const { n, max_tokens, max_completion_tokens, stream_options } = askedSchema.parse(body);
  const maxTokens = max_completion_tokens ?? max_tokens ?? null;
  if (protocol === 'typed') return new TypedValidator(maxTokens ?? Number.POSITIVE_INFINITY);
  return new OpenAiValidator({
    ...{ protocol, choices: n, maxTokens },
    usage: stream_options?.include_usage ?? false,
  });
}
