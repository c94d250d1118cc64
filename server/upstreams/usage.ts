/** What an answer says of its own tokens, in whatever dialect; read beside the stream, which it leaves as it is. Pure. */
import { z } from 'zod';
import type { ExchangeCounts } from '../exchange/exchange.js';

/** Longest answer in one piece that is read for its counts, in bytes; and longest event. */
const READ_MAX = 4 * 1024 * 1024;

const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** What dialects call their counts. */
const usageSchema = z.object({
  prompt_tokens: count.optional().catch(undefined),
  completion_tokens: count.nullish().catch(undefined),
  prompt_tokens_details: z.object({ cached_tokens: count.nullish() }).nullish().catch(undefined),
  /** OpenAI's Responses with those of the cache among them; Anthropic's Messages without. */
  input_tokens: count.nullish().catch(undefined),
  output_tokens: count.nullish().catch(undefined),
  input_tokens_details: z.object({ cached_tokens: count.nullish() }).nullish().catch(undefined),
  cache_read_input_tokens: count.nullish().catch(undefined),
  cache_creation_input_tokens: count.nullish().catch(undefined),
});

/** What llama-server adds to its answers, and to streams whose client has not asked for the usage. */
const timingsSchema = z.object({ prompt_n: count, cache_n: count, predicted_n: count });

const ollamaSchema = z.object({
  prompt_eval_count: count.optional(),
  eval_count: count.optional(),
  done: z.literal(true).optional(),
});

/** The last event of POST /v1/generate, and its answer in one piece. */
const generateSchema = z.object({
  prompt_tokens: count,
  cached_tokens: count,
  output_tokens: count,
});

/** Cheap to look for in bytes: without one of them there is nothing to parse for. */
const MARKS = [
  '"usage"',
  '"predicted_n"',
  '"eval_count"',
  '"prompt_eval_count"',
  '"output_tokens"',
];

export type AnswerKind = 'events' | 'lines' | 'whole';

export class UsageReader {
  #counts: ExchangeCounts | null = null;
  /** Of an answer in one piece; null: too long. */
  #whole: Buffer[] | null = [];
  #wholeBytes = 0;

  constructor(private readonly kind: AnswerKind) {}

  /** Null: nothing has been said so far. */
  get counts(): Readonly<ExchangeCounts> | null {
    return this.#counts;
  }

  /** @param bytes Whole events or lines; of an answer in one piece, any part. */
  push(bytes: Buffer): void {
    if (this.kind === 'whole') {
      this.#gather(bytes);
      return;
    }
    if (bytes.length > READ_MAX || !MARKS.some((mark) => bytes.includes(mark))) return;
    for (const line of bytes.toString('utf8').split(/\r\n|\n|\r/)) {
      const json = this.kind === 'lines' ? line : /^data:(.*)$/.exec(line)?.[1];
      if (json !== undefined && MARKS.some((mark) => json.includes(mark))) this.#read(json);
    }
  }

  end(): void {
    if (this.#whole !== null && this.#wholeBytes > 0) {
      this.#read(Buffer.concat(this.#whole).toString('utf8'));
    }
    this.#whole = null;
  }

  #gather(bytes: Buffer): void {
    if (this.#whole === null) return;
    this.#wholeBytes += bytes.length;
    if (this.#wholeBytes > READ_MAX) this.#whole = null;
    else this.#whole.push(bytes);
  }

  /** Later words go before earlier ones: counts grow in a stream. */
  #read(json: string): void {
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch {
      return;
    }
    const said = countsOf(value);
    if (said === null) return;
    this.#counts = {
      promptTokens: said.promptTokens ?? this.#counts?.promptTokens ?? 0,
      cachedTokens: said.cachedTokens ?? this.#counts?.cachedTokens ?? 0,
      outputTokens: said.outputTokens ?? this.#counts?.outputTokens ?? 0,
    };
  }
}

type Said = Partial<ExchangeCounts>;

function countsOf(value: unknown): Said | null {
  if (!isObject(value)) return null;
  for (const holder of [value, value.response, value.message]) {
    if (!isObject(holder)) continue;
    const usage = usageSchema.safeParse(holder.usage);
    if (usage.success) return fromUsage(usage.data);
  }
  const timings = timingsSchema.safeParse(value.timings);
  if (timings.success) {
    const { prompt_n, cache_n, predicted_n } = timings.data;
    return { promptTokens: prompt_n + cache_n, cachedTokens: cache_n, outputTokens: predicted_n };
  }
  const generate = generateSchema.safeParse(value);
  if (generate.success) {
    const { prompt_tokens, cached_tokens, output_tokens } = generate.data;
    return {
      promptTokens: prompt_tokens,
      cachedTokens: cached_tokens,
      outputTokens: output_tokens,
    };
  }
  const ollama = ollamaSchema.safeParse(value);
  if (!ollama.success) return null;
  const { prompt_eval_count: prompt, eval_count: output } = ollama.data;
  return prompt === undefined && output === undefined
    ? null
    : { ...present('promptTokens', prompt), ...present('outputTokens', output) };
}

function fromUsage(usage: z.infer<typeof usageSchema>): Said | null {
  const { prompt_tokens, completion_tokens, input_tokens, output_tokens } = usage;
  const read = usage.cache_read_input_tokens;
  const isAnthropic = read !== undefined && read !== null;
  const besides = isAnthropic ? read + (usage.cache_creation_input_tokens ?? 0) : 0;
  const input = typeof input_tokens === 'number' ? input_tokens + besides : undefined;
  const cached =
    read ?? usage.prompt_tokens_details?.cached_tokens ?? usage.input_tokens_details?.cached_tokens;
  const said = {
    ...present('promptTokens', prompt_tokens ?? input),
    ...present('outputTokens', completion_tokens ?? output_tokens),
    ...present('cachedTokens', cached),
  };
  return Object.keys(said).length > 0 ? said : null;
}

function present(name: keyof ExchangeCounts, value: number | null | undefined): Said {
  return typeof value === 'number' ? { [name]: value } : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
