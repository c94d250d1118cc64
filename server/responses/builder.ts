/**
 * Engine events of one generation → the events of a Responses stream, and the response that they add up to. Pure but
 * for new ids and the clock of `completed_at`. A collected answer is the same thing with nobody looking at the events.
 */
import type { EngineEvent, ToolCallDelta } from '../../protocol/engine.js';
import type { WireTokenLogprob } from '../../protocol/openai.js';
import type { ResponseEvent } from '../../protocol/response-events.js';
import type {
  OutputItem,
  OutputText,
  ReasoningText,
  ResponseObject,
} from '../../protocol/response-object.js';
import type { GenerationError } from '../generation/generation.js';
import { fromGenerationError } from '../http/errors.js';
import { createId } from '../http/ids.js';
import { type DoneEvent, wireLogprob, wireTimings } from '../openai/wire-values.js';
import { toCallId } from './call-ids.js';
import type { ResponseSettings } from './request.js';

type DeltaEvent = Extract<EngineEvent, { type: 'delta' }>;
type Call = Extract<OutputItem, { type: 'function_call' }>;

/** The item that grows at the moment. The parts are those in the item. */
type OpenItem =
  | { kind: 'reasoning'; item: OutputItem; part: ReasoningText }
  | { kind: 'message'; item: OutputItem; part: OutputText; logprobs: WireTokenLogprob[] }
  | { kind: 'call'; item: Call /** Of the engine. */; index: number };

export interface ResponseHead {
  id: string;
  /** Unix seconds. */
  created: number;
  model: string;
  settings: ResponseSettings;
}

export class ResponseBuilder {
  private readonly value: ResponseObject;
  private open: OpenItem | null = null;
  private tokens = 0;
  private reasoningTokens = 0;
  /** Of tokens whose text has not come yet: it is held back, or they have none. */
  private logprobs: WireTokenLogprob[] = [];

  constructor({ id, created, model, settings }: ResponseHead) {
    this.value = {
      id,
      object: 'response',
      created_at: created,
      completed_at: null,
      status: 'in_progress',
      background: false,
      error: null,
      incomplete_details: null,
      model,
      output: [],
      ...settings,
      truncation: 'disabled',
      usage: null,
    };
  }

  /** The response as it is now: to be read at once, since it grows. */
  get response(): ResponseObject {
    return this.value;
  }

  begin(): ResponseEvent[] {
    const response = { ...this.value, output: [] };
    return [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ];
  }

  /** Takes the next event; `done` ends the response. Errors are for `fail`. */
  push(event: EngineEvent): ResponseEvent[] {
    const out: ResponseEvent[] = [];
    switch (event.type) {
      case 'token':
        this.tokens++;
        if (event.logprobs) this.logprobs.push(wireLogprob(event.logprobs));
        break;
      case 'delta':
        this.grow(event, out);
        break;
      case 'done':
        this.end(event, out);
        break;
      case 'accepted':
      case 'progress':
      case 'error':
        break;
    }
    return out;
  }

  /** Ends it with what has come so far. */
  fail(error: GenerationError): ResponseEvent[] {
    if (this.open) this.open.item.status = 'incomplete';
    this.open = null;
    this.value.status = 'failed';
    this.value.error = { code: errorCode(error), message: error.message };
    return [{ type: 'response.failed', response: this.value }];
  }

  private grow({ reasoning, content, toolCalls }: DeltaEvent, out: ResponseEvent[]): void {
    if (reasoning !== '') this.growReasoning(reasoning, out);
    if (content !== '') this.growMessage(content, out);
    for (const piece of toolCalls) this.growCall(piece, out);
    // Tokens of reasoning and calls have no place for them.
    this.logprobs = [];
  }

  private growReasoning(text: string, out: ResponseEvent[]): void {
    this.reasoningTokens = this.tokens;
    if (this.open?.kind !== 'reasoning') {
      const part: ReasoningText = { type: 'reasoning_text', text: '' };
      const item: OutputItem = {
        ...{ type: 'reasoning', id: createId('rs_'), status: 'in_progress' },
        ...{ summary: [], content: [] },
      };
      this.add(item, out);
      this.open = { kind: 'reasoning', item, part };
      this.addPart(item, part, out);
    }
    if (this.open?.kind !== 'reasoning') return;
    this.open.part.text += text;
    out.push({
      type: 'response.reasoning_text.delta',
      ...this.place(),
      content_index: 0,
      delta: text,
    });
  }

  private growMessage(text: string, out: ResponseEvent[]): void {
    this.openMessage(out);
    if (this.open?.kind !== 'message') return;
    const { logprobs } = this;
    this.open.part.text += text;
    this.open.logprobs.push(...logprobs);
    out.push({
      ...{ type: 'response.output_text.delta', ...this.place(), content_index: 0 },
      delta: text,
      logprobs,
    });
  }

