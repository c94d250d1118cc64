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
import { itemBegin, itemDelta, itemEnd } from './item-events.js';
import type { ResponseSettings } from './request.js';

type DeltaEvent = Extract<EngineEvent, { type: 'delta' }>;
type Call = Extract<OutputItem, { type: 'function_call' }>;

/** The item that grows at the moment. The parts are those in the item. */
type OpenItem =
  | { kind: 'reasoning'; item: OutputItem; part: ReasoningText }
  | { kind: 'message'; item: OutputItem; part: OutputText; logprobs: WireTokenLogprob[] }
  | { kind: 'call'; item: Call /** Of the engine. */; index: number };
type Open<Kind> = Extract<OpenItem, { kind: Kind }>;

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
    const open = this.open?.kind === 'reasoning' ? this.open : this.addReasoning(out);
    open.part.text += text;
    out.push(itemDelta(this.index, open.item, text, []));
  }

  private addReasoning(out: ResponseEvent[]): Open<'reasoning'> {
    const part: ReasoningText = { type: 'reasoning_text', text: '' };
    const item: OutputItem = {
      ...{ type: 'reasoning', id: createId('rs_'), status: 'in_progress' },
      ...{ summary: [], content: [part] },
    };
    return this.add({ kind: 'reasoning', item, part }, out);
  }

  private growMessage(text: string, out: ResponseEvent[]): void {
    const open = this.open?.kind === 'message' ? this.open : this.addMessage(out);
    open.part.text += text;
    open.logprobs.push(...this.logprobs);
    out.push(itemDelta(this.index, open.item, text, this.logprobs));
  }

  private addMessage(out: ResponseEvent[]): Open<'message'> {
    const logprobs: WireTokenLogprob[] = [];
    const part: OutputText = { type: 'output_text', text: '', annotations: [], logprobs };
    const item: OutputItem = {
      ...{ type: 'message', id: createId('msg_'), status: 'in_progress' },
      ...{ role: 'assistant', content: [part] },
    };
    return this.add({ kind: 'message', item, part, logprobs }, out);
  }

  private growCall(piece: ToolCallDelta, out: ResponseEvent[]): void {
    const { open } = this;
    const isSame = open?.kind === 'call' && open.index === piece.index;
    const { item } = isSame ? open : this.addCall(piece, out);
    const { arguments: text } = piece;
    if (text === '') return;
    item.arguments += text;
    out.push(itemDelta(this.index, item, text, []));
  }

  private addCall({ index, id, name }: ToolCallDelta, out: ResponseEvent[]): Open<'call'> {
    const item: Call = {
      ...{ type: 'function_call', id: createId('fc_'), status: 'in_progress' },
      call_id: toCallId(id || createId('')),
      name: name ?? '',
      arguments: '',
    };
    return this.add({ kind: 'call', item, index }, out);
  }

  /** Closes what is open and adds a new item to the output. Events tell of it as it is now. */
  private add<Item extends OpenItem>(open: Item, out: ResponseEvent[]): Item {
    this.close('completed', out);
    this.value.output.push(open.item);
    this.open = open;
    out.push(...itemBegin(this.index, open.item));
    return open;
  }

  private close(status: 'completed' | 'incomplete', out: ResponseEvent[]): void {
    if (!this.open) return;
    this.open.item.status = status;
    out.push(...itemEnd(this.index, this.open.item));
    this.open = null;
  }

  private end(done: DoneEvent, out: ResponseEvent[]): void {
    const complete = done.finishReason !== 'length' && done.finishReason !== 'cancelled';
    // Who has nothing to say says so in a message.
    if (complete && this.value.output.every(({ type }) => type === 'reasoning')) {
      this.addMessage(out);
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

  /** Of the latest item. */
  private get index(): number {
    return this.value.output.length - 1;
  }
}

/** The few codes of the reference. */
function errorCode(error: GenerationError): NonNullable<ResponseObject['error']>['code'] {
  const { status } = fromGenerationError(error);
  if (status === 429) return 'rate_limit_exceeded';
  return status === 400 ? 'invalid_prompt' : 'server_error';
}
