/**
 * Engine events → chat.completion.chunk texts. Pure: no socket, no clock. JSON that is the same in every chunk is
 * written once, when the encoder is made.
 */
import type { EngineEvent, FinishReason, Timings } from '../../protocol/engine.js';
import type { Usage, WireFinishReason, WireTimings } from '../../protocol/openai.js';
import { GenerationError } from '../generation/generation.js';
import { fromGenerationError } from '../http/errors.js';

export const DONE = '[DONE]';

type DoneEvent = Extract<EngineEvent, { type: 'done' }>;

/** The only place where reasons of the engine become reasons of the wire. */
const WIRE_FINISH_REASON: Record<FinishReason, WireFinishReason> = {
  eog: 'stop',
  stop_string: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  // Only a client that has gone cancels, so nobody reads this one.
  cancelled: 'stop',
};

export function wireFinishReason(reason: FinishReason): WireFinishReason {
  return WIRE_FINISH_REASON[reason];
}

export function wireUsage(done: DoneEvent): Usage {
  return {
    prompt_tokens: done.promptTokens,
    completion_tokens: done.outputTokens,
    total_tokens: done.promptTokens + done.outputTokens,
    prompt_tokens_details: { cached_tokens: done.cachedTokens },
  };
}

const thousandths = (value: number) => Math.round(value * 1000) / 1000;

export function wireTimings(timings: Timings): WireTimings {
  return {
    queue_ms: thousandths(timings.queueMs),
    prefill_ms: thousandths(timings.prefillMs),
    ttft_ms: thousandths(timings.ttftMs),
    total_ms: thousandths(timings.totalMs),
    tokens_per_s: thousandths(timings.tokensPerSecond),
  };
}

export interface ChunkHeader {
  id: string;
  /** Unix seconds. */
  created: number;
  model: string;
  /** Adds the usage chunk, and `usage: null` to all others. */
  includeUsage: boolean;
}

/** Encodes one choice's stream: role, text, finish, usage, [DONE]. */
export class ChunkEncoder {
  private readonly head: string;
  private readonly includeUsage: boolean;
  /** What follows the delta in all chunks but the finish chunk. */
  private readonly tail: string;
  private roleSent = false;

  constructor(header: ChunkHeader) {
    const { id, created, model } = header;
    const shared = JSON.stringify({ id, object: 'chat.completion.chunk', created, model });
    this.head = `${shared.slice(0, -1)},"choices":[`;
    this.includeUsage = header.includeUsage;
    this.tail = `,"logprobs":null,"finish_reason":null}]${this.noUsage}}`;
  }

  /** The payloads for one batch, in order. After `done` or `error` the stream is complete and [DONE] is included. */
  encode(events: readonly EngineEvent[]): string[] {
    const payloads: string[] = [];
    for (const event of events) {
      switch (event.type) {
        case 'token':
          this.pushRole(payloads);
          break;
        case 'delta':
          this.pushRole(payloads);
          if (event.reasoning !== '')
            payloads.push(this.delta('reasoning_content', event.reasoning));
          if (event.content !== '') payloads.push(this.delta('content', event.content));
          break;
        case 'done':
          this.pushRole(payloads);
          payloads.push(this.finish(event));
          if (this.includeUsage) payloads.push(this.usage(event));
          payloads.push(DONE);
          break;
        case 'error':
          payloads.push(encodeStreamError(new GenerationError(event.code, event.message)));
          break;
        case 'accepted':
        case 'progress':
          break;
      }
    }
    return payloads;
  }

  private get noUsage(): string {
    return this.includeUsage ? ',"usage":null' : '';
  }

  private pushRole(payloads: string[]): void {
    if (this.roleSent) return;
    this.roleSent = true;
    payloads.push(this.choice('{"role":"assistant","content":""}'));
  }

  private delta(key: 'content' | 'reasoning_content', text: string): string {
    return this.choice(`{"${key}":${JSON.stringify(text)}}`);
  }

  private choice(delta: string): string {
    return `${this.head}{"index":0,"delta":${delta}${this.tail}`;
  }

  private finish(done: DoneEvent): string {
    const reason = wireFinishReason(done.finishReason);
    const timings = JSON.stringify(wireTimings(done.timings));
    return `${this.head}{"index":0,"delta":{},"logprobs":null,"finish_reason":"${reason}"}]${this.noUsage},"timings":${timings}}`;
  }

  private usage(done: DoneEvent): string {
    return `${this.head}],"usage":${JSON.stringify(wireUsage(done))}}`;
  }
}

/** A failure after the first byte: the error object as a payload of its own; the stream then ends without [DONE]. */
export function encodeStreamError(error: GenerationError): string {
  return JSON.stringify(fromGenerationError(error).body());
}
