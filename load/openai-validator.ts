/**
 * Follows a stream of chat completions or completions and notes what is against OpenAI's protocol. What its types leave
 * open, and what no client can tell apart (a chunk without `usage` from one with null), is let pass. Pure.
 */
import { z } from 'zod';
import { finishReasonSchema } from '../protocol/openai.js';
import type { Counts, Follower, Taken } from './ask.js';
import { misfit, readData } from './event-data.js';
import { printable } from './printable.js';
import { type Violation, type ViolationKind, Violations } from './violation.js';

const count = z.number().int().min(0);
const text = z.string().nullish();

const usageSchema = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.object({ cached_tokens: count.nullish() }).nullish(),
});
type Usage = z.infer<typeof usageSchema>;

const toolCallSchema = z.object({
  index: count,
  id: text,
  function: z.object({ name: text, arguments: text }).nullish(),
});
type ToolCall = z.infer<typeof toolCallSchema>;

const deltaSchema = z.object({
  role: z.enum(['developer', 'system', 'user', 'assistant', 'tool']).nullish(),
  content: text,
  refusal: text,
  reasoning_content: text,
  reasoning: text,
  tool_calls: z.array(toolCallSchema).nullish(),
});

const chunkShape = {
  id: z.string(),
  created: z.number().int(),
  model: z.string(),
  usage: usageSchema.nullish(),
};
const choiceShape = { index: count, finish_reason: finishReasonSchema.nullable() };

const SCHEMAS = {
  chat: z.object({
    ...chunkShape,
    object: z.literal('chat.completion.chunk'),
    choices: z.array(z.object({ ...choiceShape, delta: deltaSchema })),
  }),
  completions: z.object({
    ...chunkShape,
    object: z.literal('text_completion'),
    choices: z.array(z.object({ ...choiceShape, text: z.string() })),
  }),
};
type Chunk = z.infer<(typeof SCHEMAS)[keyof typeof SCHEMAS]>;
type Choice = Chunk['choices'][number];

const errorSchema = z.object({
  error: z.union([z.string(), z.object({ message: z.string() })]),
});

/** What was asked for. */
export interface Asked {
  protocol: keyof typeof SCHEMAS;
  /** Choices, at least 1. */
  choices: number;
  usage: boolean;
  /** Tokens of each choice at most; null: no limit was sent. */
  maxTokens: number | null;
}

interface ChoiceState {
  isFinished: boolean;
  toolCalls: number;
}

export class OpenAiValidator implements Follower {
  counts: Counts | null = null;
  failure: string | null = null;
  private readonly found = new Violations();
  private readonly choices: ChoiceState[];
  private events = 0;
  private first: Chunk | null = null;
  private hasOutput = false;
  private isDone = false;

  constructor(private readonly asked: Asked) {
    this.choices = Array.from({ length: asked.choices }, () => ({
      ...{ isFinished: false, toolCalls: 0 },
    }));
  }

  get isComplete(): boolean {
    return this.isDone || this.failure !== null;
  }

  violations(): Violation[] {
    return this.found.list();
  }

  take(data: string): Taken {
    if (this.isDone) this.note('after_done', printable(data));
    // Some servers send [DONE] behind an error as well, which hurts nobody.
    else if (this.failure !== null && data !== '[DONE]') this.note('after_error', printable(data));
    const taken = this.read(data);
    this.events++;
    return taken;
  }

  end(): void {
    if (this.failure !== null) return;
    if (!this.isDone) this.note('done_missing', `the last event is number ${this.events - 1}`);
    this.choices.forEach(({ isFinished }, i) => {
      if (!isFinished) this.note('finish_missing', `choice ${i}`);
    });
    if (this.asked.usage && this.counts === null) {
      this.note('usage_missing', 'stream_options.include_usage is true');
    }
    if (this.hasOutput && this.counts?.output === 0) {
      this.note('usage_wrong', 'completion_tokens is 0 for an answer that is not empty');
    }
  }