  private openMessage(out: ResponseEvent[]): void {
    if (this.open?.kind === 'message') return;
    const logprobs: WireTokenLogprob[] = [];
    const part: OutputText = { type: 'output_text', text: '', annotations: [], logprobs };
    const item: OutputItem = {
      ...{ type: 'message', id: createId('msg_'), status: 'in_progress' },
      ...{ role: 'assistant', content: [] },
    };
    this.add(item, out);
    this.open = { kind: 'message', item, part, logprobs };
    this.addPart(item, part, out);
  }

  private growCall(
    { index, id, name, arguments: text }: ToolCallDelta,
    out: ResponseEvent[],
  ): void {
    if (this.open?.kind !== 'call' || this.open.index !== index) {
      const item: Call = {
        ...{ type: 'function_call', id: createId('fc_'), status: 'in_progress' },
        call_id: toCallId(id || createId('')),
        name: name ?? '',
        arguments: '',
      };
      this.add(item, out);
      this.open = { kind: 'call', item, index };
    }
    if (text === '') return;
    this.open.item.arguments += text;
    out.push({ type: 'response.function_call_arguments.delta', ...this.place(), delta: text });
  }

  /** Closes what is open and adds a new item to the output. Events tell of it as it is now. */
  private add(item: OutputItem, out: ResponseEvent[]): void {
    this.close('completed', out);
    this.value.output.push(item);
    const output_index = this.value.output.length - 1;
    out.push({ type: 'response.output_item.added', output_index, item: { ...item } });
  }

  private addPart(item: OutputItem, part: OutputText | ReasoningText, out: ResponseEvent[]): void {
    const place = { ...this.place(), content_index: 0 };
    const empty = part.type === 'output_text' ? { ...part, logprobs: [] } : { ...part };
    out.push({ type: 'response.content_part.added', ...place, part: empty });
    (item as { content: unknown[] }).content = [part];
  }

  private close(status: 'completed' | 'incomplete', out: ResponseEvent[]): void {
    const { open } = this;
    if (!open) return;
    const place = this.place();
    const part = { ...place, content_index: 0 };
    switch (open.kind) {
      case 'reasoning':
        out.push({ type: 'response.reasoning_text.done', ...part, text: open.part.text });
        out.push({ type: 'response.content_part.done', ...part, part: open.part });
        break;
      case 'message': {
        const { part: text, logprobs } = open;
        out.push({ type: 'response.output_text.done', ...part, text: text.text, logprobs });
        out.push({ type: 'response.content_part.done', ...part, part: text });
        break;
      }
      case 'call': {
        const { name, arguments: text } = open.item;
        out.push({
          ...{ type: 'response.function_call_arguments.done', ...place },
          name,
          arguments: text,
        });
        break;
      }
    }
    open.item.status = status;
    const { output_index } = place;
    out.push({ type: 'response.output_item.done', output_index, item: open.item });
    this.open = null;
  }

  private end(done: DoneEvent, out: ResponseEvent[]): void {
    const complete = done.finishReason !== 'length' && done.finishReason !== 'cancelled';
    // Who has nothing to say says so in a message.
    if (complete && this.value.output.every(({ type }) => type === 'reasoning')) {
      this.openMessage(out);
    }
    this.close(complete ? 'completed' : 'incomplete', out);
    this.value.usage = this.usage(done);
    this.value.timings = wireTimings(done.timings);
    if (complete) {
      this.value.status = 'completed';
      this.value.completed_at = Math.floor(Date.now() / 1000);
      out.push({ type: 'response.completed', response: this.value });
    } else if (done.finishReason === 'length') {
      this.value.status = 'incomplete';
      this.value.incomplete_details = { reason: 'max_output_tokens' };
      out.push({ type: 'response.incomplete', response: this.value });
    } else {
      // Only a client that has gone cancels, so nobody hears of it.
      this.value.status = 'cancelled';
    }
  }

  private usage({ promptTokens, cachedTokens, outputTokens }: DoneEvent): ResponseObject['usage'] {
    return {
      input_tokens: promptTokens,
      input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: this.reasoningTokens },
      total_tokens: promptTokens + outputTokens,
    };
  }

  /** Of the open item, or of the one that is about to be. */
  private place(): { output_index: number; item_id: string } {
    const output_index = this.value.output.length - 1;
    return { output_index, item_id: this.value.output[output_index]?.id ?? '' };
  }
}

/** The few codes of the reference. */
function errorCode(error: GenerationError): NonNullable<ResponseObject['error']>['code'] {
  const { status } = fromGenerationError(error);
  if (status === 429) return 'rate_limit_exceeded';
  return status === 400 ? 'invalid_prompt' : 'server_error';
}
