/** Engine events → the chunks and the answer of POST /inference/v1/generate. Pure. */
import type { EngineEvent } from '../../protocol/engine.js';
import type {
  InferenceAnswer,
  InferenceChunk,
  InferenceLogprobs,
  InferenceUsage,
} from '../../protocol/inference.js';
import type { WireLogprob } from '../../protocol/openai.js';
import { GenerationError } from '../generation/generation.js';
import type { StreamEncoder } from '../http/generation-response.js';
import { DONE, encodeStreamError } from '../openai/chunks.js';
import {
  type DoneEvent,
  endsOf,
  wireFinishReason,
  wireLogprob,
  wireUsage,
} from '../openai/wire-values.js';
import { PromptLogprobsText } from './prompt-logprobs.js';

type TokenEvent = Extract<EngineEvent, { type: 'token' }>;
type LogprobEntry = InferenceLogprobs['content'][number];

/** A token by its id: several may have the same text, or none. */
function entryOf(logprobs: NonNullable<TokenEvent['logprobs']>): LogprobEntry {
  const { top_logprobs, ...own } = wireLogprob(logprobs);
  const named = (entry: WireLogprob, place: number) => ({
    ...entry,
    token: `token_id:${logprobs[place]?.tokenId}`,
  });
  return { ...named(own, 0), top_logprobs: top_logprobs.map((entry, i) => named(entry, i + 1)) };
}

const logprobsOf = (entries: LogprobEntry[]): InferenceLogprobs | null =>
  entries.length > 0 ? { content: entries } : null;

export interface InferenceHeader {
  requestId: string;
  /** Adds the chunk with the usage, and `usage: null` to all others. */
  includeUsage: boolean;
  /** The usage so far in all others. */
  continuousUsage: boolean;
  choices: number;
}

/** A chunk for each token, one for the end of each choice, then usage and [DONE]. */
export class InferenceEncoder implements StreamEncoder {
  private promptTokens = 0;
  private outputTokens = 0;
  private readonly done: DoneEvent[] = [];

  constructor(private readonly header: InferenceHeader) {}

  begin(promptTokens: number): string[] {
    this.promptTokens = promptTokens;
    return [];
  }

  encode(events: readonly EngineEvent[]): string[] {
    return events.flatMap((event) => this.payloads(event));
  }

  encodeError(error: GenerationError): string[] {
    return [encodeStreamError(error)];
  }

  private payloads(event: EngineEvent): string[] {
    switch (event.type) {
      case 'token':
        this.outputTokens++;
        return [
          this.chunk({
            index: event.seq,
            token_ids: [event.tokenId],
            logprobs: event.logprobs ? logprobsOf([entryOf(event.logprobs)]) : null,
            finish_reason: null,
          }),
        ];
      case 'done':
        this.done.push(event);
        return [
          this.chunk({
            index: event.seq,
            token_ids: [],
            logprobs: null,
            finish_reason: wireFinishReason(event.finishReason),
          }),
          ...(this.done.length === this.header.choices ? this.end() : []),
        ];
      case 'error':
        return this.encodeError(new GenerationError(event.code, event.message));
      default:
        return [];
    }
  }

  private chunk(choice: InferenceChunk['choices'][number]): string {
    const { requestId, includeUsage, continuousUsage } = this.header;
    const usage = continuousUsage ? this.usageSoFar() : null;
    const chunk: InferenceChunk = { request_id: requestId, choices: [choice] };
    return JSON.stringify(includeUsage ? { ...chunk, usage } : chunk);
  }

  private usageSoFar(): InferenceUsage {
    const { promptTokens, outputTokens } = this;
    return {
      prompt_tokens: promptTokens,
      completion_tokens: outputTokens,
      total_tokens: promptTokens + outputTokens,
    };
  }

  private end(): string[] {
    const { requestId, includeUsage } = this.header;
    if (!includeUsage) return [DONE];
    const last: InferenceChunk = {
      request_id: requestId,
      choices: [],
      usage: wireUsage(this.done),
    };
    return [JSON.stringify(last), DONE];
  }
}

/** The whole answer. */
export class InferenceCollector {
  private readonly choices: {
    tokenIds: number[];
    logprobs: LogprobEntry[];
    done: DoneEvent | null;
  }[];
  private readonly prompt: PromptLogprobsText | null;

  /** @param tellsPrompt The log probabilities of the prompt were asked for. */
  constructor(choices: number, tellsPrompt = false) {
    this.prompt = tellsPrompt ? new PromptLogprobsText() : null;
    this.choices = Array.from({ length: choices }, () => ({
      tokenIds: [],
      logprobs: [],
      done: null,
    }));
  }

  /** Takes the next event; errors are the caller's business. */
  push(event: EngineEvent): void {
    if (event.type === 'prompt-logprobs') this.prompt?.push(event);
    const choice = this.choices[event.seq];
    if (!choice) return;
    if (event.type === 'token') {
      choice.tokenIds.push(event.tokenId);
      if (event.logprobs) choice.logprobs.push(entryOf(event.logprobs));
    } else if (event.type === 'done') {
      choice.done = event;
    }
  }

  /**
   * The answer as JSON text, in pieces.
   * @throws GenerationError where a choice has not ended.
   */
  json(requestId: string): string[] {
    const head = JSON.stringify(this.answer(requestId)).slice(0, -1);
    return [`${head},"prompt_logprobs":`, ...(this.prompt?.parts() ?? ['null']), '}'];
  }

  private answer(requestId: string): Omit<InferenceAnswer, 'prompt_logprobs'> {
    const ends = endsOf(this.choices);
    return {
      request_id: requestId,
      choices: this.choices.map(({ tokenIds, logprobs }, index) => ({
        index,
        token_ids: tokenIds,
        logprobs: logprobsOf(logprobs),
        finish_reason: wireFinishReason((ends[index] as DoneEvent).finishReason),
      })),
      usage: wireUsage(ends),
    };
  }
}