  private read(data: string): Taken {
    if (data === '[DONE]') {
      this.isDone = true;
      return 'end';
    }
    const read = readData(data);
    if (read.problem !== null) return this.note(read.problem, read.shown);
    if (hasError(read.value)) {
      return this.readError(read.value);
    }
    const chunk = SCHEMAS[this.asked.protocol].safeParse(read.value);
    if (!chunk.success) return this.note('bad_shape', misfit(chunk.error));
    return this.readChunk(chunk.data);
  }

  private readError(value: unknown): Taken {
    const { data, error } = errorSchema.safeParse(value);
    if (error) return this.note('bad_shape', misfit(error));
    this.failure = typeof data.error === 'string' ? data.error : data.error.message;
    return 'end';
  }

  private readChunk(chunk: Chunk): Taken {
    this.first ??= chunk;
    for (const field of ['id', 'model', 'created'] as const) {
      if (chunk[field] === this.first[field]) continue;
      this.note(`${field}_changed`, printable(`${this.first[field]}, then ${chunk[field]}`));
    }
    this.readUsage(chunk);
    let taken: Taken = 'other';
    for (const choice of chunk.choices) if (this.readChoice(choice)) taken = 'output';
    if (taken === 'output') this.hasOutput = true;
    return taken;
  }

  private readUsage({ usage, choices }: Chunk): void {
    const before = this.counts;
    if (choices.length > 0 && (usage || before)) {
      this.note('usage_misplaced', usage ? 'it is beside choices' : 'choices come after it');
    }
    if (!usage) {
      if (choices.length === 0) this.note('empty_choices', 'it has no usage either');
      return;
    }
    if (!this.asked.usage) this.note('usage_unasked', 'stream_options were not sent');
    if (before) this.note('usage_twice', `completion_tokens ${before.output}, then another`);
    this.counts = {
      prompt: usage.prompt_tokens,
      output: usage.completion_tokens,
      cached: usage.prompt_tokens_details?.cached_tokens ?? null,
    };
    const wrong = contradiction(usage, this.asked);
    if (wrong !== null) this.note('usage_wrong', wrong);
  }

  /** @returns whether it brought a part of the answer */
  private readChoice(choice: Choice): boolean {
    const state = this.choices[choice.index];
    if (state === undefined) {
      this.note('choice_index', `index ${choice.index} of ${this.asked.choices}`);
      return false;
    }
    const { finish_reason: reason } = choice;
    if (state.isFinished) {
      if (reason === null) this.note('after_finish', `choice ${choice.index}`);
      else this.note('finish_twice', `choice ${choice.index}: ${reason}`);
    }
    if (reason !== null) state.isFinished = true;
    if ('text' in choice) return choice.text !== '';
    const { content, refusal, reasoning_content, reasoning, tool_calls } = choice.delta;
    for (const call of tool_calls ?? []) this.readToolCall(state, call);
    return Boolean(content || refusal || reasoning_content || reasoning || tool_calls?.length);
  }

  private readToolCall(state: ChoiceState, { index, id, function: called }: ToolCall): void {
    if (index < state.toolCalls) return;
    if (index > state.toolCalls) {
      this.note('tool_index', `index ${index} for call number ${state.toolCalls}`);
    } else if (!id || !called?.name) {
      this.note('tool_index', `call ${index} begins without id or name`);
    }
    state.toolCalls = index + 1;
  }

  private note(kind: ViolationKind, detail: string): 'other' {
    this.found.add(kind, this.events, detail);
    return 'other';
  }
}

function contradiction(usage: Usage, { maxTokens, choices }: Asked): string | null {
  const { prompt_tokens, completion_tokens, total_tokens } = usage;
  if (prompt_tokens + completion_tokens !== total_tokens) {
    return `${prompt_tokens} + ${completion_tokens} tokens are not ${total_tokens}`;
  }
  if ((usage.prompt_tokens_details?.cached_tokens ?? 0) > prompt_tokens) {
    return 'more cached than prompt tokens';
  }
  if (maxTokens !== null && completion_tokens > maxTokens * choices) {
    return `${completion_tokens} tokens, and at most ${maxTokens * choices} were asked for`;
  }
  return null;
}

/** Cheaper than a schema for each event. */
function hasError(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'error' in value && value.error !== null;
}
