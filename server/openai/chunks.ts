/**
 * Engine events → chat.completion.chunk texts. Pure: no socket, no clock. JSON that is the same in every chunk is
 * written once, when the encoder is made.
 */
import type { EngineEvent, ToolCallDelta } from '../../protocol/engine.js';
import type { WireTokenLogprob, WireToolCallDelta } from '../../protocol/openai.js';
import { type GenerationError, toGenerationError } from '../generation/generation.js';
import { fromGenerationError } from '../http/errors.js';
import type { StreamEncoder } from '../http/generation-response.js';
import {
  type DoneEvent,
  wireFinishReason,
  wireLogprob,
  wireTimings,
  wireUsage,
} from './wire-values.js';

export const DONE = '[DONE]';

type DeltaEvent = Extract<EngineEvent, { type: 'delta' }>;

export interface ChunkHeader {
  id: string;
  /** Unix seconds. */
  created: number;
  model: string;
  /** Adds the usage chunk, and `usage: null` to all others. */
  includeUsage: boolean;
  /** Answers in this stream, each with an index of its own. */
  choices: number;
}

/** What is known of one choice between two batches. */
interface Choice {
  roleSent: boolean;
  /** Of tokens whose text has not been sent yet: it is held back, or they have none. */
  logprobs: WireTokenLogprob[];
}

/** Encodes a stream of one or more choices: for each the role, its text and its finish; then usage and [DONE]. */
export class ChunkEncoder implements StreamEncoder {
  private readonly head: string;
  private readonly includeUsage: boolean;
  /** What follows the choice in all chunks but the finish chunk. */
  private readonly tail: string;
  private readonly choices: Choice[];
  private readonly done: DoneEvent[] = [];

  constructor(header: ChunkHeader) {
    const { id, created, model, includeUsage, choices } = header;
    const shared = JSON.stringify({ id, object: 'chat.completion.chunk', created, model });
    this.head = `${shared.slice(0, -1)},"choices":[`;
    this.includeUsage = includeUsage;
    this.tail = `]${this.noUsage}}`;
    this.choices = Array.from({ length: choices }, () => ({ roleSent: false, logprobs: [] }));
  }

  /** The payloads for one batch, in order. After the last `done`, or an `error`, the stream is complete. */
  encode(events: readonly EngineEvent[]): string[] {
    const payloads: string[] = [];
    for (const event of events) {
      const choice = this.choices[event.seq];
      switch (event.type) {
        case 'token':
          this.pushRole(payloads, event.seq);
          if (event.logprobs) choice?.logprobs.push(wireLogprob(event.logprobs));
          break;
        case 'delta':
          this.pushRole(payloads, event.seq);
          this.pushDelta(payloads, event);
          break;
        case 'done':
          this.pushRole(payloads, event.seq);
          payloads.push(this.finish(event));
          this.done.push(event);
          if (this.done.length < this.choices.length) break;
          if (this.includeUsage) payloads.push(this.usage());
          payloads.push(DONE);
          break;
        case 'error':
          payloads.push(...this.encodeError(toGenerationError(event)));
          break;
        case 'accepted':
        case 'progress':
          break;
      }
    }
    return payloads;
  }

  encodeError(error: GenerationError): string[] {
    return [encodeStreamError(error)];
  }

  private get noUsage(): string {
    return this.includeUsage ? ',"usage":null' : '';
  }

  private pushRole(payloads: string[], index: number): void {
    const choice = this.choices[index];
    if (!choice || choice.roleSent) return;
    choice.roleSent = true;
    payloads.push(this.chunk(index, '{"role":"assistant","content":""}', 'null'));
  }

  private pushDelta(payloads: string[], { seq, content, reasoning, toolCalls }: DeltaEvent): void {
    const push = (delta: string) => payloads.push(this.chunk(seq, delta, this.takeLogprobs(seq)));
    if (reasoning !== '') push(`{"reasoning_content":${JSON.stringify(reasoning)}}`);
    if (content !== '') push(`{"content":${JSON.stringify(content)}}`);
    for (const call of toolCalls) push(`{"tool_calls":[${JSON.stringify(wireToolCall(call))}]}`);
  }

  private chunk(index: number, delta: string, logprobs: string): string {
    return `${this.head}{"index":${index},"delta":${delta},"logprobs":${logprobs},"finish_reason":null}${this.tail}`;
  }

  private finish(done: DoneEvent): string {
    const reason = wireFinishReason(done.finishReason);
    const logprobs = this.takeLogprobs(done.seq);
    const timings = JSON.stringify(wireTimings(done.timings));
    return `${this.head}{"index":${done.seq},"delta":{},"logprobs":${logprobs},"finish_reason":"${reason}"}]${this.noUsage},"timings":${timings}}`;
  }

  /** Each token's entry is sent once: with the text that the token completes, or at the end. */
  private takeLogprobs(index: number): string {
    const choice = this.choices[index];
    if (!choice || choice.logprobs.length === 0) return 'null';
    const content = choice.logprobs;
    choice.logprobs = [];
    return JSON.stringify({ content, refusal: null });
  }

  private usage(): string {
    return `${this.head}],"usage":${JSON.stringify(wireUsage(this.done))}}`;
  }
}

function wireToolCall({ index, id, name, arguments: text }: ToolCallDelta): WireToolCallDelta {
  if (name === undefined) return { index, function: { arguments: text } };
  return { index, id: id ?? '', type: 'function', function: { name, arguments: text } };
}

/** A failure after the first byte: the error object as a payload of its own; the stream then ends without [DONE]. */
export function encodeStreamError(error: GenerationError): string {
  return JSON.stringify(fromGenerationError(error).body());
}
